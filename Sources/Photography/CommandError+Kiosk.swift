// SPDX-License-Identifier: GPL-3.0-or-later

package import CommandProtocol

extension CommandError {
    /// The kiosk does something else: 75.
    package static func busy(_ reason: String) -> CommandError {
        CommandError(
            "kiosk.busy", "not now: \(reason)", next: "Try again in a moment.", exit: .temporary)
    }

    /// The appliance takes no more orders: 69.
    package static let stopping = CommandError(
        "appliance.stopping", "the appliance is stopping", exit: .unavailable)

    /// Something is missing: 75.
    package static func impossible(_ reason: String) -> CommandError {
        CommandError(
            "kiosk.impossible", "not possible now: \(reason)", next: "See: vitrine status",
            exit: .temporary)
    }
}
