// SPDX-License-Identifier: GPL-3.0-or-later

/// A frame's pixels while the CPU may touch them; ends with the closure that received it.
@unsafe
public struct PixelAccess {
    /// Where the planes lie and what they mean; that they fit the memory is not checked here.
    public let description: FrameDescription
    /// Bytes of the first buffer that count: of a compressed picture its length.
    public let bytesUsed: Int
    private let buffer0: UnsafeMutableRawPointer
    private var buffer1: UnsafeMutableRawPointer?
    private var buffer2: UnsafeMutableRawPointer?

    /// - Parameter buffers: as many as `description.bufferSizes` has.
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

    /// First byte of plane `index`.
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

    /// Bytes from one row of plane `index` to the next.
    public func bytesPerRow(_ index: Int) -> Int { unsafe description.planes[index].bytesPerRow }
}

extension [FrameBuffer] {
    /// Runs `body` with a picture's pixels, all of its buffers mapped and synchronised.
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
