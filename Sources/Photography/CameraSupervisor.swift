// SPDX-License-Identifier: GPL-3.0-or-later

package import Capture
package import CommandProtocol
package import Devices
package import Health
package import Kiosk
package import LinuxIO
internal import Logging
internal import Media
package import Recording
package import Screens
internal import Settings
internal import Synchronization

/// Runs the camera: starts it, follows what happens to it, and changes to another one.
package actor CameraSupervisor {
    private let executor: ThreadExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }
    package nonisolated let session: CaptureSession
    package nonisolated let controls: CameraControlStore
    private let board: Board
    private let processor: PhotoProcessor
    private let kiosk: KioskRunner
    private let problems: ProblemBoard
    private let displays: [DisplaySupervisor]
    private let timelapse: TimelapseRecorder
    private let log = Logger(label: "camera")
    private nonisolated let bracketing = Atomic(false)
    private nonisolated let (switches, switchInput) = AsyncStream.makeStream(of: Void.self)
    private var hasStarted = false
    private var starting: Task<Void, Never>?
    /// Sets the remembered controls of the camera that has begun to stream.
    private var applying: Task<Void, Never>?
    /// The begin of the stream whose camera got its remembered controls.
    private var appliedStream: Int64?

    package init(
        _ session: CaptureSession, _ board: Board, _ controls: CameraControlStore,
        _ processor: PhotoProcessor, _ kiosk: KioskRunner, _ problems: ProblemBoard,
        displays: [DisplaySupervisor], timelapse: TimelapseRecorder, executor: ThreadExecutor
    ) {
        self.session = session
        self.board = board
        self.controls = controls
        self.processor = processor
        self.kiosk = kiosk
        self.problems = problems
        self.displays = displays
        self.timelapse = timelapse
        self.executor = executor
    }

    /// Follows ``switchToNext()`` and the notifications until the task is cancelled. No
    /// notification is repeated, so they are subscribed before the camera starts.
    package func run(_ notifications: AsyncStream<CaptureSession.Notification>) async {
        async let switching: Void = followSwitches()
        for await notification in notifications { await handle(notification) }
        await switching
    }

    /// Starts the camera, once.
    package func start() {
        if hasStarted { return }
        hasStarted = true
        starting = Task { [session] in _ = try? await session.startRunning() }
    }

    /// Cancels what is still under way; the session is closed by its owner.
    package func stop() {
        starting?.cancel()
        applying?.cancel()
        switchInput.finish()
    }

    // MARK: notifications

    private func handle(_ notification: CaptureSession.Notification) async {
        switch notification {
        case .didStartRunning(let stream), .interruptionEnded(let stream):
            // This comes before any waiting: whatever is recorded from now on names the camera.
            board.camera.runs(as: stream.identity.name)
            logStream(stream)
            for code in problems.clear(prefix: "camera.") {
                await kiosk.handle(.problemGone(code: code))
            }
            await processor.setCamera(board.camera.label)
            applyControls(of: stream)
            await kiosk.setFrameSize(bytes: stream.stream.frame.bufferSizes.reduce(0, +))
            for display in displays.dropFirst() { await display.streamBegan(stream) }
            await kiosk.handle(.previewStarted)
            await timelapse.begin()
            await displays.first?.streamBegan(stream)
        case .wasInterrupted(let error), .runtimeError(let error):
            log.error("camera interrupted", metadata: ["reason": "\(error)"])
            for display in displays { await display.streamInterrupted() }
            let (code, explanation) = (error.problemCode, error.explanation)
            let problem = ProblemList.Problem(
                code: code, message: explanation.text, severity: .failed)
            let gone = problems.replace(prefix: "camera.", with: [problem]).gone
            // The screen has no room for the next step below its advice. The new problem comes
            // first, or a press in between would be accepted.
            await kiosk.handle(
                .problem(
                    KioskProblem(code: code, effect: .noPreview, detail: explanation.reason)))
            for code in gone { await kiosk.handle(.problemGone(code: code)) }
        case .didStopRunning: break
        }
    }

    private func logStream(_ stream: RunningStream) {
        log.notice(
            "camera running",
            metadata: [
                "camera": "\(stream.identity.name)",
                "format": "\(stream.stream.frame.dimensions) \(stream.stream.frame.pixelFormat)",
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
    }

    private func applyControls(of stream: RunningStream) {
        guard stream.begin != appliedStream else { return }
        appliedStream = stream.begin
        // One follows the other, because a request that is broken off counts as one that hangs.
        applying = Task { [controls, before = applying] in
            await before?.value
            await controls.apply(to: stream.identity)
        }
    }

    // MARK: several cameras

    /// Changes to the next configured camera soon; a button does this. Any thread.
    package nonisolated func switchToNext() { switchInput.yield() }

    private func followSwitches() async {
        for await _ in switches {
            // A press from before a bracket is too late.
            if !isBracketing { try? await use(named: nil) }
        }
    }

    /// Changes to the configured camera `name`, or the next one, while everything else runs. The
    /// preview keeps its last picture until the new camera delivers. Throws 64 if there is no such
    /// camera.
    package func use(named name: String?) async throws {
        let next = try camera(named: name)
        if next.id == board.camera.id { return }
        try await session.configure { [board] session in try board.use(next, in: &session) }
        board.camera.choose(next)
        await processor.setCamera(board.camera.label)
        log.notice("camera chosen", metadata: ["camera": "\(next.id)"])
    }

    /// Changes to a camera by command: not while a guest is taking something, and not to a camera
    /// that is missing or that another program uses.
    package func useByCommand(_ name: String?) async throws {
        try await refuseSwitchIfBusy()
        let next = try camera(named: name)
        if next.id != board.camera.id {
            try await requireAvailable(next)
            // The search may have taken as long as drivers take to answer.
            try await refuseSwitchIfBusy()
        }
        try await use(named: next.id)
    }

    private func camera(named name: String?) throws(CommandError) -> CameraSettings {
        guard let next = board.camera.other(named: name) else {
            let names = board.settings.cameras.map(\.id).joined(separator: ", ")
            throw CommandError(
                "camera.unknown",
                name.map { "there is no camera \"\($0)\"" } ?? "there is no other camera",
                next: names.isEmpty ? "The configuration has none." : "There is: \(names)",
                exit: .usage)
        }
        return next
    }

    private func refuseSwitchIfBusy() async throws(CommandError) {
        if let reason = await kiosk.refusalOfAnotherCamera { throw CommandError.busy(reason) }
        try refuseDuringBracket()
    }

    private func requireAvailable(_ camera: CameraSettings) async throws(CommandError) {
        do throws(CaptureError) {
            _ = try await board.input(camera).device.search(isWanted: true)
        } catch {
            // The device is busy without another holder: our session is releasing it, or uses it
            // under another name.
            if error.code == .busy, error.holders.isEmpty { return }
            let problem = error.explanation
            throw CommandError(
                error.problemCode, "the camera stays: \(problem.reason)",
                next: problem.next ?? "", exit: .temporary)
        }
    }

    // MARK: brackets

    package nonisolated var isBracketing: Bool { bracketing.load(ordering: .acquiring) }

    /// Reserves the camera for an exposure bracket; returns whether it was free.
    package nonisolated func beginBracket() -> Bool {
        bracketing.compareExchange(
            expected: false, desired: true, ordering: .acquiringAndReleasing
        ).exchanged
    }

    package nonisolated func endBracket() { bracketing.store(false, ordering: .releasing) }

    /// Throws ``CommandError/busy(_:)`` while an exposure bracket uses the camera.
    package nonisolated func refuseDuringBracket() throws(CommandError) {
        if isBracketing { throw CommandError.busy("photos of other exposures are being taken") }
    }
}
