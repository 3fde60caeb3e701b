// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// Hands frames from one thread to another that wants only the newest: a frame that was not taken in
/// time goes back to the camera when the next one is put. No allocation, no lock.
@safe
public final class NewestFrame: Sendable {
    /// A retained FrameSlot whose lease the handoff holds, as bits; 0 when empty.
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
        let slot = lease.intoSlot()
        let bits = unsafe UInt(bitPattern: Unmanaged.passRetained(slot).toOpaque())
        if endLease(of: held.exchange(bits, ordering: .acquiringAndReleasing)) {
            replaced.add(1, ordering: .relaxed)
        }
        arrival()
    }

    /// Whether a frame is waiting to be taken.
    public var isWaiting: Bool { held.load(ordering: .acquiring) != 0 }

    /// The waiting frame, whose lease is the caller's now; `nil` when none waits. From any thread.
    public func take() -> FrameLease? {
        guard let slot = Self.slot(held.exchange(0, ordering: .acquiringAndReleasing)) else {
            return nil
        }
        return FrameLease(adopting: slot)
    }

    /// Gives a waiting frame back.
    public func clear() { _ = endLease(of: held.exchange(0, ordering: .acquiringAndReleasing)) }

    private func endLease(of bits: UInt) -> Bool {
        guard let slot = Self.slot(bits) else { return false }
        slot.endLease()
        return true
    }

    private static func slot(_ bits: UInt) -> FrameSlot? {
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: bits) else { return nil }
        return unsafe Unmanaged<FrameSlot>.fromOpaque(pointer).takeRetainedValue()
    }
}
