// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import CommandProtocol
internal import Display
internal import Health
internal import Logging
internal import Media

extension Appliance {
    /// What the second display's thread tells. What the guests do goes on without it.
    func secondDisplayChanged(_ event: Screen.Event) async {
        guard let second else { return }
        switch event {
        case .ready(let connector, let mode, let size):
            let isNew = second.appeared(connector, mode, size)
            problems.clear(prefix: "second_display.")
            log.notice(
                "second display", metadata: ["connector": "\(connector)", "mode": "\(mode)"])
            // Nothing was agreed with it yet, or with one that has gone.
            if isNew, await session.running != nil { await session.renegotiate() }
        case .lost(let error):
            second.disappeared()
            let isDenied = error.code == .notPermitted
            raise(
                isDenied ? "second_display.denied" : "second_display.missing", error,
                next: "look at its plug and its power, and at [second_display]")
        case .videoFailed(let error), .overlayFailed(let error):
            raise(
                "second_display.degraded", error,
                next: "choose another second_display.mode or size of the camera's: vitrine devices")
        case .videoShown, .overlayShown: problems.clear(prefix: "second_display.degraded")
        case .standbyRefused(let error):
            log.warning("second display", metadata: ["reason": "\(error)"])
        }
    }

    /// The camera's stream has begun: on the second display, too, if it is there.
    func showOnSecondDisplay(_ stream: RunningStream) {
        guard let second else { return }
        second.setHasCamera(true)
        guard second.shown != nil, path(stream) == nil else { return }
        raise(
            "second_display.degraded",
            DisplayError(
                .unsupported,
                "the video cannot be shown on the second display: \(stream.refusals.last ?? "no way was found")"
            ),
            next: "choose another second_display.mode or size of the camera's: vitrine devices")
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
