// SPDX-License-Identifier: GPL-3.0-or-later

/// A frame's pixels during CPU access; valid only within the closure that receives it.
@unsafe
public struct PixelAccess {
    /// The layout of the frame; whether it fits the memory is not checked.
    public let description: FrameDescription
    /// Used bytes of the first buffer: the length of a compressed picture.
    public let bytesUsed: Int
    private let buffer0: UnsafeMutableRawPointer
    private var buffer1: UnsafeMutableRawPointer?
    private var buffer2: UnsafeMutableRawPointer?

    /// Creates access to mapped memory, with as many buffers as `description.bufferSizes` has.
    public init(
        _ description: FrameDescription, bytesUsed: Int? = nil, _ buffer0: UnsafeMutableRawPointer,
        _ buffer1: UnsafeMutableRawPointer? = nil, _ buffer2: UnsafeMutableRawPointer? = nil
    ) {
        unsafe self.description = description
        unsafe self.bytesUsed = bytesUsed ?? description.bufferSizes[0]
        unsafe self.buffer0 = buffer0
        unsafe self.buffer1 = buffer1
        unsafe self.buffer2 = buffer2
    }

    fileprivate mutating func setBuffer(_ index: Int, _ start: UnsafeMutableRawPointer) {
        if index == 1 { unsafe buffer1 = start } else { unsafe buffer2 = start }
    }

    /// Returns the first byte of plane `index`.
    public func plane(_ index: Int) -> UnsafeMutablePointer<UInt8> {
        let layout = unsafe description.planes[index]
        let base: UnsafeMutableRawPointer? =
            switch layout.buffer {
            case 0: unsafe buffer0
            case 1: unsafe buffer1
            default: unsafe buffer2
            }
        guard let base = unsafe base else { preconditionFailure("no buffer \(layout.buffer)") }
        return unsafe (base + layout.offset).assumingMemoryBound(to: UInt8.self)
    }

    /// Returns the number of bytes from one row of plane `index` to the next.
    public func bytesPerRow(_ index: Int) -> Int { unsafe description.planes[index].bytesPerRow }
}

extension [FrameBuffer] {
    /// Runs `body` with a picture's pixels, while all its buffers are mapped and synchronised.
    @unsafe
    public func withPixels<Result>(
        _ access: FrameBuffer.Access, _ description: FrameDescription, bytesUsed: Int? = nil,
        _ body: (PixelAccess) throws -> Result
    ) throws -> Result {
        try unsafe self[0].withBytes(access) { first in
            let pixels = unsafe PixelAccess(description, bytesUsed: bytesUsed, first)
            return try unsafe withMore(access, pixels, from: 1, body)
        }
    }

    private func withMore<Result>(
        _ access: FrameBuffer.Access, _ pixels: PixelAccess, from index: Int,
        _ body: (PixelAccess) throws -> Result
    ) throws -> Result {
        guard index < count else { return try unsafe body(pixels) }
        return try unsafe self[index].withBytes(access) { start in
            var pixels = unsafe pixels
            unsafe pixels.setBuffer(index, start)
            return try unsafe withMore(access, pixels, from: index + 1, body)
        }
    }
}
