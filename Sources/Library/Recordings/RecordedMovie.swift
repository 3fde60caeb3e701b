// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials
public import Media

/// The properties of a movie before its first picture, for ``AssetLibrary/beginRecording(_:)``.
public struct NewRecording: Sendable {
    /// The id of the later asset, chosen by the caller.
    public var id: UUID
    /// The time when the recording begins.
    public var createdAt: WallTime
    /// How far ``createdAt`` can be trusted.
    public var timeConfidence: Asset.TimeConfidence
    /// The boot to which ``boottime`` belongs.
    public var bootID: String?
    /// `CLOCK_BOOTTIME` at ``createdAt``, in nanoseconds. A later correction of the time needs it.
    public var boottime: Int64?
    /// The name of the camera.
    public var deviceName: String?
    /// The guest session to which the movie belongs, if any.
    public var sessionID: String?
    /// The place where the movie is recorded, if known.
    public var location: Location?
    /// The subtypes, such as a time-lapse.
    public var mediaSubtypes: MediaSubtypes = []

    /// Creates a recording whose other properties are unknown.
    public init(id: UUID, createdAt: WallTime, timeConfidence: Asset.TimeConfidence = .unknown) {
        self.id = id
        self.createdAt = createdAt
        self.timeConfidence = timeConfidence
    }
}

/// A movie whose file is complete, for ``AssetLibrary/finishRecording(_:)``.
public struct RecordedMovie: Sendable {
    /// The recording as it was begun, with the time of its first picture.
    public var recording: NewRecording
    /// Width and height in pixels, as stored.
    public var dimensions: Dimensions
    /// EXIF orientation of its pictures, 1 to 8.
    public var orientation: Int
    /// The playing time.
    public var duration: MediaTime
    /// A small JPEG of the movie, which can be made again.
    public var thumbnail: [UInt8]?

    /// Creates a movie from its parts.
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
