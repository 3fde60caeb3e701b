// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// An uncompressed picture, or a part of one, whose planes are known to lie within their memory.
/// Unlike ``PixelAccess``, it holds no arrays, so that cropping does not allocate.
@unsafe
struct FrameView {
    @unsafe
    struct Plane {
        var start: UnsafeMutablePointer<UInt8>
        var stride: CInt
    }

    var format: PixelFormat
    var width: Int
    var height: Int
    var color: ColorDescription
    /// The planes in the format's order. A plane that the format lacks repeats the first.
    var first: Plane
    var second: Plane
    var third: Plane

    /// - Throws: `unsupported` for compressed and unknown formats and for sides over
    ///   ``largestSide``; `outOfBounds` if a plane does not fit its memory.
    init(_ access: PixelAccess) throws(ImagingError) {
        let description = unsafe access.description
        let format = description.pixelFormat
        let size = description.dimensions
        guard let count = format.planeCount else {
            throw ImagingError(.unsupported, "\(format) pixels cannot be worked on")
        }
        let sides = 1...largestSide
        guard sides.contains(size.width), sides.contains(size.height) else {
            throw ImagingError(.unsupported, "pictures of \(size)")
        }
        guard description.planes.count >= count else {
            throw ImagingError(
                .outOfBounds, "\(format) with \(description.planes.count) of \(count) planes")
        }
        for index in 0..<count {
            let extent = format.extent(ofPlane: index, size)
            let layout = description.planes[index]
            let end = layout.offset + layout.bytesPerRow * (extent.rows - 1) + extent.bytes
            guard layout.offset >= 0, layout.bytesPerRow >= extent.bytes,
                layout.bytesPerRow <= Int(CInt.max), layout.rows >= extent.rows,
                description.bufferSizes.indices.contains(layout.buffer),
                end <= description.bufferSizes[layout.buffer]
            else {
                throw ImagingError(
                    .outOfBounds,
                    "\(format) \(size): plane \(index) of \(layout.rows) rows, "
                        + "\(layout.bytesPerRow) bytes each from \(layout.offset) on, does not fit")
            }
        }
        unsafe self.format = format == .nv12Separate ? .nv12 : format
        unsafe width = size.width
        unsafe height = size.height
        unsafe color = description.color
        let first = unsafe Plane(start: access.plane(0), stride: CInt(access.bytesPerRow(0)))
        unsafe self.first = first
        unsafe second =
            count > 1
            ? unsafe Plane(start: access.plane(1), stride: CInt(access.bytesPerRow(1)))
            : first
        unsafe third =
            count > 2
            ? unsafe Plane(start: access.plane(2), stride: CInt(access.bytesPerRow(2)))
            : first
    }

    init(
        _ format: PixelFormat, width: Int, height: Int, _ start: UnsafeMutablePointer<UInt8>,
        stride: Int
    ) {
        unsafe self.format = format
        unsafe self.width = width
        unsafe self.height = height
        unsafe color = .jpeg
        let plane = unsafe Plane(start: start, stride: CInt(stride))
        unsafe first = plane
        unsafe second = plane
        unsafe third = plane
    }

    /// The U and V planes of a planar format, whatever their order.
    var chroma: (u: Plane, v: Plane) {
        if unsafe format == .yvu420 { return unsafe (third, second) }
        return unsafe (second, third)
    }

    /// Returns the part `rect`, which must lie inside, with an even origin if chroma is shared.
    func cropped(to rect: PixelRect) -> FrameView {
        var part = unsafe self
        unsafe part.width = rect.width
        unsafe part.height = rect.height
        unsafe part.first.start += rect.y * Int(first.stride) + format.bytes(forWidth: rect.x)
        switch unsafe format {
        case .nv12, .nv21:
            unsafe part.second.start += rect.y / 2 * Int(second.stride) + rect.x
        case .nv16:
            unsafe part.second.start += rect.y * Int(second.stride) + rect.x
        case .yuv420, .yvu420:
            unsafe part.second.start += rect.y / 2 * Int(second.stride) + rect.x / 2
            unsafe part.third.start += rect.y / 2 * Int(third.stride) + rect.x / 2
        case .yuv422:
            unsafe part.second.start += rect.y * Int(second.stride) + rect.x / 2
            unsafe part.third.start += rect.y * Int(third.stride) + rect.x / 2
        default:
            unsafe part.second = unsafe part.first
            unsafe part.third = unsafe part.first
        }
        return unsafe part
    }

    /// Returns the picture with fewer, evenly spaced rows: at least two for each of `rows`.
    func thinned(toRows rows: Int) -> FrameView {
        let step = unsafe height / (2 * max(rows, 1))
        guard step > 1 else { return unsafe self }
        var part = unsafe self
        // An even height keeps the row pairs that share chroma.
        unsafe part.height = height / step & ~1
        unsafe part.first.stride *= CInt(step)
        unsafe part.second.stride *= CInt(step)
        unsafe part.third.stride *= CInt(step)
        return unsafe part
    }
}

/// The largest width and height that keep every product within the `int` of libyuv and TurboJPEG.
let largestSide = 16_384

extension PixelFormat {
    /// The number of planes of an uncompressed format; `nil` for all others.
    var planeCount: Int? {
        switch self {
        case .yuyv, .uyvy, .grey, .rgb565, .rgb24, .bgr24, .xrgb, .argb: 1
        case .nv12, .nv12Separate, .nv21, .nv16: 2
        case .yuv420, .yvu420, .yuv422: 3
        default: nil
        }
    }

    /// Returns the bytes of `width` pixels in the first plane. Packed YUV rounds up to even widths.
    func bytes(forWidth width: Int) -> Int {
        switch self {
        case .yuyv, .uyvy: (width + 1) / 2 * 4
        case .rgb565: width * 2
        case .rgb24, .bgr24: width * 3
        case .xrgb, .argb: width * 4
        default: width
        }
    }

    /// Returns the bytes per row and the rows of a plane that hold pixels.
    func extent(ofPlane index: Int, _ size: Dimensions) -> (bytes: Int, rows: Int) {
        guard index > 0 else { return (bytes(forWidth: size.width), size.height) }
        let columns = (size.width + 1) / 2
        let rows = (size.height + 1) / 2
        return switch self {
        case .nv12, .nv12Separate, .nv21: (columns * 2, rows)
        case .nv16: (columns * 2, size.height)
        case .yuv420, .yvu420: (columns, rows)
        default: (columns, size.height)
        }
    }

    /// Whether neighbouring pixels or rows share their chroma.
    var sharesChroma: Bool { isYUV && self != .grey }

    /// Whether ``PixelConverter`` reads the format, other than for plain copies.
    var isConvertible: Bool { planeCount != nil && self != .argb }
}

extension ColorDescription {
    /// Whether luma means the same in both, and chroma too unless `grey`.
    func agrees(with other: ColorDescription, grey: Bool) -> Bool {
        range == other.range && (grey || matrix == other.matrix)
    }
}
