// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Media

/// Compresses the frames of one stream. For one thread at a time.
protocol MovieEncoder: AnyObject {
    /// For people.
    var name: String { get }

    /// Whether it has what others need, or what another movie must not have, and is let go as soon as nothing is recorded.
    var isForOneMovie: Bool { get }

    /// What the movie has to know of the samples; `nil` before the first one.
    func track(_ orientation: ExifOrientation) -> MovieTrack?

    /// - Parameter time: when the frame is shown, nanoseconds.
    /// - Returns: the samples that are ready; `nil` for a frame that is no picture.
    /// - Throws: when the encoder is of no use any more.
    func encode(
        _ lease: borrowing FrameLease, at time: Int64
    ) throws(MovieError) -> [EncodedSample]?

    /// The next sample is a key frame, if it can be.
    func forceKeyFrame()
}

extension MovieEncoder {
    /// Making it anew costs more than keeping it.
    var isForOneMovie: Bool { false }
}
