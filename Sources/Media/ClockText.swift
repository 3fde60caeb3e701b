// SPDX-License-Identifier: GPL-3.0-or-later

/// Returns a time as a person reads it: "0:07", "12:05" or "1:02:05".
/// - Parameter seconds: Whole seconds, not negative.
public func clockText(seconds: Int) -> String {
    func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (minutes, rest) = (seconds / 60 % 60, padded(seconds % 60))
    if seconds < 3600 { return "\(minutes):\(rest)" }
    return "\(seconds / 3600):\(padded(minutes)):\(rest)"
}
