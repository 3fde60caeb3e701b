// SPDX-License-Identifier: GPL-3.0-or-later

internal import CommandProtocol

/// What a kiosk answers to a command that it does not obey now.
extension CommandError {
    /// It does something else: 75.
    static func busy(_ reason: String) -> CommandError {
        CommandError(
            "kiosk.busy", "not now: \(reason)", next: "Try again in a moment.", exit: .temporary)
    }

    /// Something is missing: 75.
    static func impossible(_ reason: String) -> CommandError {
        CommandError(
            "kiosk.impossible", "not possible now: \(reason)", next: "See: vitrine status",
            exit: .temporary)
    }
}
