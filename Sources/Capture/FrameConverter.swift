// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Glibc
internal import LinuxIO
internal import Media
internal import V4L2

/// Converts a camera's frames into pictures. For one thread at a time.
protocol FrameConverter: AnyObject {
    var description: FrameDescription { get }
    /// The number of driver buffers, enough for the camera to fill while a picture is converted.
    var driverFrames: Int { get }
    /// The format of the raw frames that stay with their pictures; `nil` if none do.
    var rawFormat: RawPixelFormat? { get }

    /// - Parameter picture: memory for one picture; `nil` if only later pictures are needed.
    func convert(
        _ bytes: UnsafeMutableRawBufferPointer, _ raw: DequeuedFrame,
        into picture: UnsafeMutableRawPointer?
    ) -> ConvertedPicture

    /// Forgets earlier frames, because the camera restarts.
    func reset()
}

struct ConvertedPicture {
    var isDamaged: Bool
    /// Whether only a missing reference spoils the picture: see ``DequeuedFrame/isUnshowable``.
    var isUnshowable = false
    /// The camera's own data, if useful: see ``DequeuedFrame/coded``.
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

/// Decodes a camera's H.264. A lost picture damages dependent ones, up to the next key frame.
final class DecodedH264: FrameConverter {
    let description: FrameDescription
    let driverFrames = 8
    let rawFormat: RawPixelFormat? = nil
    private let decoder: VideoDecoder
    private var isBroken = true
    private var lastSequence: UInt32?
    /// The last parameter sets, which cameras may send only once, or apart from key frames.
    private var parameterSets: [UInt8] = []

    /// - Throws: `ENOPKG` if there is no decoder.
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
            // The data is intact, but shows nothing by itself.
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
