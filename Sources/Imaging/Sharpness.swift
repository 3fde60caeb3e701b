// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// Measures the sharpness of pictures: the mean square of the difference between luma and its four
/// neighbours. Only pictures of one scene by one camera are comparable. Source: the "variance of
/// the Laplacian" as a measure of focus, Pech-Pacheco and others, 2000. Not thread-safe.
public final class SharpnessMeter {
    private static let rowStep = 3

    private let decoder: JPEGDecoder
    /// The luma of compressed pictures.
    private var luma: PixelStorage?

    /// - Throws: `exhausted` without memory.
    public init() throws(ImagingError) { decoder = try JPEGDecoder() }

    /// Returns the sharpness of an uncompressed picture, or of a JPEG decoded at half its size; 0
    /// for an even surface. Throws `unsupported` for formats without whole bytes of luma or green;
    /// the errors of decoding.
    @unsafe
    public func sharpness(of pixels: PixelAccess) throws(ImagingError) -> Double {
        guard unsafe pixels.description.pixelFormat.isCompressed else {
            return try unsafe Self.sharpness(of: FrameView(pixels))
        }
        let size = try unsafe JPEGScale.half.apply(to: decoder.header(of: pixels).dimensions)
        if luma?.description.dimensions != size {
            luma = try PixelStorage(.grey, size, color: .jpeg)
        }
        return try unsafe luma?.withMutablePixels { (target) throws(ImagingError) in
            try unsafe decoder.decode(pixels, into: target, scale: .half)
            return try unsafe Self.sharpness(of: FrameView(target))
        } ?? 0
    }

    private static func sharpness(of view: FrameView) throws(ImagingError) -> Double {
        guard let (offset, step) = unsafe view.format.lumaPlace else {
            throw unsafe ImagingError(.unsupported, "sharpness of \(view.format) pictures")
        }
        let (width, height) = unsafe (view.width, view.height)
        guard width > 2, height > 2 else { return 0 }
        let stride = unsafe Int(view.first.stride)
        var (sum, count) = (0, 0)
        for row in Swift.stride(from: 1, to: height - 1, by: rowStep) {
            let line = unsafe view.first.start + row * stride + offset
            var ofRow: Int64 = 0
            for column in 1..<(width - 1) {
                let place = column * step
                let beside = unsafe Int32(line[place - step]) + Int32(line[place + step])
                let above = unsafe Int32(line[place - stride]) + Int32(line[place + stride])
                let difference = unsafe 4 * Int32(line[place]) - beside - above
                ofRow += Int64(difference * difference)
            }
            sum += Int(ofRow)
            count += width - 2
        }
        return Double(sum) / Double(count)
    }
}

extension PixelFormat {
    /// The position of luma in the first plane, or of green, which makes up most of luma.
    fileprivate var lumaPlace: (offset: Int, step: Int)? {
        switch self {
        case .yuyv: (0, 2)
        case .uyvy: (1, 2)
        case .rgb24, .bgr24: (1, 3)
        case .xrgb, .argb: (1, 4)
        case .rgb565: nil
        default: (0, 1)
        }
    }
}
