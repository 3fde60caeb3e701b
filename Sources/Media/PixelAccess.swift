// SPDX-License-Identifier: GPL-3.0-or-later

/// A frame's pixels while the CPU may touch them; ends with the closure that received it.
@unsafe
public struct PixelAccess {
    public let description: FrameDescription
    /// Bytes that count: the length of a compressed picture, else the whole buffer's.
    public let bytesUsed: Int
    private let buffer0: UnsafeMutableRawPointer
    private let buffer1: UnsafeMutableRawPointer?
    private let buffer2: UnsafeMutableRawPointer?

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
