// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials
public import Media

/// A photo as a complete file in memory, ready to be stored.
public struct FinishedStill: Sendable {
    /// The identifier of the photo, and later of its asset.
    public let id: UUID
    /// The bytes of the JPEG file, in order.
    public let chunks: [[UInt8]]
    /// The stored size in pixels, before the orientation is applied.
    public let dimensions: Dimensions
    /// The EXIF orientation, 1 to 8.
    public let orientation: Int
    /// The frame's wall time in nanoseconds since 1970.
    public let wallTime: Int64
    /// Seconds by which local time was ahead of UTC at ``wallTime``.
    public let utcOffset: Int
    /// Whether the wall clock was known to be right before it was read.
    public let clockIsRight: Bool
    /// The frame's `CLOCK_BOOTTIME` in nanoseconds.
    public let bootTime: Int64
    /// The camera's frame counter.
    public let frameSequence: UInt32
    /// The frame's time minus the shutter moment, in nanoseconds.
    public let shutterOffset: Int64
    /// The place of the photo; `nil` if unknown.
    public let location: Location?
    /// A DNG of the sensor's raw data; `nil` if not wanted or not available.
    public private(set) var raw: [UInt8]?
    /// A small JPEG of the photo.
    public let thumbnail: [UInt8]?
    /// The sharpness, if measured: the sharpest still of a burst has the highest value.
    public let sharpness: Double?
    /// Why a wanted ``thumbnail``, ``raw`` or quality is missing; the photo itself is whole.
    public let warnings: [PhotoError]

    /// Returns the photo without its RAW, whose memory it frees.
    package func withoutRaw() -> FinishedStill {
        var still = self
        still.raw = nil
        return still
    }
}
