// SPDX-License-Identifier: GPL-3.0-or-later

/// One compressed picture or one packet of sound, in the form in which movies store it.
public struct EncodedSample: Sendable, Hashable {
    /// The data. H.264 is a list of NAL units, each preceded by its length in four bytes,
    /// big-endian (ISO/IEC 14496-15). AAC is a raw frame without ADTS header.
    public var bytes: [UInt8]
    /// The presentation time, in nanoseconds of `CLOCK_MONOTONIC`.
    public var time: Int64
    /// Whether playback can start here; always true for sound.
    public var isKeyFrame: Bool

    /// Creates a sample; nothing is checked.
    public init(bytes: [UInt8], time: Int64, isKeyFrame: Bool) {
        self.bytes = bytes
        self.time = time
        self.isKeyFrame = isKeyFrame
    }
}
