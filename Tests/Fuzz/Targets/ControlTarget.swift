// SPDX-License-Identifier: GPL-3.0-or-later

/// The control of the fuzz runs: a fault behind a word that no corpus holds. A run that does not find it finds
/// nothing.
func takeControl(_ bytes: [UInt8]) {
    var found = 0
    for byte in "kiosk".utf8 {
        guard found < bytes.count, bytes[found] == byte else { return }
        found += 1
    }
    fatalError("the control's fault")
}
