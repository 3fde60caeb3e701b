// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials
public import Media

/// A movie as a complete file.
public struct FinishedMovie: Sendable {
    /// The identifier from the order.
    public let id: UUID
    /// The path from the order; the file survives a power cut.
    public let path: String
    /// The duration in nanoseconds.
    public let duration: Int64
    /// The size of the file in bytes.
    public let bytes: Int
    /// The stored size in pixels, before the orientation is applied.
    public let dimensions: Dimensions
    /// The orientation that players apply.
    public let orientation: ExifOrientation
    /// The first picture's wall time in nanoseconds since 1970.
    public let wallTime: Int64
    /// Seconds by which local time was ahead of UTC at ``wallTime``.
    public let utcOffset: Int
    /// Whether the wall clock was known to be right before it was read.
    public let clockIsRight: Bool
    /// The first picture's `CLOCK_BOOTTIME` in nanoseconds.
    public let bootTime: Int64
    /// The reason why the recording ended.
    public let stopReason: MovieStopReason
    /// The encoder's error, if that ended the recording.
    public let error: MovieError?
    /// A small JPEG of the first picture, as stored; `nil` if that picture is from the pre-roll, or
    /// no JPEG could be made.
    public let thumbnail: [UInt8]?
}
