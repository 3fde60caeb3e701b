// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Media

/// An encoder for the frames of one stream. For one thread at a time.
protocol MovieEncoder: AnyObject {
    var name: String { get }

    /// Whether the encoder is released once nothing is recorded, because others need its resources
    /// or the next movie must not inherit its state.
    var isForOneMovie: Bool { get }

    /// Returns the track of a movie of the samples; `nil` before the first sample.
    func track(_ orientation: ExifOrientation) -> MovieTrack?

    /// Compresses a frame that is shown at `time`, in nanoseconds. Returns the samples that are
    /// ready; `nil` for a frame that cannot be decoded. Throws if the encoder is no longer usable.
    func encode(
        _ lease: borrowing FrameLease, at time: Int64
    ) throws(MovieError) -> [EncodedSample]?

    /// Makes the next sample a key frame if possible.
    func forceKeyFrame()
}

extension MovieEncoder {
    /// `false`: to keep the encoder costs less than to make another.
    var isForOneMovie: Bool { false }
}
