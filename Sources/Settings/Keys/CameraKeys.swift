// SPDX-License-Identifier: GPL-3.0-or-later

enum CameraKeys {
    static let table = SettingsTable(
        name: "camera", isList: true,
        help:
            "A camera. Without `match` it is the first camera found. The first of several cameras "
            + "is used until a button with the action `switch_camera`, or `vitrine devices use`, "
            + "changes to another.")
    static let id = TypedKey.text(
        table, "id", default: "main", .name, help: "The camera's name in status and commands.")
    static let position = TypedKey.choice(
        table, "position", default: "external", of: ["front", "back", "external"],
        help:
            "Where the camera points: at the guest (`front`), away from the guest (`back`, shown "
            + "unmirrored), or it stands apart (`external`). With `orientation = \"sensor\"`, "
            + "photos of a `front` camera are turned the other way round.")
    static let deviceType = TypedKey.choice(
        table, "device_type", default: "any", of: ["any", "usb", "csi", "hdmiBridge", "simulated"],
        help:
            "The preferred connection if several cameras match; if none has it, any camera that "
            + "matches is used.")
    static let pixelFormat = TypedKey.text(
        table, "pixel_format", default: "auto", .pixelFormat,
        help: "The format requested from the camera; `auto` takes the one that costs least."
    ).optional(none: "auto")
    static let width = TypedKey.integer(
        table, "width_px", default: 0, in: 0...0, 16...16384, unit: "px",
        help: "The frame width, together with `height_px`; 0 leaves the size to `preset`."
    ).optional(none: 0)
    static let height = TypedKey.integer(
        table, "height_px", default: 0, in: 0...0, 16...16384, unit: "px",
        help: "The frame height, together with `width_px`; 0 leaves the size to `preset`."
    ).optional(none: 0)
    static let frameRate = TypedKey.number(
        table, "frame_rate_fps", default: 0, in: 0...1000, unit: "fps",
        help: "Frames per second; 0 takes the most that the camera delivers at its size, up to 60."
    ).optional(none: 0)
    static let preset = TypedKey.choice(
        table, "preset", default: "photo",
        of: [
            "low", "medium", "high", "photo", "640x480", "1280x720", "1920x1080", "3840x2160",
            "inputPriority",
        ],
        help:
            "The capture size if `width_px` and `height_px` are 0. `photo` and `inputPriority` are "
            + "then the largest size.")
    static let memory = TypedKey<MemoryPolicy>.choice(
        table, "memory", default: .auto,
        help:
            "What allocates the frames: the camera (`exported`), the display side (`imported`), or "
            + "the camera with copies (`mapped`). `auto` probes for the cheapest that works.")
    static let buffers = TypedKey.integer(
        table, "buffers", default: 0, in: 0...0, 3...16,
        help: "The number of frames in the camera's queue; 0 is automatic.")
    static let make = TypedKey.text(
        table, "make", default: "", .line,
        help: "The maker written into photos (EXIF) and clips; empty omits it.")
    static let model = TypedKey.text(
        table, "model", default: "", .line,
        help: "The model written into photos (EXIF) and clips; empty for the camera's own name.")
    static let source = TypedKey.text(
        table, "source", default: "", .source,
        help:
            "What a simulated camera shows (`match.driver = \"simulated\"`): `pattern`, a video "
            + "file or a folder of photos; empty is `pattern`. A relative path starts at the "
            + "configuration file's folder.")
    static let all = [
        id.key, position.key, deviceType.key, pixelFormat.key, width.key, height.key, frameRate.key,
        preset.key,
        memory.key, buffers.key, make.key, model.key, source.key,
    ]

    enum Match {
        static let table = SettingsTable(
            name: "camera.match", isList: false,
            help:
                "The device of this camera: the first that has every property given here. In the "
                + "file it is `match = { serial = \"…\" }` inside its `[[camera]]`. Cameras of one "
                + "model share a name; tell them apart by serial or path.")
        static let serial = TypedKey.text(
            table, "serial", default: "", .line, help: "The device's serial number."
        ).optional(none: "")
        static let path = TypedKey.text(
            table, "path", default: "", .line,
            help: "The bus path, such as `usb-0000:01:00.0-1.3`, or a device node."
        ).optional(none: "")
        static let driver = TypedKey.text(
            table, "driver", default: "", .line,
            help: "The kernel driver, such as `uvcvideo`; `simulated` is a camera without a "
                + "device."
        ).optional(none: "")
        static let all = [serial.key, path.key, driver.key]
    }
}
