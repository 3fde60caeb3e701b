// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import CommandProtocol
internal import Display
internal import Health
internal import Logging
internal import Media
internal import Settings

extension Appliance {
    /// What the second display's thread tells. What the guests do goes on without it.
    func secondDisplayChanged(_ event: Screen.Event) async {
        guard let second else { return }
        switch event {
        case .ready(let connector, let mode, let size):
            let isNew = second.appeared(connector, mode, size)
            log.notice(
                "second display", metadata: ["connector": "\(connector)", "mode": "\(mode)"])
            warn(ofOtherMode: mode, than: board.settings.secondDisplay.mode, "second_display.mode")
            guard isNew else { break }
            problems.clear(prefix: "second_display.")
            let running = await session.running
            // What is just being agreed is looked at when the stream begins.
            guard secondShowing.came((running.flatMap(path), running != nil)) else { break }
            await session.renegotiate(for: second.preview)
        case .lost(let error):
            if second.shown != nil { secondShowing.went() }
            second.disappeared()
            let isDenied = error.code == .notPermitted
            raise(
                isDenied ? "second_display.denied" : "second_display.missing", error,
                next: "look at its plug and its power, and at [second_display]")
        case .videoFailed(let error):
            secondShowing.failed()
            secondIsDark(error)
        case .videoShown: secondIsShown()
        case .overlayFailed(let error), .standbyRefused(let error):
            log.warning("second display", metadata: ["reason": "\(error)"])
        case .overlayShown: break
        }
    }

    /// The camera's stream has begun: on the second display, too, if it is there.
    func showOnSecondDisplay(_ stream: RunningStream) async {
        guard let second, second.shown != nil else { return }
        switch secondShowing.began(path(stream)) {
        case .shown: secondIsShown()
        case .agreeAnew: await session.renegotiate(for: second.preview)
        case .dark:
            let reason = stream.refusals.last ?? "no way was found"
            secondIsDark(
                DisplayError(
                    .unsupported, "the video cannot be shown on the second display: \(reason)"))
        case .unchanged: break
        }
    }

    private func secondIsShown() {
        second?.setHasVideo(true)
        problems.clear(prefix: "second_display.degraded")
        secondShowing.succeeded()
    }

    private func secondIsDark(_ error: DisplayError) {
        second?.setHasVideo(false)
        raise(
            "second_display.degraded", error,
            next: "choose another second_display.mode or size of the camera's: vitrine devices")
        secondShowing.tryLater { [weak self] in await self?.trySecondAgain() }
    }

    private func trySecondAgain() async {
        secondShowing.attempted()
        if let second, second.shown != nil { await session.renegotiate(for: second.preview) }
    }

    private func path(_ stream: RunningStream) -> PreviewPath? {
        stream.previewPaths.count > 1 ? stream.previewPaths[1] : nil
    }

    private func raise(_ code: String, _ error: DisplayError, next: String) {
        problems.clear(prefix: "second_display.")
        problems.raise(code, Explanation("\(error)", otherwise: next).text, .degraded)
        log.error("second display", metadata: ["reason": "\(error)"])
    }

    var secondDisplayStatus: StatusReport.Preview? {
        get async {
            guard let second else { return nil }
            var status = StatusReport.Preview(second.screen.statistics)
            (status.connector, status.mode) = second.shown ?? ("", "")
            status.framesDropped = [
                "undecodable": second.screen.statistics.framesUndecodable,
                "replaced": second.preview.frames.framesReplaced,
            ]
            let isShown =
                second.shown != nil
                && !problems.all.contains { $0.code == "second_display.degraded" }
            if isShown, let running = await session.running {
                status.path = path(running)?.rawValue ?? ""
            }
            return status
        }
    }
}
