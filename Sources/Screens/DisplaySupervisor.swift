// SPDX-License-Identifier: GPL-3.0-or-later

package import Capture
package import Display
package import Health
package import LinuxIO
internal import Logging
package import Media

/// Keeps the camera's picture on one display: follows the display's events, renegotiates the stream
/// when the display needs it, and raises the display's problems.
package actor DisplaySupervisor {
    /// The differences between the displays of a kiosk.
    package struct Role: Sendable {
        /// The prefix of its problem codes, for example `display`.
        package var code: String
        /// The configured mode, for example `1280x720`; another mode is logged.
        package var mode: String
        /// The configuration key of ``mode``, for the log.
        package var modeKey: String
        /// The index among the session's previews.
        package var index: Int
        package var lostAdvice: String
        /// The advice for a video that cannot be shown.
        package var darkAdvice: String
        /// The beginning of the message about a video that cannot be shown.
        package var darkMessage: String
        /// Whether an overlay that cannot be drawn is a problem.
        package var overlayMatters: Bool

        /// The display with the kiosk's texts.
        package static func main(mode: String) -> Role {
            Role(
                code: "display", mode: mode, modeKey: "display.mode", index: 0,
                lostAdvice: "look at its plug and its power; see: vitrine doctor",
                darkAdvice: "choose another pixel_format or size of the camera's: vitrine devices",
                darkMessage: "the video cannot be shown", overlayMatters: true)
        }

        /// The display with the camera's picture alone.
        package static func second(mode: String) -> Role {
            Role(
                code: "second_display", mode: mode,
                modeKey: "second_display.mode", index: 1,
                lostAdvice: "look at its plug and its power, and at [second_display]",
                darkAdvice:
                    "choose another second_display.mode or size of the camera's: vitrine devices",
                darkMessage: "the video cannot be shown on the second display",
                overlayMatters: false)
        }
    }

    private let executor: ThreadExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }
    package nonisolated let screen: Screen
    package nonisolated let preview: PreviewOutput
    private let role: Role
    private let content: any DisplayContent
    private let session: CaptureSession
    private let problems: ProblemBoard
    private let log: Logger
    private var retry = PreviewRetryState()
    /// The connector, mode and size in use; `nil` without a display.
    package private(set) var connected: (connector: String, mode: String, size: Dimensions)?
    private var isSettled = false
    private var settledWaiters: [CheckedContinuation<Void, Never>] = []

    /// Supervises `screen` once ``run()`` is called, on an executor shared with the appliance.
    package init(
        _ screen: Screen, _ role: Role, _ content: any DisplayContent, _ session: CaptureSession,
        _ problems: ProblemBoard, executor: ThreadExecutor
    ) {
        self.screen = screen
        self.role = role
        self.content = content
        self.session = session
        self.problems = problems
        self.executor = executor
        preview = PreviewOutput(target: screen)
        log = Logger(label: role.code)
    }

    /// Follows the display's events until the screen is closed.
    package func run() async {
        for await event in screen.events { await handle(event) }
    }

    /// Returns once a display is connected or known to be missing.
    package func settled() async {
        if isSettled { return }
        await withCheckedContinuation { settledWaiters.append($0) }
    }

    /// Stops trying, and ends ``settled()``; the screen is closed by its owner.
    package func stop() {
        retry.stopTrying()
        settle()
    }

    package func handle(_ event: Screen.Event) async {
        switch event {
        case .ready(let connector, let mode, let size):
            let isNew = connected == nil
            connected = (connector, mode, size)
            if isNew { problems.clear(prefix: "\(role.code).") }
            log.notice("connected", metadata: ["connector": "\(connector)", "mode": "\(mode)"])
            warnOfOtherMode(mode)
            await content.displayAppeared(size)
            if isNew { await showStream() }
            settle()
        case .lost(let error):
            if connected != nil { retry.went() }
            connected = nil
            let isDenied = error.code == .notPermitted
            problems.clear(prefix: "\(role.code).")
            raise(isDenied ? "denied" : "missing", "\(error)", role.lostAdvice)
            log.error("no display", metadata: ["reason": "\(error)"])
            await content.displayDisappeared()
            settle()
        case .overlayFailed(let error):
            log.error("no overlay", metadata: ["reason": "\(error)"])
            if role.overlayMatters {
                raise("overlay", "\(error)", "see how much memory is free: free -m")
            }
        case .overlayShown: problems.clear(prefix: "\(role.code).overlay")
        case .videoFailed(let error):
            retry.failed()
            await videoIsMissing("\(error)")
        case .videoShown: await videoIsShown()
        case .playbackFailed(let error):
            log.error("no playback", metadata: ["reason": "\(error)"])
        case .standbyRefused(let error):
            log.warning("no standby", metadata: ["reason": "\(error)"])
        }
    }

    package func streamBegan(_ stream: RunningStream) async {
        guard connected != nil else { return }
        switch retry.began(path(of: stream)) {
        case .shown: await videoIsShown()
        case .renegotiate: await session.renegotiate(for: preview)
        case .dark:
            let reason = stream.refusals.last ?? "no path was found"
            await videoIsMissing("\(role.darkMessage): \(reason)")
        case .unchanged: break
        }
    }

    package func streamInterrupted() async { await content.videoChanged(isShown: false) }

    /// How the camera's frames reach the display now; `nil` if they do not.
    package func shownPath() async -> PreviewPath? {
        guard connected != nil, !problems.contains("\(role.code).degraded") else { return nil }
        return await session.running.flatMap(path)
    }

    private func path(of stream: RunningStream) -> PreviewPath? {
        let paths = stream.previewPaths
        return paths.indices.contains(role.index) ? paths[role.index] : nil
    }

    /// A display is connected. A stream that began without it, or that was shown on a display that
    /// is gone, is renegotiated.
    private func showStream() async {
        let running = await session.running
        guard retry.came((running.flatMap(path), running != nil)) else { return }
        await session.renegotiate(for: preview)
    }

    private func videoIsShown() async {
        problems.clear(prefix: "\(role.code).degraded")
        retry.succeeded()
        await content.videoChanged(isShown: true)
    }

    private func videoIsMissing(_ reason: String) async {
        if raise("degraded", reason, role.darkAdvice) {
            log.error("no video", metadata: ["reason": "\(reason)"])
        }
        retry.tryLater { [weak self] in await self?.tryAgain() }
        await content.videoChanged(isShown: false)
    }

    private func tryAgain() async {
        retry.attempted()
        if connected != nil { await session.renegotiate(for: preview) }
    }

    /// Raises a problem; returns whether it is new.
    @discardableResult
    private func raise(_ word: String, _ reason: String, _ advice: String) -> Bool {
        let text = Explanation(reason, otherwise: advice).text
        return problems.raise("\(role.code).\(word)", text, .degraded)
    }

    private func settle() {
        isSettled = true
        for waiter in settledWaiters { waiter.resume() }
        settledWaiters = []
    }

    /// A kiosk in another mode than the configured one works, but nobody would know why.
    private func warnOfOtherMode(_ mode: String) {
        guard let wanted = Dimensions(role.mode), !mode.hasPrefix("\(wanted)@") else { return }
        log.warning(
            "the display has no such mode",
            metadata: ["wanted": "\(wanted)", "next": "see \(role.modeKey), and: vitrine devices"])
    }
}
