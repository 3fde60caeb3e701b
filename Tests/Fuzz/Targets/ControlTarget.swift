// SPDX-License-Identifier: GPL-3.0-or-later

/// The control of the fuzz runs: a fault behind a word that no corpus contains. A run that does not
/// find it would not find other faults either.
func takeControl(_ bytes: [UInt8]) {
    var found = 0
    for byte in "kiosk".utf8 {
        guard found < bytes.count, bytes[found] == byte else { return }
        found += 1
    }
    fatalError("the control's fault")
}
