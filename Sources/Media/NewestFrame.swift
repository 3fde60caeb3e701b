// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// Hands frames from one thread to another that wants only the newest: a frame that was not taken in
/// time goes back to the camera when the next one is put. No allocation, no lock.
@safe
public final class NewestFrame: Sendable {
    /// The lease that waits, as ``FrameLease/intoHandoff()`` gave it; 0 when none does.
    private let held = Atomic<UInt>(0)
    private let replaced = Atomic<Int>(0)
    private let arrival: @Sendable () -> Void

    /// - Parameter arrival: called after each put, on the thread that put.
    public init(arrival: @escaping @Sendable () -> Void) { self.arrival = arrival }

    deinit { clear() }

    /// Frames that a newer one pushed out before anybody took them.
    public var framesReplaced: Int { replaced.load(ordering: .relaxed) }

    /// Takes the lease over, in place of one that was not taken, which ends. From any thread.
    public func put(_ lease: consuming FrameLease) {
        let bits = unsafe UInt(bitPattern: lease.intoHandoff())
        if Self.lease(held.exchange(bits, ordering: .acquiringAndReleasing)) != nil {
            replaced.add(1, ordering: .relaxed)
        }
        arrival()
    }

    /// Whether a frame is waiting to be taken.
    public var isWaiting: Bool { held.load(ordering: .acquiring) != 0 }

    /// The waiting frame, whose lease is the caller's now; `nil` when none waits. From any thread.
    public func take() -> FrameLease? {
        Self.lease(held.exchange(0, ordering: .acquiringAndReleasing))
    }

    /// Gives a waiting frame back.
    public func clear() { _ = take() }

    private static func lease(_ bits: UInt) -> FrameLease? {
        guard let handoff = unsafe UnsafeRawPointer(bitPattern: bits) else { return nil }
        return unsafe FrameLease(adopting: handoff)
    }
}
