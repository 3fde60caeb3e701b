// SPDX-License-Identifier: GPL-3.0-or-later

internal import CYUV
public import Media

/// Converts a camera's frames to pictures that a video encoder takes: 4:2:0, of even size. An odd
/// last row or column is left out. Not thread-safe. Frames that need no change are passed on in
/// place. Others are converted, or decoded if compressed, into memory that is kept.
@safe
public final class VideoPicture {
    /// The format of the pictures: ``PixelFormat/nv12`` or ``PixelFormat/yuv420``, of even size.
    public let description: FrameDescription
    private let source: PixelFormat
    private let converter = PixelConverter()
    private var decoder: JPEGDecoder?
    /// The converted picture; `nil` if frames are passed on.
    private var picture: PixelStorage?
    /// The XRGB8888 picture between other RGB and NV12.
    private var colors: PixelStorage?

    /// Prepares for such frames. Throws `unsupported` if they cannot be converted; `exhausted`.
    public init(of frame: FrameDescription) throws(ImagingError) {
        source = frame.pixelFormat
        let size = Dimensions(
            width: frame.dimensions.width & ~1, height: frame.dimensions.height & ~1)
        switch source {
        case .nv12, .nv12Separate, .yuv420, .yvu420:
            description = try Self.describe(
                source.isPlanar420 ? .yuv420 : .nv12, size, frame.color)
        case _ where source.isCompressed:
            description = try Self.describe(.yuv420, size, .jpeg)
            decoder = try JPEGDecoder()
            // The decoder writes the whole frame.
            picture = try PixelStorage(.yuv420, frame.dimensions, color: .jpeg)
        case _ where source.isYUV && source.isConvertible:
            description = try Self.describe(.nv12, size, frame.color)
            picture = try PixelStorage(.nv12, frame.dimensions, color: frame.color)
        case _ where source.isConvertible:
            let color = ColorDescription(matrix: .bt601, range: .limited)
            description = try Self.describe(.nv12, size, color)
            picture = try PixelStorage(.nv12, frame.dimensions, color: color)
            if source != .xrgb { colors = try PixelStorage(.xrgb, frame.dimensions) }
        default:
            throw ImagingError(.unsupported, "video of \(source)")
        }
    }

    private static func describe(
        _ format: PixelFormat, _ size: Dimensions, _ color: ColorDescription
    ) throws(ImagingError) -> FrameDescription {
        guard size.width > 0, size.height > 0,
            let description = FrameDescription(format, size, color: color)
        else { throw ImagingError(.unsupported, "video of \(size)") }
        return description
    }

    /// Calls `body` with the picture of a frame, for reading; it is valid until `body` returns.
    /// Throws the errors of decoding, converting and `body`.
    @unsafe
    public func withPicture<Result>(
        of pixels: PixelAccess, _ body: (PixelAccess) throws -> Result
    ) throws -> Result {
        guard picture != nil else { return try unsafe body(pixels) }
        try unsafe picture?.withMutablePixels { target throws(ImagingError) in
            if let decoder {
                try unsafe decoder.decode(pixels, into: target)
            } else if source.isYUV {
                try unsafe converter.convert(pixels, to: target)
            } else {
                try unsafe convertColors(pixels, to: target)
            }
        }
        guard let result = try unsafe picture?.withPixels(body) else {
            preconditionFailure("a picture went away")
        }
        return result
    }

    private func convertColors(
        _ pixels: PixelAccess, to target: PixelAccess
    ) throws(ImagingError) {
        guard source != .xrgb else { return try unsafe Self.convert(FrameView(pixels), to: target) }
        try unsafe colors?.withMutablePixels { middle throws(ImagingError) in
            try unsafe converter.convert(pixels, to: middle)
            try unsafe Self.convert(FrameView(middle), to: target)
        }
    }

    private static func convert(
        _ source: FrameView, to target: PixelAccess
    ) throws(ImagingError) {
        let target = try unsafe FrameView(target)
        let result = unsafe ARGBToNV12(
            source.first.start, source.first.stride, target.first.start, target.first.stride,
            target.second.start, target.second.stride, CInt(source.width), CInt(source.height))
        if result != 0 { throw ImagingError(.failed, "libyuv: XR24 to NV12") }
    }
}

extension PixelFormat {
    fileprivate var isPlanar420: Bool { self == .yuv420 || self == .yvu420 }
}
