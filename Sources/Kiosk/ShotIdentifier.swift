// SPDX-License-Identifier: GPL-3.0-or-later

/// One accepted press: goes with the photo from the press to its end.
public struct ShotIdentifier: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Counts up from 1 since the machine was made.
    public let number: Int64

    /// The shot with this number; unknown to a machine that did not give it out.
    public init(number: Int64) { self.number = number }

    /// Earlier presses come first.
    public static func < (left: ShotIdentifier, right: ShotIdentifier) -> Bool {
        left.number < right.number
    }

    /// For logs, for example "shot 12".
    public var description: String { "shot \(number)" }
}
