// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// A picture that several may hold and read, never changed after it was made.
public final class StillPicture: Sendable {
    private let pixels: PixelStorage

    /// Takes over the memory.
    public init(_ pixels: consuming PixelStorage) { self.pixels = pixels }

    /// Format and size.
    public var description: FrameDescription { pixels.description }

    /// As a JPEG file.
    ///
    /// - Throws: as ``JPEGEncoder/encode(_:quality:rgbSubsampling:)``.
    public func jpeg(quality: Int) throws(ImagingError) -> [UInt8] {
        let encoder = try JPEGEncoder()
        return try unsafe withPixels { (pixels) throws(ImagingError) in
            try unsafe encoder.encode(pixels, quality: quality)
        }
    }

    /// Runs `body` with the picture; the pointers end with it.
    @unsafe
    public func withPixels<Result, Failure: Error>(
        _ body: (PixelAccess) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe pixels.withPixels(body)
    }
}
