// SPDX-License-Identifier: GPL-3.0-or-later

enum PhotoKeys {
    static let table = SettingsTable(name: "photo", isList: false, help: "The photos.")
    static let format = TypedKey<PhotoSettings.Format>.choice(
        table, "format", default: .original,
        help:
            "As what photos are kept: a camera's own JPEG as it is (`original`; JPEG of `quality` "
            + "where it delivers none), always JPEG of `quality` (`jpeg`), or what `original` says and, beside "
            + "it as DNG, what the sensor measured (`raw`; where `camera.pixel_format` is a Bayer format)."
    )
    static let quality = TypedKey.integer(
        table, "quality", default: 90, in: 1...100,
        help: "JPEG quality.")
    static let mountRotation = TypedKey.integer(
        table, "mount_rotation_deg", default: 0, in: 0...0, 90...90, 180...180, 270...270,
        unit: "degrees",
        help:
            "How far the camera is mounted turned, clockwise seen from behind it: the preview is turned, photos "
            + "(EXIF orientation) and clips say it, so that they stand upright."
    ).map({ MountRotation(rawValue: $0) ?? .degrees0 }, back: \.rawValue)
    static let orientation = TypedKey<PhotoSettings.Orientation>.choice(
        table, "orientation", default: .fixed,
        help:
            "Whether photos are turned only by `mount_rotation_deg` (`fixed`), or also by what the "
            + "board's accelerometer says at the shutter moment (`sensor`).")
    static let burstCount = TypedKey.integer(
        table, "burst_count", default: 10, in: 2...100,
        help:
            "Photos that the action `burst` takes, one of each frame of the camera. A flash lights them for "
            + "`flash.maximum_ms` at the most.")
    static let loop = TypedKey.number(
        table, "loop_s", default: 1, in: 0.2...5, unit: "s",
        help:
            "From the first to the last frame that the action `loop` takes; shown forward and backward, three times. No "
            + "flash lights it."
    )
    static let thumbnail = TypedKey.boolean(
        table, "thumbnail", default: true, help: "Write a small picture into each photo (EXIF).")
    static let latitude = TypedKey.number(
        table, "latitude_deg", default: 0, in: -90...90, unit: "degrees",
        help:
            "Where the board stands, in degrees north (WGS 84): written into photos (EXIF GPS) and clips "
            + "(ISO 6709) together with `longitude_deg`; where both are 0 no place is.")
    static let longitude = TypedKey.number(
        table, "longitude_deg", default: 0, in: -180...180, unit: "degrees",
        help: "Where the board stands, in degrees east.")
    static let altitude = TypedKey.number(
        table, "altitude_m", default: 0, in: -500...9000, unit: "m",
        help: "How high the board stands, written with the place; 0 is not written.")
    static let all = [
        format.key, quality.key, mountRotation.key, orientation.key, burstCount.key, loop.key,
        thumbnail.key, latitude.key, longitude.key, altitude.key,
    ]
}
