// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// The owner of a picture's memory: for screenshots, thumbnails and simulated frames. The bytes
/// start as zero (black for RGB). They are freed with the owner.
@safe
public struct PixelStorage: ~Copyable, @unchecked Sendable {
    // Sendable, because there is a single owner and writing needs exclusive access.

    /// The picture's format, size and layout.
    public let description: FrameDescription
    private let bytes: UnsafeMutableRawPointer

    /// Allocates memory for one frame in one buffer. Throws `unsupported` if the description has
    /// several (``PixelFormat/nv12Separate``); `exhausted`.
    public init(_ description: FrameDescription) throws(ImagingError) {
        guard description.bufferSizes.count == 1, let size = description.bufferSizes.first, size > 0
        else {
            throw ImagingError(
                .unsupported,
                "memory for \(description.pixelFormat) \(description.dimensions) in "
                    + "\(description.bufferSizes.count) buffers")
        }
        guard let bytes = unsafe Memory.allocate(size) else {
            throw ImagingError(.exhausted, "no memory for a picture of \(size) bytes")
        }
        unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        unsafe self.bytes = bytes
        self.description = description
    }

    /// Allocates an uncompressed picture without padding at the ends of its rows. Throws
    /// `unsupported` for compressed and unknown formats; `exhausted`.
    public init(
        _ pixelFormat: PixelFormat, _ dimensions: Dimensions,
        color: ColorDescription = ColorDescription(matrix: .bt601, range: .limited)
    ) throws(ImagingError) {
        guard let description = FrameDescription(pixelFormat, dimensions, color: color) else {
            throw ImagingError(.unsupported, "memory for \(pixelFormat) frames")
        }
        try self.init(description)
    }

    deinit { unsafe Memory.free(bytes) }

    /// Calls `body` with the pixels, which it only reads. The pointers are valid until it returns.
    @unsafe
    public borrowing func withPixels<Result, Failure: Error>(
        _ body: (PixelAccess) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(PixelAccess(description, bytes))
    }

    /// Calls `body` with the pixels, which it may change. The pointers are valid until it returns.
    @unsafe
    public mutating func withMutablePixels<Result, Failure: Error>(
        _ body: (PixelAccess) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(PixelAccess(description, bytes))
    }

    /// A copy of every byte, row padding included.
    public var contents: [UInt8] {
        unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: description.bufferSizes[0]))
    }
}
