// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
public import LinuxIO

/// One piece of frame memory: a DMA-BUF, or memory mapped for as long as it lives.
///
/// A DMA-BUF need not have a mapping of its own: the CPU's accesses then map it for their duration.
/// They are bracketed by `DMA_BUF_IOCTL_SYNC` (kernel doc driver-api/dma-buf).
@safe
public final class FrameBuffer: Sendable {
    /// Bytes.
    public let size: Int
    /// The DMA-BUF's descriptor, borrowed; `nil` for plain memory.
    public let dmaBuf: CInt?

    // The owners end with the buffer; what they own is kept beside them as plain values, because an
    // optional of a noncopyable type cannot be looked into where it is stored.
    private let descriptor: OwnedDescriptor?
    private let mapping: Mapping?
    // Valid as long as `mapping`; immutable.
    private nonisolated(unsafe) let mapped: UnsafeMutableRawPointer?

    /// A DMA-BUF of `size` bytes; `keepsMapping` when the CPU touches every frame.
    public init(
        dmaBuf: consuming OwnedDescriptor, size: Int, keepsMapping: Bool
    ) throws(SystemCallError) {
        self.size = size
        self.dmaBuf = dmaBuf.number
        if keepsMapping {
            let mapping = try Mapping(of: dmaBuf.number, count: size)
            unsafe mapped = mapping.start
            self.mapping = consume mapping
        } else {
            unsafe mapped = nil
            mapping = nil
        }
        descriptor = consume dmaBuf
    }

    /// Memory that is mapped already: V4L2 `MMAP` without export, or a stand-in on the host board.
    public init(mapping: consuming Mapping) {
        size = mapping.count
        dmaBuf = nil
        descriptor = nil
        unsafe mapped = mapping.start
        self.mapping = consume mapping
    }

    /// What the CPU is going to do.
    public enum Access: Sendable {
        case read, write
    }

    /// Runs `body` with the buffer's bytes; the pointer ends with it.
    @unsafe
    public func withBytes<Result>(
        _ access: Access, _ body: (UnsafeMutableRawPointer) throws -> Result
    ) throws -> Result {
        if let start = unsafe mapped {
            return try synchronized(access) { try unsafe body(start) }
        }
        guard let dmaBuf else { preconditionFailure("a buffer without memory") }
        let brief = try Mapping(of: dmaBuf, count: size, readOnly: access == .read)
        return try synchronized(access) { try unsafe body(brief.start) }
    }

    /// Memory of its own with the same bytes.
    ///
    /// - Parameter used: only so many are of use; `nil`: all.
    /// - Throws: when there is no memory, or this one cannot be read.
    func copied(used: Int? = nil) throws -> FrameBuffer {
        let copy = try FrameBuffer.memory(size)
        try unsafe withBytes(.read) { bytes in
            try unsafe copy.withBytes(.write) { room in
                unsafe room.copyMemory(from: bytes, byteCount: min(used ?? size, size))
            }
        }
        return copy
    }

    private func synchronized<Result>(_ access: Access, _ body: () throws -> Result) throws
        -> Result
    {
        guard let dmaBuf else { return try body() }
        let direction = access == .read ? clinux_dmabuf_read : clinux_dmabuf_write
        try systemCall("DMA_BUF_IOCTL_SYNC") {
            clinux_dmabuf_sync(dmaBuf, direction | clinux_dmabuf_start)
        }
        defer { _ = clinux_dmabuf_sync(dmaBuf, direction | clinux_dmabuf_end) }
        return try body()
    }
}
