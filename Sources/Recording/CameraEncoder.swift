// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Media

/// Passes on what a camera has compressed by itself. The camera decides when key frames come.
final class CameraEncoder: MovieEncoder {
    private let frame: FrameDescription
    private var parameterSets: AVCParameterSets?
    private var lastSequence: UInt32?

    init(_ frame: FrameDescription) { self.frame = frame }

    var name: String { "camera" }

    func track(_ orientation: ExifOrientation) -> MovieTrack? {
        parameterSets.map {
            .h264($0, frame.dimensions, color: frame.color, orientation: orientation)
        }
    }

    /// Leaves out frames that refer to a lost one, up to the next key frame.
    func encode(
        _ lease: borrowing FrameLease, at time: Int64
    ) throws(MovieError) -> [EncodedSample]? {
        guard let coded = lease.slot.coded else {
            throw MovieError(.noEncoder, "the camera does not compress its frames")
        }
        let sequence = lease.info.sequence
        let isNext = lastSequence.map { sequence == $0 &+ 1 } ?? false
        let (bytes, isKeyFrame) = AVCParameterSets.sample(byteStream: coded)
        if isKeyFrame {
            let sets = AVCParameterSets(byteStream: coded)
            if let parameterSets, let sets, sets != parameterSets {
                throw MovieError(.noEncoder, "the camera has changed its compression")
            }
            parameterSets = parameterSets ?? sets
        }
        guard isKeyFrame || isNext else {
            lastSequence = nil
            return []
        }
        lastSequence = sequence
        return [EncodedSample(bytes: bytes, time: time, isKeyFrame: isKeyFrame)]
    }

    func forceKeyFrame() {}
}
