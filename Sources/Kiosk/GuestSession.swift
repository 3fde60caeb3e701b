// SPDX-License-Identifier: GPL-3.0-or-later

/// One guest's visit: goes with every photo taken in it.
public struct SessionNumber: Hashable, Comparable, Sendable {
    /// Counts up from 1 since the machine was made.
    public let number: Int64

    /// The visit with this number, whether it has been or not.
    public init(number: Int64) { self.number = number }

    /// The earlier visit is less.
    public static func < (left: SessionNumber, right: SessionNumber) -> Bool {
        left.number < right.number
    }
}

/// Whether a guest is there: from the first accepted press until nobody has pressed anything for a while,
/// or somebody says that they are done.
///
///     nobody ──accepted press──▶ guest ──idle, or end──▶ nobody
struct GuestSession: Sendable {
    private(set) var current: SessionNumber?
    private var last: Int64 = 0
    private var lastPress: Int64 = 0

    /// The session of a photo that is taken now.
    mutating func begin(at now: Int64) -> SessionNumber {
        lastPress = now
        if let current { return current }
        last += 1
        let session = SessionNumber(number: last)
        current = session
        return session
    }

    /// Somebody is there.
    mutating func touch(at now: Int64) { lastPress = now }

    /// Answers whether there was one.
    mutating func end() -> Bool { current.take() != nil }

    /// When it ends by itself.
    func deadline(idle: Int64) -> Int64? { current.map { _ in lastPress + idle } }
}
