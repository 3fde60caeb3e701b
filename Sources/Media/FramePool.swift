// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxIO
internal import Synchronization

/// The camera's data about one frame.
public struct FrameInfo: Sendable {
    /// The frame's time in nanoseconds of `CLOCK_MONOTONIC`: V4L2's timestamp if that is plausible.
    public var timestamp: Int64
    /// V4L2's frame counter. Gaps are frames that the driver dropped.
    public var sequence: UInt32
    /// Bytes of the picture in its first buffer; compressed pictures vary.
    public var bytesUsed: Int

    /// Creates frame data; nothing is checked.
    public init(timestamp: Int64, sequence: UInt32, bytesUsed: Int) {
        self.timestamp = timestamp
        self.sequence = sequence
        self.bytesUsed = bytesUsed
    }
}

/// A frame that the camera has filled.
public struct DequeuedFrame: Sendable {
    /// The index of the frame's slot in the pool.
    public let index: Int
    /// The camera's data about the frame. The camera's thread replaces an implausible timestamp
    /// before it lends the frame.
    public var info: FrameInfo
    /// Whether the frame may be damaged: the driver flagged it (`V4L2_BUF_FLAG_ERROR`), or its JPEG
    /// is cut short, or it cannot be decoded.
    public var isDamaged: Bool
    /// Whether the frame counts as damaged only because it cannot be decoded by itself, as after a
    /// lost picture. The camera works.
    public var isUnshowable = false
    /// The H.264 access unit (byte stream) that the camera sent, if the picture was decoded from it
    /// and earlier ones.
    public var coded: [UInt8]?
    /// The sensor's values, if the picture was made from them.
    public var raw: RawFrame?

    /// Creates a frame; nothing is checked.
    public init(index: Int, info: FrameInfo, isDamaged: Bool) {
        self.index = index
        self.info = info
        self.isDamaged = isDamaged
    }
}

/// The frame memory of a stream: allocated when it starts, lent out frame by frame, never grown.
public final class FramePool: Sendable {
    /// The layout of the frames in all slots.
    public let description: FrameDescription
    /// The slots, in the order of ``FrameSlot/index``. They stay the same for the pool's lifetime.
    public let slots: [FrameSlot]
    private let returns: ReturnBox

    /// Creates a pool of at most 64 slots, each with as many buffers as `description.bufferSizes`.
    /// The pool signals `wake` when a frame is returned while the camera has none left to fill.
    public init(description: FrameDescription, buffers: [[FrameBuffer]], wake: WakeSignal) {
        precondition(buffers.count <= 64)
        self.description = description
        let returns = ReturnBox(wake: wake)
        self.returns = returns
        slots = buffers.enumerated().map { index, buffers in
            FrameSlot(index: index, description: description, buffers: buffers, returns: returns)
        }
    }

    /// Lends slot `index`, filled by the camera and not lent out. Camera thread only.
    public func lend(_ index: Int, _ info: FrameInfo) -> FrameLease {
        lend(DequeuedFrame(index: index, info: info, isDamaged: false))
    }

    /// Lends a slot as ``lend(_:_:)`` does, with the data from which the picture was made.
    public func lend(_ frame: DequeuedFrame) -> FrameLease {
        let slot = slots[frame.index]
        slot.fill(frame)
        return FrameLease(taking: slot)
    }

    /// Returns a bit mask of the slots whose last lease ended since the last call. Camera thread
    /// only. If `starving`, the camera has nothing left to fill and wants to be woken.
    public func takeReturned(starving: Bool) -> UInt64 {
        returns.starving.store(starving, ordering: .sequentiallyConsistent)
        return returns.mask.exchange(0, ordering: .sequentiallyConsistent)
    }
}

/// The slots whose last lease has ended. The box outlives the pool, so late leases can still end.
final class ReturnBox: Sendable {
    let mask = Atomic<UInt64>(0)
    let starving = Atomic<Bool>(false)
    let wake: WakeSignal

    init(wake: WakeSignal) { self.wake = wake }

    func giveBack(_ index: Int) {
        mask.bitwiseOr(1 << UInt64(index), ordering: .sequentiallyConsistent)
        if starving.load(ordering: .sequentiallyConsistent) { wake.signal() }
    }
}

/// The memory of one frame in a pool.
public final class FrameSlot: Sendable {
    /// The slot's index in the pool, by which the camera reports that it has filled the slot.
    public let index: Int
    /// The layout of the slot's frames.
    public let description: FrameDescription
    /// The slot's memory, one buffer per element of `description.bufferSizes`. The camera may write
    /// to it while there is no lease.
    public let buffers: [FrameBuffer]
    // The camera thread writes this while there is no lease, and lease holders only read it. The
    // handoff that passes on a lease orders the two.
    private nonisolated(unsafe) var stored: DequeuedFrame
    private let leases = Atomic<Int>(0)
    private let returns: ReturnBox

    init(index: Int, description: FrameDescription, buffers: [FrameBuffer], returns: ReturnBox) {
        self.index = index
        self.description = description
        self.buffers = buffers
        self.returns = returns
        unsafe stored = DequeuedFrame(
            index: index, info: FrameInfo(timestamp: 0, sequence: 0, bytesUsed: 0),
            isDamaged: false)
    }

    /// The camera's data about the frame; valid while a lease is held.
    public var info: FrameInfo { unsafe stored.info }
    /// The frame's ``DequeuedFrame/coded``; valid while a lease is held.
    public var coded: [UInt8]? { unsafe stored.coded }
    /// The frame's ``DequeuedFrame/raw``; valid while a lease is held.
    public var raw: RawFrame? { unsafe stored.raw }

    func fill(_ frame: DequeuedFrame) {
        precondition(leases.load(ordering: .acquiring) == 0, "slot \(index) is lent out")
        unsafe stored = frame
    }

    func pool(of buffers: [FrameBuffer]) -> FramePool {
        FramePool(description: description, buffers: [buffers], wake: returns.wake)
    }

    /// Begins a lease. The slot retains itself while there are leases, so that no lease needs to.
    func beginLease() {
        if leases.add(1, ordering: .relaxed).oldValue == 0 {
            _ = unsafe Unmanaged.passRetained(self)
        }
    }

    func endLease() {
        let left = leases.subtract(1, ordering: .acquiringAndReleasing).newValue
        precondition(left >= 0, "slot \(index) ended more leases than it had")
        if left > 0 { return }
        returns.giveBack(index)
        unsafe Unmanaged.passUnretained(self).release()
    }
}

/// The right to read one frame. The camera gets the memory back when the last lease ends.
@safe
public struct FrameLease: ~Copyable, Sendable {
    private let reference: Unmanaged<FrameSlot>

    /// The frame's slot. Its contents are valid only while this or another lease of it exists.
    public var slot: FrameSlot { unsafe reference.takeUnretainedValue() }

    init(taking slot: FrameSlot) {
        slot.beginLease()
        unsafe reference = Unmanaged.passUnretained(slot)
    }

    /// Adopts a lease that ``intoHandoff()`` turned into a pointer.
    init(adopting handoff: UnsafeRawPointer) {
        unsafe reference = Unmanaged.fromOpaque(handoff)
    }

    deinit { unsafe reference._withUnsafeGuaranteedRef { $0.endLease() } }

    /// The camera's data about the frame; does not change while the lease exists.
    public var info: FrameInfo { unsafe reference._withUnsafeGuaranteedRef { $0.info } }
    /// The slot's index in its pool.
    public var index: Int { unsafe reference._withUnsafeGuaranteedRef { $0.index } }
    /// The layout of the frame.
    public var description: FrameDescription { slot.description }

    /// Returns a second lease of the same frame.
    public borrowing func another() -> FrameLease {
        unsafe reference._withUnsafeGuaranteedRef { $0.beginLease() }
        return unsafe FrameLease(adopting: reference.toOpaque())
    }

    /// Returns a lease of a copy, in memory that the camera does not need. ``FrameSlot/raw`` is
    /// copied too if `withRaw`. Throws if memory runs out, or the frame cannot be read.
    public borrowing func copied(withRaw: Bool = true) throws -> FrameLease {
        let used = description.pixelFormat.isCompressed ? info.bytesUsed : nil
        var frame = DequeuedFrame(index: 0, info: info, isDamaged: false)
        if withRaw { frame.raw = try slot.raw?.copied() }
        return slot.pool(of: try slot.buffers.map { try $0.copied(used: used) }).lend(frame)
    }

    /// Turns the lease into a pointer. The lease still counts; the receiver adopts it once.
    consuming func intoHandoff() -> UnsafeRawPointer {
        let handoff = unsafe UnsafeRawPointer(reference.toOpaque())
        discard self
        return unsafe handoff
    }

    /// Runs `body` with the frame's pixels, mapped and synchronised for reading.
    @unsafe
    public borrowing func withPixels<Result>(
        _ body: (PixelAccess) throws -> Result
    ) throws -> Result {
        try unsafe slot.withPixels(.read, body)
    }
}

extension FrameSlot {
    /// Runs `body` with the slot's pixels. The caller holds a lease, or is filling the slot.
    @unsafe
    public func withPixels<Result>(
        _ access: FrameBuffer.Access, _ body: (PixelAccess) throws -> Result
    ) throws -> Result {
        let used = info.bytesUsed > 0 ? info.bytesUsed : nil
        return try unsafe buffers.withPixels(access, description, bytesUsed: used, body)
    }
}
