// SPDX-License-Identifier: GPL-3.0-or-later

enum PhotoKeys {
    static let table = SettingsTable(name: "photo", isList: false, help: "The photos.")
    static let format = TypedKey<PhotoSettings.Format>.choice(
        table, "format", default: .original,
        help:
            "`original` keeps the camera's own JPEG unchanged, or makes a JPEG of `quality` if the "
            + "camera delivers none. `jpeg` always makes a JPEG of `quality`. `raw` is `original` "
            + "with a DNG of the sensor's values beside it, if `camera.pixel_format` is a Bayer "
            + "format.")
    static let quality = TypedKey.integer(
        table, "quality", default: 90, in: 1...100,
        help: "JPEG quality.")
    static let mountRotation = TypedKey.integer(
        table, "mount_rotation_deg", default: 0, in: 0...0, 90...90, 180...180, 270...270,
        unit: "degrees",
        help:
            "The rotation of the mounted camera, clockwise seen from behind it. The preview is "
            + "turned; photos (EXIF orientation) and clips carry the rotation, so that viewers "
            + "show them upright."
    ).map({ MountRotation(rawValue: $0) ?? .degrees0 }, back: \.rawValue)
    static let orientation = TypedKey<PhotoSettings.Orientation>.choice(
        table, "orientation", default: .fixed,
        help:
            "Whether photos are turned only by `mount_rotation_deg` (`fixed`), or also by the "
            + "board's accelerometer at the shutter moment (`sensor`).")
    static let burstCount = TypedKey.integer(
        table, "burst_count", default: 10, in: 2...100,
        help:
            "The number of photos that the action `burst` takes, one of each frame. A flash lights "
            + "them for at most `flash.maximum_ms`.")
    static let loop = TypedKey.number(
        table, "loop_s", default: 1, in: 0.2...5, unit: "s",
        help:
            "The time from the first to the last frame of the action `loop`. The loop plays "
            + "forward and backward, three times, and has no flash.")
    static let thumbnail = TypedKey.boolean(
        table, "thumbnail", default: true,
        help: "Whether a thumbnail is written into each photo (EXIF).")
    static let latitude = TypedKey.number(
        table, "latitude_deg", default: 0, in: -90...90, unit: "degrees",
        help:
            "The board's latitude in degrees north (WGS 84). It is written with `longitude_deg` "
            + "into photos (EXIF GPS) and clips (ISO 6709), unless both are 0.")
    static let longitude = TypedKey.number(
        table, "longitude_deg", default: 0, in: -180...180, unit: "degrees",
        help: "The board's longitude in degrees east.")
    static let altitude = TypedKey.number(
        table, "altitude_m", default: 0, in: -500...9000, unit: "m",
        help: "The board's altitude, written with the location; 0 is not written.")
    static let all = [
        format.key, quality.key, mountRotation.key, orientation.key, burstCount.key, loop.key,
        thumbnail.key, latitude.key, longitude.key, altitude.key,
    ]
}
