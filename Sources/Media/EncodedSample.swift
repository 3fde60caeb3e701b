// SPDX-License-Identifier: GPL-3.0-or-later

/// One compressed picture, or one packet of sound, as it goes into a movie.
public struct EncodedSample: Sendable, Hashable {
    /// H.264: NAL units, each after its length in four bytes, the highest first (ISO/IEC 14496-15). AAC: a raw
    /// frame, without ADTS header.
    public var bytes: [UInt8]
    /// When it is shown or heard: nanoseconds of `CLOCK_MONOTONIC`.
    public var time: Int64
    /// Whether playing may begin here. Always so with sound.
    public var isKeyFrame: Bool

    /// Of the given parts; nothing is checked.
    public init(bytes: [UInt8], time: Int64, isKeyFrame: Bool) {
        self.bytes = bytes
        self.time = time
        self.isKeyFrame = isKeyFrame
    }
}
