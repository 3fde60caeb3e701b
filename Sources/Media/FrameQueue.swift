// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// A bounded queue of frames from one thread to another. It neither allocates nor locks.
@safe
public final class FrameQueue: Sendable {
    /// The largest possible capacity.
    public static let mostPlaces = 8

    /// The waiting leases, as ``FrameLease/intoHandoff()`` returned them; 0 in a free place.
    private let places = InlineArray<8, Atomic<UInt>> { _ in Atomic(0) }
    // Only the putting thread advances `nextPut`, and only the taking thread `nextTake`.
    private let nextPut = Atomic<Int>(0)
    private let nextTake = Atomic<Int>(0)
    /// The largest number of waiting frames.
    public let capacity: Int

    /// Creates an empty queue with a capacity of 1 to ``mostPlaces``.
    public init(capacity: Int) {
        precondition((1...Self.mostPlaces).contains(capacity), "a queue of \(capacity) frames")
        self.capacity = capacity
    }

    deinit { clear() }

    /// Appends a frame and takes over its lease. Returns `false` if the queue is full: the lease
    /// has then ended. Only the putting thread calls this.
    public func put(_ lease: consuming FrameLease) -> Bool {
        let index = nextPut.load(ordering: .relaxed)
        guard places[index].load(ordering: .acquiring) == 0 else { return false }
        places[index].store(
            unsafe UInt(bitPattern: lease.intoHandoff()), ordering: .releasing)
        nextPut.store((index + 1) % capacity, ordering: .relaxed)
        return true
    }

    /// Removes the oldest frame and passes its lease to the caller; `nil` if none waits. Only the
    /// taking thread calls this.
    public func take() -> FrameLease? {
        let index = nextTake.load(ordering: .relaxed)
        let bits = places[index].exchange(0, ordering: .acquiringAndReleasing)
        guard let handoff = unsafe UnsafeRawPointer(bitPattern: bits) else { return nil }
        nextTake.store((index + 1) % capacity, ordering: .relaxed)
        return unsafe FrameLease(adopting: handoff)
    }

    /// Ends the leases of all waiting frames. Only the taking thread calls this.
    public func clear() {
        while take() != nil {}
    }
}
