// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Glibc
internal import LinuxIO
internal import Media
internal import V4L2

/// Makes pictures of what a camera sends. For one thread at a time.
protocol FrameConverter: AnyObject {
    /// What the pictures are.
    var description: FrameDescription { get }
    /// The driver's buffers: as many as it fills while a picture is made.
    var driverFrames: Int { get }
    /// Where what the camera sent stays with the picture that is made of it: what it is.
    var rawFormat: RawPixelFormat? { get }

    /// - Parameter picture: has room for one; `nil` where nobody wants it, only those after it.
    func convert(
        _ bytes: UnsafeMutableRawBufferPointer, _ raw: DequeuedFrame,
        into picture: UnsafeMutableRawPointer?
    ) -> ConvertedPicture

    /// The camera begins anew.
    func reset()
}

/// What has become of a frame.
struct ConvertedPicture {
    /// Whether it is no picture.
    var isDamaged: Bool
    /// See ``DequeuedFrame/isUnshowable``.
    var isUnshowable = false
    /// What the camera sent, where that is of use: see ``DequeuedFrame/coded``.
    var coded: [UInt8]?
}

extension ForeignFrameConverter: FrameConverter {
    var driverFrames: Int { 4 }
    var rawFormat: RawPixelFormat? { RawPixelFormat(format.pixelFormat) }

    func convert(
        _ bytes: UnsafeMutableRawBufferPointer, _ raw: DequeuedFrame,
        into picture: UnsafeMutableRawPointer?
    ) -> ConvertedPicture {
        guard !raw.isDamaged, let picture = unsafe picture else {
            return ConvertedPicture(isDamaged: true)
        }
        let room = unsafe UnsafeMutableRawBufferPointer(
            start: picture, count: description.bufferSizes[0])
        return ConvertedPicture(isDamaged: unsafe !convert(bytes, into: room))
    }

    func reset() {}
}

/// Decodes the H.264 of a camera that compresses by itself. A picture that is lost damages those after it, which refer
/// to it, up to the next key frame.
final class DecodedH264: FrameConverter {
    let description: FrameDescription
    let driverFrames = 8
    let rawFormat: RawPixelFormat? = nil
    private let decoder: VideoDecoder
    private var isBroken = true
    private var lastSequence: UInt32?
    /// Cameras may send them once, or by themselves.
    private var parameterSets: [UInt8] = []

    /// - Throws: `ENOPKG` where there is no decoder.
    init(_ format: ForeignFormat) throws(SystemCallError) {
        guard
            let description = FrameDescription(.yuv420, format.dimensions, color: format.color),
            let decoder = try? VideoDecoder()
        else { throw SystemCallError(call: "libavcodec", code: ENOPKG, path: "H.264") }
        self.description = description
        self.decoder = decoder
    }

    func convert(
        _ bytes: UnsafeMutableRawBufferPointer, _ raw: DequeuedFrame,
        into picture: UnsafeMutableRawPointer?
    ) -> ConvertedPicture {
        let isNext = lastSequence.map { raw.info.sequence == $0 &+ 1 } ?? false
        lastSequence = raw.info.sequence
        if raw.isDamaged || !isNext { isBroken = true }
        if raw.isDamaged { return ConvertedPicture(isDamaged: true) }
        var coded = unsafe [UInt8](bytes)
        let unit = AVCAccessUnit(byteStream: coded)
        if unit.hasParameterSets { parameterSets = unit.parameterSets }
        let isComplete = unit.hasParameterSets || !parameterSets.isEmpty
        guard unit.hasPicture, isComplete, unit.isKeyFrame || !isBroken else {
            // It is sound, but nothing can be shown of it by itself.
            let isSound = unit.hasPicture || unit.hasParameterSets
            return ConvertedPicture(isDamaged: true, isUnshowable: isSound)
        }
        if unit.isKeyFrame, !unit.hasParameterSets { coded = parameterSets + coded }
        if isBroken { decoder.reset() }
        let target = unsafe picture.map { unsafe PixelAccess(description, $0) }
        isBroken = unsafe !decoder.decode(coded, into: target)
        return ConvertedPicture(isDamaged: isBroken, coded: isBroken ? nil : coded)
    }

    func reset() {
        isBroken = true
        lastSequence = nil
    }
}
