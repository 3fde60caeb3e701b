// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxIO
internal import Synchronization

/// What the camera said of one frame.
public struct FrameInfo: Sendable {
    /// Nanoseconds of `CLOCK_MONOTONIC`: what V4L2 stamped, where that can be.
    public var timestamp: Int64
    /// V4L2's frame counter; gaps are frames that the driver dropped.
    public var sequence: UInt32
    /// Bytes of the picture in its first buffer (compressed formats vary).
    public var bytesUsed: Int

    /// Of the given parts; nothing is checked.
    public init(timestamp: Int64, sequence: UInt32, bytesUsed: Int) {
        self.timestamp = timestamp
        self.sequence = sequence
        self.bytesUsed = bytesUsed
    }
}

/// A frame that the camera has filled.
public struct DequeuedFrame: Sendable {
    /// Its slot in the pool.
    public let index: Int
    /// Of this frame; the camera's thread replaces an implausible timestamp before it lends it.
    public var info: FrameInfo
    /// The driver says that the picture may be damaged (`V4L2_BUF_FLAG_ERROR`), or it is no whole JPEG.
    public var isDamaged: Bool
    /// It is damaged only because it refers to another picture that was: the camera is well.
    public var isUnshowable = false
    /// What the camera sent, where the picture was decoded from it and the pictures before: an access unit of H.264 as
    /// a byte stream.
    public var coded: [UInt8]?
    /// What the camera's sensor measured, where the picture was made of that.
    public var raw: RawFrame?

    /// Of the given parts; nothing is checked.
    public init(index: Int, info: FrameInfo, isDamaged: Bool) {
        self.index = index
        self.info = info
        self.isDamaged = isDamaged
    }
}

/// A stream's frame memory: allocated at its start, lent out frame by frame, never grown.
public final class FramePool: Sendable {
    /// The shape of every slot's frames.
    public let description: FrameDescription
    /// A slot's place here is its ``FrameSlot/index``. The same ones as long as the pool lives.
    public let slots: [FrameSlot]
    private let returns: ReturnBox

    /// - Parameters:
    ///   - buffers: of each slot, as many as `description.bufferSizes` has. At most 64 slots.
    ///   - wake: signalled when a frame comes back while the camera has none left to fill.
    public init(description: FrameDescription, buffers: [[FrameBuffer]], wake: WakeSignal) {
        precondition(buffers.count <= 64)
        self.description = description
        let returns = ReturnBox(wake: wake)
        self.returns = returns
        slots = buffers.enumerated().map { index, buffers in
            FrameSlot(index: index, description: description, buffers: buffers, returns: returns)
        }
    }

    /// Lends slot `index`, filled by the camera. Camera thread only; the slot must not be lent out.
    public func lend(_ index: Int, _ info: FrameInfo) -> FrameLease {
        lend(DequeuedFrame(index: index, info: info, isDamaged: false))
    }

    /// The same, with what the picture was made of.
    public func lend(_ frame: DequeuedFrame) -> FrameLease {
        let slot = slots[frame.index]
        slot.fill(frame)
        return FrameLease(taking: slot)
    }

    /// The slots whose last lease has ended since the last call, one bit each. Camera thread only.
    ///
    /// - Parameter starving: whether the camera has nothing left to fill and wants to be woken.
    public func takeReturned(starving: Bool) -> UInt64 {
        returns.starving.store(starving, ordering: .sequentiallyConsistent)
        return returns.mask.exchange(0, ordering: .sequentiallyConsistent)
    }
}

/// Where ended leases leave their slot's number: outlives the pool, so that a late one goes nowhere.
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

/// One frame's memory within a pool.
public final class FrameSlot: Sendable {
    /// Its place in the pool's slots; a camera names the frame by it when it has filled it.
    public let index: Int
    /// The pool's: the shape of the frames that are filled in here.
    public let description: FrameDescription
    /// As many as the description's `bufferSizes`. Without a lease the camera may
    /// be writing to them.
    public let buffers: [FrameBuffer]
    // Written by the camera thread while nobody holds a lease, read by lease holders only; the
    // handoff that passes a lease on orders the two.
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

    /// Valid while a lease is held.
    public var info: FrameInfo { unsafe stored.info }
    /// As ``DequeuedFrame/coded``; valid while a lease is held.
    public var coded: [UInt8]? { unsafe stored.coded }
    /// As ``DequeuedFrame/raw``; valid while a lease is held.
    public var raw: RawFrame? { unsafe stored.raw }

    func fill(_ frame: DequeuedFrame) {
        precondition(leases.load(ordering: .acquiring) == 0, "slot \(index) is lent out")
        unsafe stored = frame
    }

    /// A pool of one frame like this one.
    func pool(of buffers: [FrameBuffer]) -> FramePool {
        FramePool(description: description, buffers: [buffers], wake: returns.wake)
    }

    /// Another lease begins. While there is one the slot keeps itself alive, so that no lease needs to.
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

/// The right to look at one frame. When the last lease ends the camera gets the memory back.
@safe
public struct FrameLease: ~Copyable, Sendable {
    private let reference: Unmanaged<FrameSlot>

    /// The memory; what is in it stays only as long as this or another lease of it does.
    public var slot: FrameSlot { unsafe reference.takeUnretainedValue() }

    init(taking slot: FrameSlot) {
        slot.beginLease()
        unsafe reference = Unmanaged.passUnretained(slot)
    }

    /// Adopts a lease that a handoff carried as ``intoHandoff()`` gave it.
    init(adopting handoff: UnsafeRawPointer) {
        unsafe reference = Unmanaged.fromOpaque(handoff)
    }

    deinit { unsafe reference._withUnsafeGuaranteedRef { $0.endLease() } }

    /// As it was given to ``FramePool/lend(_:)``; does not change while the lease lasts.
    public var info: FrameInfo { unsafe reference._withUnsafeGuaranteedRef { $0.info } }
    /// The slot's place in its pool.
    public var index: Int { unsafe reference._withUnsafeGuaranteedRef { $0.index } }
    /// The shape of the frame, as of all frames of its pool.
    public var description: FrameDescription { slot.description }

    /// A second lease of the same frame.
    public borrowing func another() -> FrameLease {
        unsafe reference._withUnsafeGuaranteedRef { $0.beginLease() }
        return unsafe FrameLease(adopting: reference.toOpaque())
    }

    /// The frame in memory of its own, for which no camera waits.
    ///
    /// - Parameter withRaw: whether ``FrameSlot/raw`` is copied, too.
    /// - Throws: when there is no memory, or the frame's cannot be read.
    public borrowing func copied(withRaw: Bool = true) throws -> FrameLease {
        let used = description.pixelFormat.isCompressed ? info.bytesUsed : nil
        var frame = DequeuedFrame(index: 0, info: info, isDamaged: false)
        if withRaw { frame.raw = try slot.raw?.copied() }
        return slot.pool(of: try slot.buffers.map { try $0.copied(used: used) }).lend(frame)
    }

    /// Gives itself to a handoff, as a pointer and still counted: who gets it adopts it, once.
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
    /// Runs `body` with the slot's pixels. The caller holds a lease, or fills the slot.
    @unsafe
    public func withPixels<Result>(
        _ access: FrameBuffer.Access, _ body: (PixelAccess) throws -> Result
    ) throws -> Result {
        let used = info.bytesUsed > 0 ? info.bytesUsed : nil
        return try unsafe buffers.withPixels(access, description, bytesUsed: used, body)
    }
}
