// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// The record of whether a thread runs our own code or a system call that a broken driver may never
/// finish. In such a call, another thread can abandon it and take over everything that it owned.
///
/// Between ``enter()`` and ``leave()`` the thread touches nothing that its successor would. A
/// thread that hangs in our own code cannot be abandoned, because nobody knows what it holds.
public final class BlockingCallGuard: Sendable {
    private static let ours: UInt8 = 0
    private static let kernel: UInt8 = 1
    private static let abandoned: UInt8 = 2
    private let place = Atomic<UInt8>(ours)

    /// Creates the record of a thread that runs our own code.
    public init() {}

    /// Notes that the thread enters a call that may not return.
    public func enter() { place.store(Self.kernel, ordering: .releasing) }

    /// Notes that the thread is back; returns whether it still owns its state. If not, it touches
    /// nothing more and ends.
    public func leave() -> Bool {
        place.compareExchange(
            expected: Self.kernel, desired: Self.ours, ordering: .acquiringAndReleasing
        ).exchanged
    }

    /// Whether the thread has been abandoned.
    public var isAbandoned: Bool { place.load(ordering: .acquiring) == Self.abandoned }

    /// Abandons the thread if it is in a call now; the caller then owns the thread's state. Returns
    /// whether it was.
    public func abandon() -> Bool {
        place.compareExchange(
            expected: Self.kernel, desired: Self.abandoned, ordering: .acquiringAndReleasing
        ).exchanged
    }
}
