// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials
public import Media

/// What is known of a movie before its first picture, for ``AssetLibrary/beginRecording(_:)``.
public struct NewRecording: Sendable {
    /// The asset's, later; chosen by the caller.
    public var id: UUID
    /// When it begins.
    public var createdAt: WallTime
    /// How far ``createdAt`` can be trusted.
    public var timeConfidence: Asset.TimeConfidence
    /// The boot that ``boottime`` belongs to.
    public var bootID: String?
    /// `CLOCK_BOOTTIME` nanoseconds at ``createdAt``: lets the time be corrected later.
    public var boottime: Int64?
    /// The camera.
    public var deviceName: String?
    /// The guest's session it belongs to, if any.
    public var sessionID: String?
    /// Where it is taken, if that is known.
    public var location: Location?
    /// What it is besides a video.
    public var mediaSubtypes: MediaSubtypes = []

    /// Of a movie of which no more is known.
    public init(id: UUID, createdAt: WallTime, timeConfidence: Asset.TimeConfidence = .unknown) {
        self.id = id
        self.createdAt = createdAt
        self.timeConfidence = timeConfidence
    }
}

/// A movie whose file is complete, for ``AssetLibrary/finishRecording(_:)``.
public struct RecordedMovie: Sendable {
    /// As it was begun, with the time of its first picture.
    public var recording: NewRecording
    /// Pixels, as stored.
    public var dimensions: Dimensions
    /// EXIF orientation, 1 to 8, of its pictures.
    public var orientation: Int
    /// How long it plays.
    public var duration: MediaTime
    /// A small JPEG of it; can be made again.
    public var thumbnail: [UInt8]?

    /// Of the given parts.
    public init(
        _ recording: NewRecording, dimensions: Dimensions, orientation: Int, duration: MediaTime,
        thumbnail: [UInt8]? = nil
    ) {
        self.recording = recording
        self.dimensions = dimensions
        self.orientation = orientation
        self.duration = duration
        self.thumbnail = thumbnail
    }
}
