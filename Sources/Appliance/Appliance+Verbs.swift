// SPDX-License-Identifier: GPL-3.0-or-later

internal import CommandProtocol
internal import Controls
internal import Kiosk
internal import Library
internal import LinuxIO
internal import Media
internal import Recording
internal import Settings

extension Appliance {
    /// Tells a client how far its request has come.
    typealias Progress = @Sendable (JSONValue) -> Void

    /// Answers one request of the control socket.
    func answer(
        _ request: Request, _ progress: @escaping Progress
    ) async throws -> any Encodable & Sendable {
        do {
            return try await perform(request, progress)
        } catch let error as LibraryError {
            throw CommandError(error)
        } catch let error as ControlsError {
            // The one thing that can be wrong with a button of the configuration.
            throw CommandError("appliance.stopping", "\(error)", exit: .unavailable)
        }
    }

    /// Throws ``CommandError/busy(_:)`` while photos of other exposures are taken.
    func refuseDuringBracket() throws(CommandError) {
        if isBracketing { throw CommandError.busy("photos of other exposures are being taken") }
    }

    private func perform(
        _ request: Request, _ progress: @escaping Progress
    ) async throws -> any Encodable & Sendable {
        let arguments = request.arguments
        let caller = await caller(request.peer)
        try caller.require(request.verb)
        if Self.verbsOfTheCamera.contains(request.verb) { try refuseDuringBracket() }
        switch request.verb {
        case "library.access":
            return caller.report(isWritable: await !library.status().degraded)
        case "status":
            return await status()
        case "press":
            return try await press(
                arguments["name"]?.stringValue ?? "",
                gesture: arguments["gesture"]?.stringValue ?? Gesture.press.rawValue,
                waits: arguments["wait"]?.boolValue ?? false)
        case "capture.photo":
            return try await capturePhoto(try await photoSettings(arguments))
        case "capture.bracket":
            return try await captureBracket(
                arguments["biases"]?.arrayValue?.compactMap { $0.doubleValue } ?? [-2, 0, 2],
                try await photoSettings(arguments))
        case "capture.burst":
            return try await captureBurst(
                count: arguments["count"]?.integerValue.map { Int(clamping: $0) }
                    ?? board.settings.photo.burstCount, try await photoSettings(arguments))
        case "capture.loop":
            return try await captureLoop()
        case "timelapse.start":
            if let refusal = await kiosk.refusalOfMovies {
                throw CommandError.impossible(refusal)
            }
            try refuseDuringBracket()
            try await timelapse.start(
                interval: arguments.seconds("interval", in: 0.5...86_400),
                duration: arguments.seconds("duration", in: 0...31_536_000))
            return await timelapse.status
        case "timelapse.stop":
            guard await timelapse.isRunning else {
                throw CommandError(
                    "timelapse.none", "no timelapse runs", next: "See: vitrine status",
                    exit: .temporary)
            }
            guard let asset = await timelapse.stop() else {
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
        case "devices.use":
            return try await useCamera(byCommand: arguments["camera"]?.stringValue)
        case let verb where verb.hasPrefix("devices."):
            return try await answer(devices: verb, arguments)
        case "config.reload":
            reload()
            return configuration
        case "library.salvage":
            return try await library.salvage()
        case let verb where verb.hasPrefix("library."):
            let opened = try await library.opened()
            let verbs = LibraryVerbs(
                library: opened, images: pictures(of: opened), screen: display?.size,
                retention: library.retention, limit: caller.limit, file: request.file)
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

    /// What would get another exposure in the midst of a bracket, or change it.
    private static let verbsOfTheCamera: Set<String> = [
        "capture.photo", "capture.bracket", "capture.burst", "capture.loop", "capture.movie",
        "timelapse.start", "devices.use", "devices.set", "devices.reset",
    ]

    private func caller(_ peer: PeerCredentials?) async -> Caller {
        Caller(
            role: access.role(of: peer), policy: access,
            session: await kiosk.guestSession.flatMap(photographer.sessions.known))
    }

    /// What the button does, with the answer that the button has no way to give.
    private func press(
        _ name: String, gesture word: String, waits: Bool
    ) async throws -> PressAnswer {
        let names = board.settings.buttons.map(\.name) + board.repertoire.chords.keys.sorted()
        guard names.contains(name) else {
            throw CommandError(
                "button.unknown", "there is no button \"\(name)\"",
                next: names.isEmpty
                    ? "The configuration has none." : "There is: \(names.joined(separator: ", "))",
                exit: .usage)
        }
        let isChord = board.repertoire.chords[name] != nil
        let gestures = isChord ? [.press] : Gesture.allCases
        guard let gesture = Gesture(rawValue: word), gestures.contains(gesture) else {
            throw CommandError(
                "gesture.unknown", "\"\(word)\" cannot be done with \(name)",
                next: "Give one of: \(gestures.map(\.rawValue).joined(separator: ", "))",
                exit: .usage)
        }
        let verdict = try await pressButton(name, gesture)
        // A button that is held by command is let go at once, which ends the clip.
        if waits, gesture == .hold, case .recording(let recording, _) = verdict {
            return try await clip(of: recording)
        }
        return try await answer(verdict, waits: waits)
    }

    /// A photo now, whatever the countdown is set to.
    private func capturePhoto(_ photo: CapturePhotoSettings?) async throws -> PressAnswer {
        let moment = Clock.monotonic
        // With a flash the photo is taken when its light is up.
        if flash == nil || photo?.flashMode == .off { claims.hold(moment) }
        let verdict = await kiosk.handle(
            .press(
                KioskPress(
                    .photo, timestamp: moment, countdownSeconds: 0, photo: photo, from: .command)))
        if case .accepted = verdict {} else { claims.drop(moment) }
        return try await answer(verdict, waits: true)
    }

    /// Photos in quick succession from now on, in their order.
    private func captureBurst(
        count: Int, _ photo: CapturePhotoSettings?
    ) async throws -> [Asset] {
        guard (2...Self.mostOfBurst).contains(count) else {
            throw CommandError(
                "burst.count", "a burst of \(count) photos",
                next: "Give 2 to \(Self.mostOfBurst).", exit: .usage)
        }
        let verdict = await kiosk.handle(
            .press(
                KioskPress(
                    .burst, timestamp: Clock.monotonic, countdownSeconds: 0, burstCount: count,
                    photo: photo, from: .command)))
        guard case .saved(let best, _) = try await answer(verdict, waits: true),
            let burst = best.burstID
        else { return [] }
        return try await photos(ofBurst: burst)
    }

    /// A short movie, forward and backward, from now on.
    private func captureLoop() async throws -> PressAnswer {
        let press = KioskPress(
            .loop, timestamp: Clock.monotonic, countdownSeconds: 0, from: .command)
        return try await answer(kiosk.handle(.press(press)), waits: true)
    }

    /// A clip of so many seconds from now on, with what the pre-roll has; less where something ends it.
    private func captureMovie(
        seconds: Double, _ progress: @escaping Progress
    ) async throws -> PressAnswer {
        // A kiosk without a button for clips has not done so.
        await movies.output.prepareToRecord()
        let verdict = await kiosk.handle(
            .press(KioskPress(.beginRecording, timestamp: Clock.monotonic, from: .command)))
        guard case .recording(let recording, _) = verdict else {
            return try await answer(verdict, waits: true)
        }
        let counting = Task { [kiosk] in
            try await waitFor(recording, of: seconds, progress)
            await kiosk.handle(.endRecording(recording))
        }
        defer { counting.cancel() }
        return try await withTaskCancellationHandler {
            try await clip(of: recording)
        } onCancel: {
            // Who wanted it has gone: what was recorded is kept.
            Task { [kiosk] in await kiosk.handle(.endRecording(recording)) }
        }
    }

    /// Returns when the movie that has just been ordered has so many seconds besides its pre-roll: its encoder, and the
    /// library, may need time before its first picture.
    private func waitFor(
        _ recording: RecordingIdentifier, of seconds: Double, _ progress: Progress
    ) async throws {
        let begin = Clock.monotonic
        var (preRoll, told) = (nil as Double?, -1)
        while true {
            let recorded = movies.recordedSeconds(of: recording)
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
        switch await kiosk.result(of: recording) {
        case .saved(let movie, let isCut):
            return .saved(try await library.opened().asset(id: movie.assetID), isCut: isCut)
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
        switch await kiosk.result(of: shot) {
        case .saved(let photo):
            if let asset = photographer.asset(savedAs: photo.assetID) { return asset }
            return try await library.opened().asset(id: photo.assetID)
        case .failed(let reason):
            throw CommandError(
                "photo.failed", "no photo: \(reason)", next: "See: vitrine status",
                exit: .temporary)
        case .cancelled:
            throw CommandError("photo.cancelled", "the countdown was cancelled", exit: .temporary)
        }
    }
}

extension [String: JSONValue] {
    /// - Throws: 64 for what is out of range.
    fileprivate func seconds(
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
