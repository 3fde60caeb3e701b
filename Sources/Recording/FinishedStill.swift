// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials
public import Media

/// A photo as a complete file in memory, ready to be stored.
public struct FinishedStill: Sendable {
    /// The accepted press's, and later the asset's.
    public let id: UUID
    /// The JPEG file's bytes, in order.
    public let chunks: [[UInt8]]
    /// Pixels as stored, before the orientation is applied.
    public let dimensions: Dimensions
    /// EXIF orientation, 1 to 8.
    public let orientation: Int
    /// Wall time of the frame: nanoseconds since 1970, and seconds that local time is ahead of UTC.
    public let wallTime: Int64
    /// Seconds that local time was ahead of UTC at ``wallTime``.
    public let utcOffset: Int
    /// Whether the wall clock was known to be right before it was read.
    public let clockIsRight: Bool
    /// `CLOCK_BOOTTIME` of the frame, nanoseconds.
    public let bootTime: Int64
    /// The camera's frame counter.
    public let frameSequence: UInt32
    /// Frame minus shutter moment, nanoseconds.
    public let shutterOffset: Int64
    /// Where it was taken; `nil` when that is not known.
    public let location: Location?
    /// What the camera's sensor measured, a DNG; where that was wanted, and could be had.
    public private(set) var raw: [UInt8]?
    /// A small JPEG of it.
    public let thumbnail: [UInt8]?
    /// Where it was measured: of a burst's stills the one with the most is the sharpest.
    public let sharpness: Double?
    /// Why ``thumbnail``, ``raw`` or another quality is missing although it was wanted; the photo itself is whole.
    public let warnings: [PhotoError]

    /// The same photo, without the memory that its RAW has.
    package func withoutRaw() -> FinishedStill {
        var still = self
        still.raw = nil
        return still
    }
}
