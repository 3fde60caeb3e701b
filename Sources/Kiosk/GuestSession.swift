// SPDX-License-Identifier: GPL-3.0-or-later

/// The number of a guest's visit. Every photo taken during the visit carries it.
public struct SessionNumber: Hashable, Comparable, Sendable {
    /// The number, counted from 1 since the machine was created.
    public let number: Int64

    /// A number, whether or not such a visit took place.
    public init(number: Int64) { self.number = number }

    /// Orders visits by time.
    public static func < (left: SessionNumber, right: SessionNumber) -> Bool {
        left.number < right.number
    }
}

/// The current guest's session. It starts with the first accepted press and ends when nobody has
/// pressed anything for a while, or when somebody ends it.
///
///     nobody ──accepted press──▶ guest ──idle, or end──▶ nobody
struct GuestSession: Sendable {
    private(set) var current: SessionNumber?
    private var last: Int64 = 0
    private var lastPress: Int64 = 0

    mutating func begin(at now: Int64) -> SessionNumber {
        lastPress = now
        if let current { return current }
        last += 1
        let session = SessionNumber(number: last)
        current = session
        return session
    }

    /// Records a press, which postpones the session's end.
    mutating func touch(at now: Int64) { lastPress = now }

    /// Ends the session. Returns whether there was one.
    mutating func end() -> Bool { current.take() != nil }

    func deadline(idle: Int64) -> Int64? { current.map { _ in lastPress + idle } }
}
