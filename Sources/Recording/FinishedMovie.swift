// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials
public import Media

/// A movie as a complete file.
public struct FinishedMovie: Sendable {
    /// The order's.
    public let id: UUID
    /// The order's; the file survives a power cut.
    public let path: String
    /// Nanoseconds.
    public let duration: Int64
    /// Of the file.
    public let bytes: Int
    /// Pixels as stored, before they are turned.
    public let dimensions: Dimensions
    /// How players turn and mirror it.
    public let orientation: ExifOrientation
    /// Wall time of the first picture: nanoseconds since 1970.
    public let wallTime: Int64
    /// Seconds that local time was ahead of UTC then.
    public let utcOffset: Int
    /// Whether the wall clock was known to be right before it was read.
    public let clockIsRight: Bool
    /// `CLOCK_BOOTTIME` of the first picture, nanoseconds.
    public let bootTime: Int64
    /// Why it ended.
    public let stopReason: MovieStopReason
    /// What the encoder said, where it is the reason.
    public let error: MovieError?
    /// A small JPEG of its first picture, as stored; `nil` where that is from before it was asked for (its pre-roll), or
    /// none could be made.
    public let thumbnail: [UInt8]?
}
