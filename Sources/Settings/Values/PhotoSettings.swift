// SPDX-License-Identifier: GPL-3.0-or-later

/// The photos.
public struct PhotoSettings: Sendable, Equatable {
    /// The source of the photos' rotation, apart from the camera's mounting.
    public enum Orientation: String, Sendable, CaseIterable {
        /// No other source.
        case fixed
        /// The board's accelerometer.
        case sensor
    }

    /// The file format of photos.
    public enum Format: String, Sendable, CaseIterable {
        /// The camera's own JPEG; ``jpeg`` if the camera delivers none.
        case original
        /// JPEG with ``quality``.
        case jpeg
        /// Like ``original``, with the sensor's raw data as DNG beside it.
        case raw
    }

    /// The file format of photos.
    public var format = Format.original
    /// JPEG quality, 1 to 100.
    public var quality = 90
    /// The rotation of the mounted camera.
    public var mountRotation = MountRotation.degrees0
    /// The source of further rotation.
    public var orientation = Orientation.fixed
    /// The number of photos in a burst.
    public var burstCount = 10
    /// The length of a loop in one direction.
    public var loopSeconds = 1.0
    /// Whether photos contain a thumbnail.
    public var thumbnail = true
    /// The board's position in degrees north. The position is unknown if ``longitude`` is also 0.
    public var latitude = 0.0
    /// The board's position in degrees east.
    public var longitude = 0.0
    /// The board's height in metres; 0 for unknown.
    public var altitude = 0.0

    /// The defaults.
    public init() {}
}

extension PhotoSettings: TableSettings {
    static let table = SettingsTable("photo", "The photos.")
    static let fields: [SettingsField<Self>] = [
        .key(
            "format", \.format, .choice,
            """
            `original` keeps the camera's own JPEG unchanged, or makes a JPEG of `quality` if the \
            camera delivers none. `jpeg` always makes a JPEG of `quality`. `raw` is `original` \
            with a DNG of the sensor's values beside it, if `camera.pixel_format` is a Bayer \
            format.
            """),
        .key("quality", \.quality, .integer(in: 1...100), "JPEG quality."),
        .key(
            "mount_rotation_deg", \.mountRotation, .rotation,
            """
            The rotation of the mounted camera, clockwise seen from behind it. The preview is \
            turned; photos (EXIF orientation) and clips carry the rotation, so that viewers show \
            them upright.
            """),
        .key(
            "orientation", \.orientation, .choice,
            """
            Whether photos are turned only by `mount_rotation_deg` (`fixed`), or also by the \
            board's accelerometer at the shutter moment (`sensor`).
            """),
        .key(
            "burst_count", \.burstCount, .integer(in: 2...100),
            """
            The number of photos that the action `burst` takes, one of each frame. A flash lights \
            them for at most `flash.maximum_ms`.
            """),
        .key(
            "loop_s", \.loopSeconds, .number(in: 0.2...5, unit: "s"),
            """
            The time from the first to the last frame of the action `loop`. The loop plays forward \
            and backward, three times, and has no flash.
            """),
        .key(
            "thumbnail", \.thumbnail, .boolean,
            "Whether a thumbnail is written into each photo (EXIF)."),
        .key(
            "latitude_deg", \.latitude, .number(in: -90...90, unit: "degrees"),
            """
            The board's latitude in degrees north (WGS 84). It is written with `longitude_deg` \
            into photos (EXIF GPS) and clips (ISO 6709), unless both are 0.
            """),
        .key(
            "longitude_deg", \.longitude, .number(in: -180...180, unit: "degrees"),
            "The board's longitude in degrees east."),
        .key(
            "altitude_m", \.altitude, .number(in: -500...9000, unit: "m"),
            "The board's altitude, written with the location; 0 is not written."),
    ]
}

/// A clockwise rotation in degrees: of a camera seen from behind it, or of a display's picture seen
/// from its front.
public enum MountRotation: Int, Sendable, CaseIterable {
    case degrees0 = 0
    case degrees90 = 90
    case degrees180 = 180
    case degrees270 = 270
}
