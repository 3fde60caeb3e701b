// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Controls
package import Display
internal import Health
internal import Kiosk
internal import LinuxIO
internal import Logging
internal import Media
internal import Recording
internal import Settings

/// What happens to the appliance, and what it does then.
extension Appliance {
    func recognized(_ gesture: GestureEvent) async {
        let action = board.action(for: gesture)
        guard gesture.phase == .began else {
            if let recording = heldRecordings.removeValue(forKey: gesture.name) {
                await kiosk.handle(.endRecording(recording))
            }
            return
        }
        var wanted = KioskPress(action, timestamp: gesture.moment)
        // A clip that is as long as the button is held begins when it is.
        if action == .record, gesture.gesture == .hold { wanted.countdownSeconds = 0 }
        let verdict = await kiosk.handle(.press(wanted))
        if case .recording(let recording, begins: true) = verdict, gesture.gesture == .hold {
            heldRecordings[gesture.name] = recording
        }
        for press in gesture.presses {
            // A burst or loop has taken what it wants of it.
            let isTaken = if case .accepted = verdict { press == gesture.moment } else { false }
            if !isTaken || [.burst, .loop].contains(action) { claims.drop(press) }
            verdictWaiters.removeValue(forKey: press)?.resume(returning: verdict)
        }
    }

    /// Makes a gesture as a person would, and says what came of it.
    func pressButton(_ name: String, _ gesture: Gesture) async throws -> PressVerdict? {
        let event = try buttons.press(name: name, gesture: gesture)
        return await withCheckedContinuation { verdictWaiters[event.moment] = $0 }
    }

    /// What the display's thread tells.
    package func displayChanged(_ event: Screen.Event) async {
        switch event {
        case .ready(let connector, let mode, let size):
            let isNew = display == nil
            display = (connector, mode, size)
            if isNew { problems.clear(prefix: "display.") }
            log.notice("display", metadata: ["connector": "\(connector)", "mode": "\(mode)"])
            warn(ofOtherMode: mode, than: board.settings.display.mode, "display.mode")
            await show.resize(size)
            let hasReview = board.settings.display.reviewSeconds > 0
            await processor.setReviewSize(hasReview ? size : nil)
            if isNew { await showCamera() }
            startCamera()
        case .lost(let error):
            if display != nil { showing.went() }
            display = nil
            let code = error.code == .notPermitted ? "display.denied" : "display.missing"
            problems.clear(prefix: "display.")
            let explanation = Explanation(
                "\(error)", otherwise: "look at its plug and its power; see: vitrine doctor")
            problems.raise(code, explanation.text, .degraded)
            log.error("no display", metadata: ["reason": "\(error)"])
            startCamera()
        case .overlayFailed(let error):
            log.error("display", metadata: ["reason": "\(error)"])
            let explanation = Explanation(
                "\(error)", otherwise: "see how much memory is free: free -m")
            problems.raise("display.overlay", explanation.text, .degraded)
        case .overlayShown: problems.clear(prefix: "display.overlay")
        case .videoFailed(let error):
            log.error("display", metadata: ["reason": "\(error)"])
            showing.failed()
            raiseDegraded("\(error)")
        case .videoShown: isShown()
        case .standbyRefused(let error):
            log.warning("display", metadata: ["reason": "\(error)"])
        }
    }

    /// A kiosk with another mode than was wanted is better than a dark one, but nobody would know why.
    func warn(ofOtherMode mode: String, than setting: String, _ key: String) {
        guard board.settings.board.kind != .simulated, let wanted = Dimensions(setting),
            !mode.hasPrefix("\(wanted)@")
        else { return }
        log.warning(
            "the display has no such mode",
            metadata: ["wanted": "\(wanted)", "next": "see \(key), and: vitrine devices"])
    }

    private func raiseDegraded(_ reason: String) {
        let explanation = Explanation(
            reason,
            otherwise: "choose another pixel_format or size of the camera's: vitrine devices")
        problems.raise("display.degraded", explanation.text, .degraded)
        tryAgainLater()
    }

    private func tryAgainLater() {
        showing.tryLater { [weak self] in await self?.tryAgain() }
    }

    private func tryAgain() async {
        showing.attempted()
        if display != nil { await session.renegotiate(for: preview) }
    }

    /// The video is on screen: nothing need be tried again.
    private func isShown() {
        problems.clear(prefix: "display.degraded")
        showing.succeeded()
    }

    /// A display has come. A stream that was started without it, or shown on one that has gone, is
    /// agreed anew.
    private func showCamera() async {
        guard hasStartedCamera else { return }
        let running = await session.running
        guard showing.came((running?.previewPath, running != nil)) else { return }
        await session.renegotiate(for: preview)
    }

    func startCamera() {
        if hasStartedCamera { return }
        hasStartedCamera = true
        tasks.append(Task { [session] in _ = try? await session.startRunning() })
    }

    func cameraChanged(_ notification: CaptureSession.Notification) async {
        switch notification {
        case .didStartRunning(let stream), .interruptionEnded(let stream):
            // Before anything is waited for: what is recorded from now on names it.
            board.camera.runs(as: stream.identity.name)
            log.notice(
                "camera running",
                metadata: [
                    "camera": "\(stream.identity.name)",
                    "format":
                        "\(stream.stream.frame.dimensions) \(stream.stream.frame.pixelFormat)",
                    "path": "\(stream.previewPath?.rawValue ?? "none")",
                ])
            if let preset = stream.missedPreset {
                log.warning(
                    "the camera does not have the preset: another size is used",
                    metadata: ["preset": "\(preset.rawValue)"])
            }
            for refusal in stream.refusals {
                log.debug("path refused", metadata: ["reason": "\(refusal)"])
            }
            await tell([], gone: problems.clear(prefix: "camera."))
            await processor.setCamera(board.camera.label)
            if stream.begin != restoredStream {
                restoredStream = stream.begin
                // One after the other: a question that is broken off counts as one that hangs.
                restoring = Task { [tuner, before = restoring] in
                    await before?.value
                    await tuner.restore(stream.identity)
                }
            }
            await kiosk.setFrameSize(bytes: stream.stream.frame.bufferSizes.reduce(0, +))
            await showOnSecondDisplay(stream)
            await kiosk.handle(.previewStarted)
            await timelapse.begin()
            guard display != nil else { break }
            switch showing.began(stream.previewPath) {
            case .shown: isShown()
            case .agreeAnew: await session.renegotiate(for: preview)
            case .dark:
                let reason = stream.refusals.last ?? "no way was found"
                raiseDegraded("the video cannot be shown: \(reason)")
            case .unchanged: break
            }
        case .wasInterrupted(let error), .runtimeError(let error):
            let (code, explanation) = (error.problemCode, error.explanation)
            log.error("camera interrupted", metadata: ["reason": "\(error)"])
            second?.setHasVideo(false)
            let problem = ProblemList.Problem(
                code: code, message: explanation.text, severity: .failed)
            let gone = problems.replace(prefix: "camera.", with: [problem]).gone
            // Without the next step, for which there is no room below the advice on the screen.
            let words = KioskProblem(
                code: code, effect: .noPreview, detail: explanation.reason)
            await tell([words], gone: gone)
        case .didStopRunning: break
        }
    }

    func libraryProblems(_ current: [LibraryKeeper.Problem]) async {
        let (new, gone) = problems.replace(
            prefix: "library.",
            with: current.map {
                ProblemList.Problem(
                    code: $0.code, message: "\($0.message); next: \($0.next)",
                    severity: $0.prevents == .all ? .failed : .degraded)
            })
        for problem in current where new.contains(problem.code) {
            log.error("library", metadata: ["reason": "\(problem.message)"])
        }
        await tell(
            current.map {
                KioskProblem(
                    code: $0.code, effect: Self.effect($0.prevents), detail: $0.message)
            }, gone: gone)
    }

    private static func effect(_ prevented: LibraryKeeper.Problem.Prevented) -> KioskProblem.Effect
    {
        switch prevented {
        case .nothing: .unnoticed
        case .clips: .noClips
        case .all: .noPhotos
        }
    }

    /// Tells the kiosk what there is in the place of what is gone: in this order, or a press in between would
    /// be accepted.
    private func tell(_ current: [KioskProblem], gone: [String]) async {
        for problem in current { await kiosk.handle(.problem(problem)) }
        for code in gone { await kiosk.handle(.problemGone(code: code)) }
    }

    /// A clip's disk that takes longer is asked whether it answers at all; nanoseconds.
    private static let longestFileWait: Int64 = 5_000_000_000

    /// What nobody tells of: every three seconds.
    func lookAround() async {
        if looks % 10 == 0 { boardFindings = BoardSensors().findings }
        // It is open only while a clip wants its sound, and is missed before.
        if looks % 10 == 0 || missingMicrophone != nil || mayMicrophoneHaveChanged {
            mayMicrophoneHaveChanged = false
            missingMicrophone = Board.missingMicrophone(board.settings)
        }
        looks += 1
        await replaceHangingThreads()
        claims.prune()
        await lookAtLibrary()
        for output in outputs { output.rescan() }
        await showProblemsOnLamps()
        await sayOddities()
    }

    private func lookAtLibrary() async {
        let wait = movies.output.fileWaitTime
        // Once for each: the disk may have answered, or be another one by now.
        let isDoubtful =
            wait.map { $0 != doubtedWait && Clock.monotonic - $0 > Self.longestFileWait } ?? false
        if await library.look(isDoubtful: isDoubtful), isDoubtful { doubtedWait = wait }
    }

    private func showProblemsOnLamps() async {
        let current = currentProblems()
        if current == problemsOnLamps { return }
        problemsOnLamps = current
        await lamps.show(current)
    }

    /// Tells the kiosk what keeps nobody from taking photos and looks odd to guests.
    private func sayOddities() async {
        let current = oddities
        if current == saidOddities { return }
        await tell(
            current.subtracting(saidOddities).map { KioskProblem(code: $0, effect: .noticed) },
            gone: Array(saidOddities.subtracting(current)))
        saidOddities = current
    }

    private var oddities: Set<String> {
        var codes = Set(problems.all.map(\.code).filter { $0 == "display.degraded" })
        let names = board.photoButtons.isEmpty ? board.movieButtons : board.photoButtons
        let shutters = buttons.statistics.filter { names.contains($0.name) }
        if let first = shutters.first, shutters.allSatisfy({ !$0.problem.isEmpty }) {
            codes.insert("button.\(first.state.rawValue)")
        }
        return codes
    }

    private func replaceHangingThreads() async {
        let now = Clock.monotonic
        defer { lastLook = now }
        // Who has been away cannot tell whether others stood still: the whole process may have. Away for less,
        // and even the display's thread has moved within its limit.
        guard now - lastLook < 4_000_000_000 else { return }
        for screen in [screen, second?.screen].compactMap(\.self)
        where screen.replaceHangingThread() {
            log.error("the display's thread stood still; another goes on")
        }
        movies.output.findEncoder()
        if session.isThreadHanging(), await session.replaceHangingThread() {
            log.error("the camera's driver does not answer; another thread goes on")
        }
    }

    func hotplug(_ event: DeviceEvent) async {
        switch event.subsystem {
        case "video4linux": if event.action == "add" { await session.deviceAppeared() }
        case "drm":
            screen.rescan()
            second?.screen.rescan()
        // Looked for a moment later: now its files may be on their way.
        case "sound": mayMicrophoneHaveChanged = true
        case "block": await library.mediumChanged()
        default:
            buttons.rescan()
            for output in outputs { output.rescan() }
        }
    }

    /// A button's.
    func toggleTimelapse(session: String) async {
        // A press while one is being finished wants no other.
        if await timelapse.isEnding { return }
        // One that was taken up before a bracket began comes too late.
        if isBracketing { return }
        if await timelapse.isRunning {
            Task { [timelapse] in await timelapse.stop() }
        } else {
            try? await timelapse.start(session: session)
        }
    }

    /// A movie is recorded, or is not any more: for the lamp, and what the screen says of sound and room.
    func recordingChanged(_ isOn: Bool) async {
        await lamps.setRecording(isOn)
        listening?.cancel()
        listening = nil
        guard isOn else { return }
        listening = Task { [kiosk, microphone, movies] in
            while !Task.isCancelled {
                if let status = microphone?.status {
                    await kiosk.handle(.soundLevel(status.device.isEmpty ? nil : status.level))
                }
                let room = movies.output.recordableDuration.map { Double($0) / 1e9 }
                await kiosk.handle(.recordingRoom(seconds: room))
                try? await Task.sleep(for: .milliseconds(250))
            }
        }
    }
}
