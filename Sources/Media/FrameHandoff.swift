// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// A handoff of frames to a thread that wants only the newest. Each new frame replaces one that was
/// not taken, which returns to the camera. The handoff neither allocates nor locks.
@safe
public final class FrameHandoff: Sendable {
    /// The waiting lease, as ``FrameLease/intoHandoff()`` returned it; 0 for none.
    private let held = Atomic<UInt>(0)
    private let replaced = Atomic<Int>(0)
    private let arrival: @Sendable () -> Void

    /// Creates an empty handoff that calls `arrival` after each put, on the putting thread.
    public init(arrival: @escaping @Sendable () -> Void) { self.arrival = arrival }

    deinit { clear() }

    /// Frames that a newer one replaced before they were taken.
    public var framesReplaced: Int { replaced.load(ordering: .relaxed) }

    /// Takes over the lease and ends one that was not taken. Any thread may call this.
    public func put(_ lease: consuming FrameLease) {
        let bits = unsafe UInt(bitPattern: lease.intoHandoff())
        if Self.lease(held.exchange(bits, ordering: .acquiringAndReleasing)) != nil {
            replaced.add(1, ordering: .relaxed)
        }
        arrival()
    }

    /// Whether a frame is waiting.
    public var isWaiting: Bool { held.load(ordering: .acquiring) != 0 }

    /// Removes the waiting frame and returns its lease; `nil` if none waits. Any thread.
    public func take() -> FrameLease? {
        Self.lease(held.exchange(0, ordering: .acquiringAndReleasing))
    }

    /// Ends the lease of a waiting frame.
    public func clear() { _ = take() }

    private static func lease(_ bits: UInt) -> FrameLease? {
        guard let handoff = unsafe UnsafeRawPointer(bitPattern: bits) else { return nil }
        return unsafe FrameLease(adopting: handoff)
    }
}
