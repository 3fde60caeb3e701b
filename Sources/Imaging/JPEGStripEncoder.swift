// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
public import Media

/// Encodes a frame's strips in parallel and joins them into one picture with restart markers
/// between them. The samples are those that ``JPEGEncoder`` produces from the whole frame. Not
/// thread-safe, despite threads of its own. See ``JPEGEncoder`` for formats and colours.
@safe
public final class JPEGStripEncoder {
    /// The lowest strip in rows. Lower strips are not worth waking a thread.
    private static let lowest = 128
    private let encoders: [JPEGEncoder]
    private let team: ThreadTeam

    /// - Parameter count: the most strips, and so the most processors in use at a time; at least 1.
    /// - Throws: `exhausted` without memory.
    public init(count: Int) throws(ImagingError) {
        var encoders: [JPEGEncoder] = []
        for _ in 0..<max(count, 1) { encoders.append(try JPEGEncoder()) }
        self.encoders = encoders
        team = ThreadTeam("encoder", count: encoders.count - 1)
    }

    /// Encodes a frame like ``JPEGEncoder/encode(_:quality:rgbSubsampling:)``.
    @unsafe
    public func encode(
        _ source: PixelAccess, quality: Int, rgbSubsampling: JPEGSubsampling = .yuv420
    ) throws(ImagingError) -> [UInt8] {
        let frame = try unsafe FrameView(source)
        let subsampling = unsafe JPEGEncoder.subsampling(of: frame.format, rgb: rgbSubsampling)
        let strips = unsafe JPEGStrips(of: frame, subsampling, most: encoders.count, Self.lowest)
        guard let strips = unsafe strips else {
            return try unsafe encoders[0].encode(
                source, quality: quality, rgbSubsampling: rgbSubsampling)
        }
        let pictures = try unsafe encoded(strips.views, quality, rgbSubsampling)
        guard let whole = unsafe strips.joined(pictures) else {
            throw ImagingError(.failed, "a strip of a JPEG cannot be read")
        }
        return whole
    }

    /// Encodes the strips. Each picture belongs to its encoder and is valid until its next call.
    private func encoded(
        _ strips: [FrameView], _ quality: Int, _ subsampling: JPEGSubsampling
    ) throws(ImagingError) -> [UnsafeRawBufferPointer] {
        var results: [Result<UnsafeRawBufferPointer, ImagingError>?] = unsafe Array(
            repeating: nil, count: strips.count)
        unsafe results.withUnsafeMutableBufferPointer { results in
            // Each index has its own strip, encoder and result. All are done when the call returns.
            unsafe team.perform(strips.count) { index in
                unsafe results[index] = unsafe Result {
                    () throws(ImagingError) -> UnsafeRawBufferPointer in
                    try unsafe encoders[index].encoded(strips[index], quality, subsampling)
                }
            }
        }
        return try unsafe results.map {
            (result) throws(ImagingError) -> UnsafeRawBufferPointer in
            guard let bytes = try unsafe result?.get() else {
                throw ImagingError(.failed, "a strip of a JPEG is missing")
            }
            return unsafe bytes
        }
    }
}

/// Strips of a frame whose JPEG pictures can be joined (ITU-T T.81). Each is as high as a restart
/// interval; the last one may be lower.
@unsafe
private struct JPEGStrips {
    let views: [FrameView]
    private let height: Int
    /// The MCUs in a strip.
    private let interval: Int

    /// Cuts a frame into strips. Returns `nil` if it should stay whole.
    init?(of frame: FrameView, _ subsampling: JPEGSubsampling, most: Int, _ lowest: Int) {
        let (width, height) = unsafe (frame.width, frame.height)
        let count = min(most, height / lowest)
        guard count > 1 else { return nil }
        // T.81, A.2: an MCU is a block of 8x8 samples, or all blocks that share a chroma block.
        let step = subsampling.step
        let unit = 8 * step.vertical
        let units = (height + unit - 1) / unit
        let rows = (units + count - 1) / count * unit
        unsafe interval = (width + 8 * step.horizontal - 1) / (8 * step.horizontal) * (rows / unit)
        guard unsafe interval <= 0xffff else { return nil }
        unsafe self.height = height
        unsafe views = unsafe stride(from: 0, to: height, by: rows).map { top in
            unsafe frame.cropped(
                to: PixelRect(x: 0, y: top, width: width, height: min(rows, height - top)))
        }
    }

    /// Joins the pictures, with the first's headers; `nil` for any that libjpeg would not write.
    func joined(_ pictures: [UnsafeRawBufferPointer]) -> [UInt8]? {
        var whole: [UInt8] = []
        unsafe whole.reserveCapacity(pictures.reduce(8) { unsafe $0 + $1.count })
        for index in unsafe pictures.indices {
            let picture = unsafe pictures[index]
            guard let (frameHead, scanHead, scan) = unsafe Self.places(in: picture) else {
                return nil
            }
            if index == 0 {
                unsafe whole += picture[..<scanHead]
                unsafe whole.replaceSubrange(
                    frameHead + 5..<frameHead + 7, with: Self.number(height))
                unsafe whole += [0xff, 0xdd, 0, 4] + Self.number(interval)
                unsafe whole += picture[scanHead..<scan]
            } else {
                whole += [0xff, 0xd0 + UInt8((index - 1) % 8)]
            }
            unsafe whole += picture[scan..<(picture.count - 2)]
        }
        return whole + [0xff, 0xd9]
    }

    private static func number(_ value: Int) -> [UInt8] {
        [UInt8(value >> 8), UInt8(value & 0xff)]
    }

    /// Returns the positions of the frame header, the scan header and the scan.
    private static func places(
        in picture: UnsafeRawBufferPointer
    ) -> (frameHead: Int, scanHead: Int, scan: Int)? {
        var (place, frameHead) = (2, Int?.none)
        while unsafe place + 4 <= picture.count, unsafe picture[place] == 0xff {
            let length = unsafe Int(picture[place + 2]) << 8 | Int(picture[place + 3])
            let next = place + 2 + length
            switch unsafe picture[place + 1] {
            case 0xc0: frameHead = place
            case 0xda:
                guard let frameHead, unsafe next <= picture.count - 2 else { return nil }
                return (frameHead, place, next)
            default: break
            }
            place = next
        }
        return nil
    }
}
