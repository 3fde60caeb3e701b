// SPDX-License-Identifier: GPL-3.0-or-later

internal import Input
internal import Media

/// A button and its state in the loop. It has hardware while `debouncer` is set.
struct WatchedButton {
    let configuration: ButtonConfiguration
    let contact: Contact
    var debouncer: Debouncer?
    var health: ContactHealth
    /// The frame reserved at an edge that is not yet a press or noise.
    var reservation: FrameReservation?
    var presses = 0
    var earlierBounces = 0
    var problem = ""

    var isVirtual: Bool { configuration.source == .virtual }

    var statistics: ButtonStatistics {
        let state: ButtonStatistics.State =
            switch (debouncer, health.state) {
            case (nil, _): isVirtual ? .ready : .missing
            case (_, .stuck): .stuck
            case (_, .noisy): .noisy
            case (let debouncer?, .fine): debouncer.isPressed ? .pressed : .ready
            }
        return ButtonStatistics(
            name: configuration.name, presses: presses,
            bounces: earlierBounces + (debouncer?.bounces ?? 0), state: state,
            problem: problem(in: state))
    }

    private func problem(in state: ButtonStatistics.State) -> String {
        switch state {
        case .missing: problem
        case .stuck:
            "held for more than \(configuration.stuckSeconds) s; next: free its key, look for "
                + "a short circuit, and see active_low"
        case .noisy:
            "more edges than a hand makes; next: check its contact and cable, or raise "
                + "debounce_ms"
        case .ready, .pressed: ""
        }
    }
}
