// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
package import CommandProtocol
internal import Controls
internal import Devices
package import Diagnostics
internal import Display
internal import FoundationEssentials
internal import Kiosk
package import Library
internal import LibraryService
package import LinuxIO
internal import Network
internal import Media
package import Photography
internal import Recording
internal import Screens
internal import Settings
internal import Viewing

/// Answers the requests of the control socket, each within the caller's rights.
package actor ControlVerbs {
    package typealias Progress = @Sendable (JSONValue) -> Void

    private let executor: ThreadExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }
    let parts: KioskParts
    private let brackets: BracketRecorder
    let status: StatusReporter
    let access: AccessPolicy
    let version: String
    private let reload: @Sendable () -> Void

    /// `reload` must not block.
    package init(
        _ parts: KioskParts, _ brackets: BracketRecorder, _ status: StatusReporter,
        _ access: AccessPolicy, version: String, executor: ThreadExecutor,
        reload: @escaping @Sendable () -> Void
    ) {
        self.parts = parts
        self.brackets = brackets
        self.status = status
        self.access = access
        self.version = version
        self.executor = executor
        self.reload = reload
    }

    package func answer(
        _ request: Request, _ progress: @escaping Progress
    ) async throws -> any Encodable & Sendable {
        do {
            return try await perform(request, progress)
        } catch let error as LibraryError {
            throw CommandError(error)
        } catch let error as ControlsError {
            // Nothing else can be wrong with a configured button.
            throw CommandError("appliance.stopping", "\(error)", exit: .unavailable)
        }
    }

    private func perform(
        _ request: Request, _ progress: @escaping Progress
    ) async throws -> any Encodable & Sendable {
        let arguments = request.arguments
        let caller = await caller(request.peer)
        try caller.require(request.verb)
        if Self.verbsOfTheCamera.contains(request.verb) { try parts.camera.refuseDuringBracket() }
        switch request.verb {
        case "library.access":
            return caller.report(isWritable: await !parts.library.status().degraded)
        case "status":
            return await status.report()
        case "press":
            return try await press(
                arguments["name"]?.stringValue ?? "",
                gesture: arguments["gesture"]?.stringValue ?? Gesture.press.rawValue,
                waits: arguments["wait"]?.boolValue ?? false)
        case "capture.photo":
            return try await capturePhoto(try await photoSettings(arguments))
        case "capture.bracket":
            return try await brackets.take(
                arguments["biases"]?.arrayValue?.compactMap { $0.doubleValue } ?? [-2, 0, 2],
                try await photoSettings(arguments))
        case "capture.burst":
            return try await captureBurst(
                count: arguments["count"]?.integerValue.map { Int(clamping: $0) }
                    ?? parts.board.settings.photo.burstCount, try await photoSettings(arguments))
        case "capture.loop":
            return try await captureLoop()
        case "timelapse.start":
            if let refusal = await parts.kiosk.refusalOfMovies {
                throw CommandError.impossible(refusal)
            }
            try parts.camera.refuseDuringBracket()
            try await parts.timelapse.start(
                interval: arguments.seconds("interval", in: 0.5...86_400),
                duration: arguments.seconds("duration", in: 0...31_536_000))
            return await parts.timelapse.status
        case "timelapse.stop":
            guard await parts.timelapse.isRunning else {
                throw CommandError(
                    "timelapse.none", "no timelapse runs", next: "See: vitrine status",
                    exit: .temporary)
            }
            guard let asset = await parts.timelapse.stop() else {
                throw CommandError(
                    "timelapse.failed", "nothing came of the timelapse",
                    next: "See: vitrine logs", exit: .temporary)
            }
            return asset
        case "capture.movie":
            return try await captureMovie(
                seconds: arguments.seconds("seconds", in: 0.001...86_400) ?? 10, progress)
        case "screenshot":
            return try await screenshot(ofSecond: arguments["second"]?.boolValue == true)
        case let verb where verb == "play" || verb.hasPrefix("play."):
            let verbs = PlayVerbs(kiosk: parts.kiosk, viewer: parts.viewer)
            guard let answer = try await verbs.answer(verb, arguments, request.files, progress)
            else { fallthrough }
            return answer
        case "devices.use":
            try await parts.camera.useByCommand(arguments["camera"]?.stringValue)
            return await status.camera()
        case let verb where verb.hasPrefix("devices."):
            return try await answer(devices: verb, arguments)
        case "config.reload":
            reload()
            return status.configuration
        case "library.salvage":
            return try await parts.library.salvage()
        case "sync.resources":
            guard let file = request.file, let door = try? PacketSocket(file) else {
                throw CommandError(
                    "request.invalid", "a request without a connection", exit: .usage)
            }
            parts.loader.connect(door)
            return JSONValue.null
        case let verb where verb.hasPrefix("sync."):
            let verbs = SyncVerbs(
                library: try await parts.library.opened(), desk: parts.syncDesk,
                configured: parts.library.remote, process: request.peer?.process ?? 0,
                file: request.file)
            guard let answer = try await verbs.answer(verb, arguments) else { fallthrough }
            return answer
        case let verb where verb.hasPrefix("library."):
            let opened = try await parts.library.opened()
            let verbs = LibraryVerbs(
                library: opened, images: try await parts.pictures.manager(),
                screen: await parts.displays[0].connected?.size,
                retention: parts.library.retention, limit: caller.limit, file: request.file)
            guard let answer = try await verbs.answer(verb, arguments, progress) else {
                fallthrough
            }
            return answer
        default:
            throw CommandError(
                "verb.unknown", "the running appliance \(version) does not know \(request.verb)",
                next: "Is it older than this command? Restart it: sudo systemctl restart vitrine",
                exit: .usage)
        }
    }

    /// The verbs that an exposure bracket would affect, or that would affect it.
    private static let verbsOfTheCamera: Set<String> = [
        "capture.photo", "capture.bracket", "capture.burst", "capture.loop", "capture.movie",
        "timelapse.start", "devices.use", "devices.set", "devices.reset",
    ]

    private func caller(_ peer: PeerCredentials?) async -> Caller {
        Caller(
            role: access.role(of: peer), policy: access,
            session: await parts.kiosk.guestSession.flatMap(parts.photographer.sessions.known))
    }

    /// Does what the button does, and returns the answer that the button cannot give.
    private func press(
        _ name: String, gesture word: String, waits: Bool
    ) async throws -> PressAnswer {
        let names =
            parts.board.settings.buttons.map(\.name)
            + parts.board.repertoire.chords.keys.sorted()
        guard names.contains(name) else {
            throw CommandError(
                "button.unknown", "there is no button \"\(name)\"",
                next: names.isEmpty
                    ? "The configuration has none." : "There is: \(names.joined(separator: ", "))",
                exit: .usage)
        }
        let isChord = parts.board.repertoire.chords[name] != nil
        let gestures = isChord ? [.press] : Gesture.allCases
        guard let gesture = Gesture(rawValue: word), gestures.contains(gesture) else {
            throw CommandError(
                "gesture.unknown", "\"\(word)\" cannot be done with \(name)",
                next: "Give one of: \(gestures.map(\.rawValue).joined(separator: ", "))",
                exit: .usage)
        }
        let verdict = try await parts.presses.press(name, gesture, on: parts.buttons)
        // A command releases a held button at once, which ends the clip.
        if waits, gesture == .hold, case .recording(let recording, _) = verdict {
            return try await clip(of: recording)
        }
        return try await answer(verdict, waits: waits)
    }

    private func capturePhoto(_ photo: CapturePhotoSettings?) async throws -> PressAnswer {
        let moment = Clock.monotonic
        // With a flash, the frame comes after the light.
        let isLit = parts.flash != nil && photo?.flashMode != .off
        let verdict = await parts.kiosk.handle(
            .press(
                KioskPress(
                    .photo, timestamp: moment, countdownSeconds: 0, photo: photo,
                    reservation: isLit ? nil : parts.reserver.reserve(moment), from: .command)))
        return try await answer(verdict, waits: true)
    }

    private func captureBurst(
        count: Int, _ photo: CapturePhotoSettings?
    ) async throws -> [Asset] {
        guard (2...BracketRecorder.mostOfBurst).contains(count) else {
            throw CommandError(
                "burst.count", "a burst of \(count) photos",
                next: "Give 2 to \(BracketRecorder.mostOfBurst).", exit: .usage)
        }
        let verdict = await parts.kiosk.handle(
            .press(
                KioskPress(
                    .burst, timestamp: Clock.monotonic, countdownSeconds: 0, burstCount: count,
                    photo: photo, from: .command)))
        guard case .saved(let best, _) = try await answer(verdict, waits: true),
            let burst = best.burstID
        else { return [] }
        return try await brackets.assets(ofBurst: burst)
    }

    /// Takes a loop: a short movie that plays forward and backward.
    private func captureLoop() async throws -> PressAnswer {
        let press = KioskPress(
            .loop, timestamp: Clock.monotonic, countdownSeconds: 0, from: .command)
        return try await answer(parts.kiosk.handle(.press(press)), waits: true)
    }

    /// Records a clip of `seconds`, plus the pre-roll. The clip is shorter if something ends it.
    private func captureMovie(
        seconds: Double, _ progress: @escaping Progress
    ) async throws -> PressAnswer {
        // A kiosk without a button for clips has not prepared to record.
        await parts.movies.output.prepareToRecord()
        let verdict = await parts.kiosk.handle(
            .press(KioskPress(.beginRecording, timestamp: Clock.monotonic, from: .command)))
        guard case .recording(let recording, _) = verdict else {
            return try await answer(verdict, waits: true)
        }
        let counting = Task {
            try await waitFor(recording, of: seconds, progress)
            await parts.kiosk.handle(.endRecording(recording))
        }
        defer { counting.cancel() }
        return try await withTaskCancellationHandler {
            try await clip(of: recording)
        } onCancel: {
            // The client is gone; the clip so far is kept.
            Task { [parts] in await parts.kiosk.handle(.endRecording(recording)) }
        }
    }

    /// Waits until the movie has `seconds` in addition to its pre-roll. Its encoder and the library
    /// may need time before its first picture.
    private func waitFor(
        _ recording: RecordingIdentifier, of seconds: Double, _ progress: Progress
    ) async throws {
        let begin = Clock.monotonic
        var (preRoll, told) = (nil as Double?, -1)
        while true {
            let recorded = parts.movies.recordedSeconds(of: recording)
            if preRoll == nil, recorded > 0 {
                preRoll = max(0, recorded - Double(Clock.monotonic - begin) / 1e9)
            }
            let done = preRoll.map { max(0, recorded - $0) } ?? 0
            if done >= seconds { return }
            if Int(done) > told {
                told = Int(done)
                progress(
                    .object([
                        "done": .integer(Int64(told)),
                        "total": .integer(Int64(seconds.rounded(.up))),
                    ]))
            }
            try await Task.sleep(for: .seconds(min(max(seconds - done, 0.01), 0.1)))
        }
    }

    private func clip(of recording: RecordingIdentifier) async throws -> PressAnswer {
        switch await parts.kiosk.result(of: recording) {
        case .saved(let movie, let isCut):
            return .saved(try await parts.library.opened().asset(id: movie.assetID), isCut: isCut)
        case .failed(let reason):
            throw CommandError(
                "recording.failed", "no clip: \(reason)", next: "See: vitrine status",
                exit: .temporary)
        case .cancelled:
            throw CommandError(
                "recording.cancelled", "the countdown was cancelled", exit: .temporary)
        }
    }

    private func answer(_ verdict: PressVerdict?, waits: Bool) async throws -> PressAnswer {
        switch verdict {
        case .accepted(let shot):
            return waits ? .saved(try await asset(of: shot)) : .accepted(true)
        case .recording(let recording, let begins):
            return waits && !begins
                ? try await clip(of: recording) : .accepted(true)
        case .performed: return .accepted(true)
        case .ignored: return .accepted(false)
        case nil:
            throw CommandError(
                "appliance.stopping", "the press is lost: the appliance is stopping",
                exit: .unavailable)
        case .busy(let reason):
            throw CommandError.busy(reason)
        case .impossible(let reason):
            throw CommandError.impossible(reason)
        }
    }

    private func asset(of shot: ShotIdentifier) async throws -> Asset {
        switch await parts.kiosk.result(of: shot) {
        case .saved(let photo):
            return try await parts.library.opened().asset(id: photo.assetID)
        case .failed(let reason):
            throw CommandError(
                "photo.failed", "no photo: \(reason)", next: "See: vitrine status",
                exit: .temporary)
        case .cancelled:
            throw CommandError("photo.cancelled", "the countdown was cancelled", exit: .temporary)
        }
    }

    /// Returns the wanted format of photos; `nil` for the configured one. Throws 64 for an invalid
    /// value, 69 for what this camera or flash cannot do, 75 without a camera.
    private func photoSettings(
        _ arguments: [String: JSONValue]
    ) async throws(CommandError) -> CapturePhotoSettings? {
        let usual = parts.board.settings.photo.usual
        guard let photo = try CapturePhotoSettings(arguments, default: usual) else { return nil }
        guard let running = await parts.camera.session.running else { throw .noCamera }
        try photo.requirePossible(arguments, by: running, parts.flash)
        return photo
    }

    /// A PNG file in Base64 of what a person sees now.
    private nonisolated func screenshot(ofSecond: Bool) async throws -> String {
        let index = ofSecond ? 1 : 0
        guard parts.displays.indices.contains(index) else {
            throw CommandError.noSecondDisplay
        }
        do {
            let screen = parts.displays[index].screen
            return try await ScreenshotEncoder().png(of: try await screen.snapshot())
        } catch let error as DisplayError {
            throw CommandError(
                "display.missing", "no screenshot: \(error)", next: "See: vitrine status",
                exit: .temporary)
        }
    }
}

extension [String: JSONValue] {
    /// Returns a number of seconds; `nil` if there is none. Throws 64 if it is out of range.
    func seconds(
        _ name: String, in range: ClosedRange<Double>
    ) throws(CommandError) -> Double? {
        guard let value = self[name], value != .null else { return nil }
        guard let seconds = value.doubleValue else {
            throw CommandError(
                "request.invalid", "\(name) is no number of seconds",
                next: "Give \(range.lowerBound) to \(range.upperBound).", exit: .usage)
        }
        if range.contains(seconds) { return seconds }
        throw CommandError(
            "request.invalid", "\(name) of \(seconds) seconds",
            next: "Give \(range.lowerBound) to \(range.upperBound).", exit: .usage)
    }
}
