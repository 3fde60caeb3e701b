// SPDX-License-Identifier: GPL-3.0-or-later

/// The photos.
public struct PhotoSettings: Sendable, Equatable {
    /// What turns photos upright, besides how the camera is mounted.
    public enum Orientation: String, Sendable, CaseIterable {
        /// Nothing.
        case fixed
        /// The board's accelerometer.
        case sensor
    }

    /// As what photos are kept.
    public enum Format: String, Sendable, CaseIterable {
        /// The camera's own JPEG; without one as ``jpeg``.
        case original
        /// JPEG of ``quality``.
        case jpeg
        /// As ``original``, with what the sensor measured beside it.
        case raw
    }

    /// As what photos are kept.
    public var format: Format
    /// JPEG quality, 1 to 100.
    public var quality: Int
    /// How far the camera is mounted turned.
    public var mountRotation: MountRotation
    /// What else turns photos.
    public var orientation: Orientation
    /// Photos of a burst.
    public var burstCount: Int
    /// Of a loop, one way.
    public var loopSeconds: Double
    /// Whether photos carry a small picture.
    public var thumbnail: Bool
    /// Where the board stands, in degrees north; with ``longitude`` 0: not known.
    public var latitude: Double
    /// In degrees east.
    public var longitude: Double
    /// In metres; 0: not known.
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

/// How far something is turned clockwise, in degrees: a camera seen from behind it, a display's picture seen
/// from before it.
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
