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
    public var format: Format
    /// JPEG quality, 1 to 100.
    public var quality: Int
    /// The rotation of the mounted camera.
    public var mountRotation: MountRotation
    /// The source of further rotation.
    public var orientation: Orientation
    /// The number of photos in a burst.
    public var burstCount: Int
    /// The length of a loop in one direction.
    public var loopSeconds: Double
    /// Whether photos contain a thumbnail.
    public var thumbnail: Bool
    /// The board's position in degrees north. The position is unknown if ``longitude`` is also 0.
    public var latitude: Double
    /// The board's position in degrees east.
    public var longitude: Double
    /// The board's height in metres; 0 for unknown.
    public var altitude: Double

    /// The defaults.
    public init() {
        var decoder = SettingsDecoder.empty
        self.init(nil, &decoder)
    }

    init(_ table: Int?, _ decoder: inout SettingsDecoder) {
        decoder.refuseUnknownKeys(in: table, PhotoKeys.table)
        format = decoder.value(PhotoKeys.format, in: table)
        quality = decoder.value(PhotoKeys.quality, in: table)
        mountRotation = decoder.value(PhotoKeys.mountRotation, in: table)
        orientation = decoder.value(PhotoKeys.orientation, in: table)
        burstCount = decoder.value(PhotoKeys.burstCount, in: table)
        loopSeconds = decoder.value(PhotoKeys.loop, in: table)
        thumbnail = decoder.value(PhotoKeys.thumbnail, in: table)
        latitude = decoder.value(PhotoKeys.latitude, in: table)
        longitude = decoder.value(PhotoKeys.longitude, in: table)
        altitude = decoder.value(PhotoKeys.altitude, in: table)
    }

    func write(to writer: inout TOMLWriter) {
        writer.start(PhotoKeys.table)
        writer.write(PhotoKeys.format, format)
        writer.write(PhotoKeys.quality, quality)
        writer.write(PhotoKeys.mountRotation, mountRotation)
        writer.write(PhotoKeys.orientation, orientation)
        writer.write(PhotoKeys.burstCount, burstCount)
        writer.write(PhotoKeys.loop, loopSeconds)
        writer.write(PhotoKeys.thumbnail, thumbnail)
        writer.write(PhotoKeys.latitude, latitude)
        writer.write(PhotoKeys.longitude, longitude)
        writer.write(PhotoKeys.altitude, altitude)
    }
}

/// A clockwise rotation in degrees: of a camera seen from behind it, or of a display's picture seen
/// from its front.
public enum MountRotation: Int, Sendable, CaseIterable {
    /// Upright.
    case degrees0 = 0
    /// A quarter turn clockwise.
    case degrees90 = 90
    /// Upside down.
    case degrees180 = 180
    /// A quarter turn anticlockwise.
    case degrees270 = 270
}
