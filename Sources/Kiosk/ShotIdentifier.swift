// SPDX-License-Identifier: GPL-3.0-or-later

/// The identifier of an accepted press and its photo.
public struct ShotIdentifier: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number, counted from 1 since the machine was created.
    public let number: Int64

    /// An identifier. A machine does not know numbers that it has not assigned.
    public init(number: Int64) { self.number = number }

    /// Orders shots by their presses.
    public static func < (left: ShotIdentifier, right: ShotIdentifier) -> Bool {
        left.number < right.number
    }

    /// A text for logs, such as "shot 12".
    public var description: String { "shot \(number)" }
}
