// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
public import LinuxIO

/// One block of frame memory: a DMA-BUF, or memory that stays mapped for the buffer's lifetime. A
/// DMA-BUF may have no lasting mapping; each CPU access then maps it for its duration.
/// `DMA_BUF_IOCTL_SYNC` brackets CPU access to DMA-BUFs (kernel doc driver-api/dma-buf).
@safe
public final class FrameBuffer: Sendable {
    /// The size in bytes.
    public let size: Int
    /// The DMA-BUF's descriptor, borrowed; `nil` for plain memory.
    public let dmaBuf: CInt?

    // The owners end with the buffer. Their contents are also kept as plain values, because an
    // optional of a noncopyable type cannot be read in place.
    private let descriptor: OwnedDescriptor?
    private let mapping: Mapping?
    // Immutable, and valid as long as `mapping`.
    private nonisolated(unsafe) let mapped: UnsafeMutableRawPointer?

    /// Creates a buffer from a DMA-BUF of `size` bytes. If `keepsMapping`, it stays mapped, for a
    /// CPU that touches every frame.
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

    /// Creates a buffer from mapped memory: V4L2 `MMAP` without export, or the host's stand-in.
    public init(mapping: consuming Mapping) {
        size = mapping.count
        dmaBuf = nil
        descriptor = nil
        unsafe mapped = mapping.start
        self.mapping = consume mapping
    }

    /// The kind of CPU access.
    public enum Access: Sendable {
        case read, write
    }

    /// Runs `body` with the buffer's bytes. The pointer is valid only during the call.
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

    /// Returns a copy in memory of its own, with the first `used` bytes, or all. Throws if memory
    /// runs out, or this buffer cannot be read.
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
