// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// Hands frames on in their order, as many as it has places: one thread puts, one takes. No allocation, no lock.
@safe
public final class FrameQueue: Sendable {
    /// More frames a queue cannot hold.
    public static let mostPlaces = 8

    /// Leases as ``FrameLease/intoHandoff()`` gave them; 0 where none is.
    private let places = InlineArray<8, Atomic<UInt>> { _ in Atomic(0) }
    // Each is moved on by one of the two threads only.
    private let nextPut = Atomic<Int>(0)
    private let nextTake = Atomic<Int>(0)
    /// Frames that it holds at the most.
    public let capacity: Int

    /// - Parameter capacity: 1 to ``mostPlaces``.
    public init(capacity: Int) {
        precondition((1...Self.mostPlaces).contains(capacity), "a queue of \(capacity) frames")
        self.capacity = capacity
    }

    deinit { clear() }

    /// Takes the lease over.
    ///
    /// - Returns: `false` when there is no place: the lease has ended then.
    public func put(_ lease: consuming FrameLease) -> Bool {
        let index = nextPut.load(ordering: .relaxed)
        guard places[index].load(ordering: .acquiring) == 0 else { return false }
        places[index].store(
            unsafe UInt(bitPattern: lease.intoHandoff()), ordering: .releasing)
        nextPut.store((index + 1) % capacity, ordering: .relaxed)
        return true
    }

    /// The oldest frame, whose lease is the caller's now; `nil` when none waits.
    public func take() -> FrameLease? {
        let index = nextTake.load(ordering: .relaxed)
        let bits = places[index].exchange(0, ordering: .acquiringAndReleasing)
        guard let handoff = unsafe UnsafeRawPointer(bitPattern: bits) else { return nil }
        nextTake.store((index + 1) % capacity, ordering: .relaxed)
        return unsafe FrameLease(adopting: handoff)
    }

    /// Gives all that wait back. The taker's thread only.
    public func clear() {
        while take() != nil {}
    }
}
