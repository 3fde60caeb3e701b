// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// Where a thread is: in our code, or in a stay in the kernel, out of which a broken driver may never let
/// it. Such a thread can be given up, and all that it had to itself is another's.
///
/// Between ``enter()`` and ``leave()`` the thread touches nothing that its successor would: only then can
/// it be given up. One that stands still in our own code cannot, for nobody knows what it holds.
public final class KernelBoundary: Sendable {
    private static let ours: UInt8 = 0
    private static let kernel: UInt8 = 1
    private static let abandoned: UInt8 = 2
    private let place = Atomic<UInt8>(ours)

    /// The thread is in our own code.
    public init() {}

    /// The thread may be kept from now on.
    public func enter() { place.store(Self.kernel, ordering: .releasing) }

    /// The thread is back.
    ///
    /// - Returns: whether it still is the owner of what it had. If not, it touches nothing more and ends.
    public func leave() -> Bool {
        place.compareExchange(
            expected: Self.kernel, desired: Self.ours, ordering: .acquiringAndReleasing
        ).exchanged
    }

    /// Whether the thread has been given up.
    public var isAbandoned: Bool { place.load(ordering: .acquiring) == Self.abandoned }

    /// Gives the thread up, if it is in the kernel now.
    ///
    /// - Returns: whether it was, and all that it had is the caller's.
    public func abandon() -> Bool {
        place.compareExchange(
            expected: Self.kernel, desired: Self.abandoned, ordering: .acquiringAndReleasing
        ).exchanged
    }
}
