// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// An immutable picture that several owners may share.
public final class StillPicture: Sendable {
    private let pixels: PixelStorage

    /// Takes ownership of the memory.
    public init(_ pixels: consuming PixelStorage) { self.pixels = pixels }

    /// The format and size.
    public var description: FrameDescription { pixels.description }

    /// Returns the picture as a JPEG file. Throws as
    /// ``JPEGEncoder/encode(_:quality:rgbSubsampling:)`` does.
    public func jpeg(quality: Int) throws(ImagingError) -> [UInt8] {
        let encoder = try JPEGEncoder()
        return try unsafe withPixels { (pixels) throws(ImagingError) in
            try unsafe encoder.encode(pixels, quality: quality)
        }
    }

    /// Calls `body` with the picture. The pointers are valid until it returns.
    @unsafe
    public func withPixels<Result, Failure: Error>(
        _ body: (PixelAccess) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe pixels.withPixels(body)
    }
}
