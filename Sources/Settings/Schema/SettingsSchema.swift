// SPDX-License-Identifier: GPL-3.0-or-later

/// Every table and key of the configuration file. Defaults and ranges live here and nowhere
/// else: decoding, `config check`, the reference page and forms read them from here.
public enum SettingsSchema {
    /// All tables, in the order in which a file lists them.
    public static let tables: [SettingsTable] = [
        LibraryKeys.table, CameraKeys.table, CameraKeys.Match.table, DisplayKeys.table,
        ButtonKeys.table, ActionKeys.table, GestureKeys.table, LampKeys.table, FlashKeys.table,
        PhotoKeys.table,
        GuestKeys.table, AccessKeys.table, BoardKeys.table, LogKeys.table,
    ]

    /// All keys, in the order in which a file lists them.
    public static let keys: [SettingsKey] =
        LibraryKeys.all + CameraKeys.all + CameraKeys.Match.all + DisplayKeys.all
        + ButtonKeys.all + ActionKeys.all + GestureKeys.all + LampKeys.all + FlashKeys.all
        + PhotoKeys.all + GuestKeys.all + AccessKeys.all
        + BoardKeys.all + LogKeys.all

    /// A reference page in Markdown: every table with its keys.
    public static func reference() -> String {
        var page = "# Configuration reference\n\n"
        page += "One TOML file, `/etc/vitrine/vitrine.toml`. Every key may be left out.\n"
        page += "`[[…]]` tables may stand several times; a file without any has one with the\n"
        page += "defaults, and `camera = []` on top of the file means none.\n"
        for table in tables {
            page += "\n## `\(table.header)`\n\n\(table.help)\n\n"
            page += "| key | type | default | allowed | meaning |\n"
            page += "| --- | --- | --- | --- | --- |\n"
            for key in keys where key.table == table.name {
                let cells = [
                    "`\(key.name)`", key.type.rawValue, "`\(key.defaultValue)`",
                    key.allowedText, key.help,
                ]
                let row = cells.map { $0.replacing("|", with: "\\|") }
                page += "| \(row.joined(separator: " | ")) |\n"
            }
        }
        return page
    }
}

enum LibraryKeys {
    static let table = SettingsTable(
        name: "library", isList: false, help: "Where photos are kept.")
    static let path = TypedKey.text(
        table, "path", default: "/var/lib/vitrine/library", .path,
        help: "The library's folder, on a file system with room for the photos. A relative "
            + "path starts at the configuration file's folder.")
    static let reserve = TypedKey.integer(
        table, "reserve_mb", default: 512, in: 0...1_000_000, unit: "MB",
        help: "Free space that photos never take. Below it, pressing the button says that the "
            + "library is full.")
    static let deletedDays = TypedKey.integer(
        table, "deleted_days", default: 30, in: 0...3650, unit: "days",
        help:
            "For so long what was deleted can be restored, counted while the clock is right; 0: until "
            + "it is purged.")
    static let retentionDays = TypedKey.integer(
        table, "retention_days", default: 0, in: 0...36_500, unit: "days",
        help:
            "Photos and videos that are older go for good; 0: none does. Favourites stay, and what was "
            + "taken while the clock was not known to be right; so does, with every rule, what was recovered."
    )
    static let retentionAssets = TypedKey.integer(
        table, "retention_assets", default: 0, in: 0...100_000_000,
        help:
            "So many photos and videos are kept besides favourites, which are not counted; the oldest others "
            + "go for good. 0: all are kept.")
    static let retentionFree = TypedKey.integer(
        table, "retention_free_mb", default: 0, in: 0...100_000_000, unit: "MB",
        help:
            "While less is free, what was deleted goes for good, then the oldest photos and videos, but for "
            + "favourites. 0: none "
            + "does. More than `reserve_mb`, or the library is full before that.")
    static let requiresSync = TypedKey.boolean(
        table, "require_sync", default: true,
        help:
            "Whether only that goes by age, number and space which a remote has. Nothing is synced yet: "
            + "until it is, `false` is what lets these rules work.")
    static let imageMemory = TypedKey.integer(
        table, "image_memory_mb", default: 64, in: 1...65_536, unit: "MB",
        help: "So much memory is for decoded pictures that are kept at hand.")
    static let derived = TypedKey.integer(
        table, "derived_mb", default: 256, in: 0...1_000_000, unit: "MB",
        help:
            "So much space is for pictures of the screen's size that are kept. They can be made again: those "
            + "that nobody has looked at for the longest time go, and none is written below `reserve_mb`."
    )
    static let all = [
        path.key, reserve.key, deletedDays.key, retentionDays.key, retentionAssets.key,
        retentionFree.key, requiresSync.key, imageMemory.key, derived.key,
    ]
}

enum CameraKeys {
    static let table = SettingsTable(
        name: "camera", isList: true,
        help: "A camera. Without `match` it is the first camera that is found. Of several only the "
            + "first is used so far.")
    static let id = TypedKey.text(
        table, "id", default: "main", .name, help: "The camera's name in status and commands.")
    static let position = TypedKey.choice(
        table, "position", default: "external", of: ["front", "back", "external"],
        help: "Where the camera looks: at the person (`front`), away from them (`back`), or it "
            + "stands apart. The turns of `orientation = \"sensor\"` are the other way round for "
            + "one that looks at the person."
    )
    static let pixelFormat = TypedKey.text(
        table, "pixel_format", default: "auto", .pixelFormat,
        help: "The format to ask the camera for; `auto` takes the one that costs least."
    ).optional(none: "auto")
    static let width = TypedKey.integer(
        table, "width_px", default: 0, in: 0...0, 16...16384, unit: "px",
        help: "The frame's width, together with `height_px`; 0 leaves the size to `preset`."
    ).optional(none: 0)
    static let height = TypedKey.integer(
        table, "height_px", default: 0, in: 0...0, 16...16384, unit: "px",
        help: "The frame's height, together with `width_px`; 0 leaves the size to `preset`."
    ).optional(none: 0)
    static let frameRate = TypedKey.number(
        table, "frame_rate_fps", default: 0, in: 0...1000, unit: "fps",
        help: "Frames per second; 0 takes the most that the camera gives at its size, up to 60."
    ).optional(none: 0)
    static let preset = TypedKey.choice(
        table, "preset", default: "photo",
        of: [
            "low", "medium", "high", "photo", "640x480", "1280x720", "1920x1080", "3840x2160",
            "inputPriority",
        ],
        help: "The capture size where `width_px` and `height_px` say none; `photo` is the "
            + "largest, `inputPriority` takes what `pixel_format` and the size leave of it.")
    static let memory = TypedKey<MemoryPolicy>.choice(
        table, "memory", default: .auto,
        help: "Who allocates frames: the camera (`exported`), the display side (`imported`), or "
            + "the camera with copying (`mapped`); `auto` probes for the cheapest that works.")
    static let buffers = TypedKey.integer(
        table, "buffers", default: 0, in: 0...0, 3...16,
        help: "Frames in the camera's queue; 0 is automatic.")
    static let make = TypedKey.text(
        table, "make", default: "", .line,
        help: "The maker written into photos (EXIF); empty leaves it out.")
    static let model = TypedKey.text(
        table, "model", default: "", .line,
        help: "The model written into photos (EXIF); empty takes the camera's own name.")
    static let source = TypedKey.text(
        table, "source", default: "", .source,
        help: "What a simulated camera shows (`match.driver = \"simulated\"`): `pattern`, or a "
            + "video file or folder of photos. Empty is `pattern`. A relative path starts at "
            + "the configuration file's folder.")
    static let all = [
        id.key, position.key, pixelFormat.key, width.key, height.key, frameRate.key, preset.key,
        memory.key, buffers.key, make.key, model.key, source.key,
    ]

    enum Match {
        static let table = SettingsTable(
            name: "camera.match", isList: false,
            help: "Which device is this camera: the first that has everything given here. In "
                + "the file `match = { serial = \"…\" }` inside its `[[camera]]`. Twins share a "
                + "name: tell them apart by serial or path.")
        static let serial = TypedKey.text(
            table, "serial", default: "", .line, help: "The device's serial number."
        ).optional(none: "")
        static let path = TypedKey.text(
            table, "path", default: "", .line,
            help: "The bus path, such as `usb-0000:01:00.0-1.3`; or a device node."
        ).optional(none: "")
        static let driver = TypedKey.text(
            table, "driver", default: "", .line,
            help: "The kernel driver, such as `uvcvideo`; `simulated` is a camera without a "
                + "device."
        ).optional(none: "")
        static let all = [serial.key, path.key, driver.key]
    }
}

enum DisplayKeys {
    static let table = SettingsTable(
        name: "display", isList: false, help: "The screen and what people see on it.")
    static let driver = TypedKey.text(
        table, "driver", default: "", .line,
        help: "The DRM driver to use, such as `vc4`; empty is the first that has a connector."
    ).optional(none: "")
    static let connector = TypedKey.text(
        table, "connector", default: "", .line,
        help: "The connector to use, such as `HDMI-A-1`; empty is the first with a display."
    ).optional(none: "")
    static let mode = TypedKey.text(
        table, "mode", default: "auto", .mode,
        help: "The screen's mode: `native` is the display's preferred one, `auto` may take one "
            + "that matches the camera where the hardware cannot scale.")
    static let rotation = TypedKey.integer(
        table, "rotation_deg", default: 0, in: 0...0, 90...90, 180...180, 270...270,
        unit: "degrees",
        help:
            "How far everything on the screen is turned, clockwise, for a display that is mounted "
            + "turned the other way."
    ).map({ MountRotation(rawValue: $0) ?? .degrees0 }, back: \.rawValue)
    static let gravity = TypedKey<DisplaySettings.Gravity>.choice(
        table, "gravity", default: .resizeAspect,
        help: "How the picture fills the screen: whole (`resizeAspect`), cropped "
            + "(`resizeAspectFill`) or stretched (`resize`).")
    static let mirror = TypedKey.boolean(
        table, "mirror", default: true,
        help: "Show the preview like a looking glass. Photos are never mirrored.")
    static let readyHint = TypedKey.boolean(
        table, "ready_hint", default: true,
        help: "Show `ready_text` while nothing happens, or why no button takes photos.")
    static let countdown = TypedKey.integer(
        table, "countdown_s", default: 3, in: 0...30, unit: "s",
        help: "Seconds from the press to the photo; 0 takes it at the press.")
    static let review = TypedKey.number(
        table, "review_s", default: 4, in: 0...60, unit: "s",
        help: "How long the photo stays on the screen; 0 goes straight back to the preview.")
    static let offAfter = TypedKey.integer(
        table, "off_after_min", default: 0, in: 0...1440, unit: "min",
        help:
            "The screen is switched off (standby) when no button has been pressed for so long; the "
            + "next press switches it on and does nothing else. 0 never does that.")
    static let splash = TypedKey.text(
        table, "splash", default: "", .source,
        help:
            "A PNG picture for the screen while the kiosk starts, and when the display is set up anew; "
            + "empty is Vitrine's own. A relative path starts at the configuration file's folder.")
    static let readyText = TypedKey.text(
        table, "ready_text", default: "Press the button", .screenText,
        help: "What the screen says while it waits.")
    static let savedText = TypedKey.text(
        table, "saved_text", default: "Saved", .screenText,
        help: "What the screen says once the photo is safely stored.")
    static let all = [
        driver.key, connector.key, mode.key, rotation.key, gravity.key, mirror.key, readyHint.key,
        countdown.key, review.key, offAfter.key, splash.key, readyText.key, savedText.key,
    ]
}

enum ButtonKeys {
    static let table = SettingsTable(
        name: "button", isList: true,
        help: "A button: a GPIO line, a key of a keyboard, or neither. One with neither is "
            + "virtual, pressed by `vitrine press NAME` only.")
    static let name = TypedKey.text(
        table, "name", default: "shutter", .name,
        help: "The button's name in `[actions]`, status and `vitrine press NAME`.")
    static let line = TypedKey.text(
        table, "line", default: "", .gpioLine,
        help: "The GPIO line: the chip's label or name, a colon, the line's name or number."
    ).map(GPIOLineName.init, back: { $0?.description ?? "" })
    static let key = TypedKey.text(
        table, "key", default: "", .eventKey,
        help:
            "The key, by its name in linux/input-event-codes.h; many kiosk buttons are USB keyboards."
    ).optional(none: "")
    static let device = TypedKey.text(
        table, "device", default: "", .line,
        help: "The input device that has the key, by name; empty is any. Only with `key`."
    ).optional(none: "")
    static let activeLow = TypedKey.boolean(
        table, "active_low", default: true,
        help: "The line is low while the button is pressed, as with a button to ground.")
    static let debounce = TypedKey.integer(
        table, "debounce_ms", default: 20, in: 1...1000, unit: "ms",
        help: "How long a line must be quiet before it counts.")
    static let shortestPress = TypedKey.integer(
        table, "min_press_ms", default: 3, in: 0...100, unit: "ms",
        help: "A single pulse that is shorter is interference and no press; 0 takes every edge.")
    static let stuck = TypedKey.integer(
        table, "stuck_s", default: 60, in: 0...3600, unit: "s",
        help: "A button that is held for longer is reported as stuck and does nothing until it is "
            + "let go; 0 never does that.")
    static let bias = TypedKey<ButtonSettings.Bias>.choice(
        table, "bias", default: .pullUp, help: "The line's pull resistor inside the chip.")
    static let all = [
        name.key, line.key, key.key, device.key, activeLow.key, debounce.key,
        shortestPress.key, stuck.key, bias.key,
    ]
}

enum ActionKeys {
    static let table = SettingsTable(
        name: "actions", isList: false,
        help:
            "What buttons do, by name: `shutter.press = \"photo\"`. Several buttons at once are a "
            + "chord: `\"left+right\".press = \"end_session\"`. With one button only, "
            + "`shutter.press = \"primary\"` and `shutter.long_press = \"secondary\"` do what fits "
            + "the moment.")
    static let press = TypedKey<Settings.Action>.choice(
        table, "NAME.press", default: .photo,
        help: "What a press of the button NAME does. `photo` takes one, `cancel` ends a countdown "
            + "or review, `primary` is what the screen suggests (a photo; during a countdown its "
            + "end), `secondary` the way back (out of a countdown or review, else the end of the "
            + "guest's session), `end_session` ends that; `none` is nothing. Of a chord "
            + "the default is `none`.")
    static let doublePress = TypedKey<Settings.Action>.choice(
        table, "NAME.double_press", default: .nothing,
        help: "What two presses do. With an action, a single press waits for the second.")
    static let longPress = TypedKey<Settings.Action>.choice(
        table, "NAME.long_press", default: .nothing,
        help: "What a press that is held does, while it is still held. With an action, a single "
            + "press counts when it is let go.")
    static let hold = TypedKey<Settings.Action>.choice(
        table, "NAME.hold", default: .nothing,
        help: "What begins when the button is held: with the actions that there are, the same as "
            + "`long_press`, and not together with it.")
    static let all = [press.key, doublePress.key, longPress.key, hold.key]

    /// The key of a gesture.
    static func key(_ gesture: Settings.Gesture) -> TypedKey<Settings.Action> {
        switch gesture {
        case .press: press
        case .doublePress: doublePress
        case .longPress: longPress
        case .hold: hold
        }
    }
}

enum GestureKeys {
    static let table = SettingsTable(
        name: "gesture", isList: false,
        help: "How gestures are told apart. A button waits only for what `[actions]` gives it.")
    static let doublePress = TypedKey.integer(
        table, "double_press_ms", default: 400, in: 100...2000, unit: "ms",
        help: "From one press to the second of a double press.")
    static let longPress = TypedKey.integer(
        table, "long_press_ms", default: 800, in: 200...10000, unit: "ms",
        help: "How long a long press or hold is held before it counts.")
    static let chord = TypedKey.integer(
        table, "chord_ms", default: 100, in: 20...1000, unit: "ms",
        help: "From a chord's first button to its last.")
    static let all = [doublePress.key, longPress.key, chord.key]
}

enum LampKeys {
    static let table = SettingsTable(
        name: "lamp", isList: false, help: "The lamps of the kiosk's case.")
    static let ready = line(
        "ready",
        "The GPIO line of a lamp that is lit while a press is welcome, as in `[[button]]`; empty is "
            + "none. Without a fault lamp it flashes while no photos can be taken.")
    static let recording = line(
        "recording", "The GPIO line of a lamp for clips, which are not recorded yet; empty is none."
    )
    static let fault = line(
        "fault",
        "The GPIO line of a lamp that flashes while something is wrong; empty is none. One flash: "
            + "the camera; two: the library; three: the display; four: a button or lamp; five: "
            + "something else.")
    static let activeLow = TypedKey.boolean(
        table, "active_low", default: false, help: "The lamps are lit while their lines are low.")
    static let all = [ready.key, recording.key, fault.key, activeLow.key]

    private static func line(_ name: String, _ help: String) -> TypedKey<GPIOLineName?> {
        TypedKey.text(table, name, default: "", .gpioLine, help: help)
            .map(GPIOLineName.init, back: { $0?.description ?? "" })
    }
}

enum FlashKeys {
    static let table = SettingsTable(
        name: "flash", isList: false, help: "A light that is on around the shutter moment.")
    static let line = TypedKey.text(
        table, "line", default: "", .gpioLine,
        help: "The GPIO line of the light, as in `[[button]]`; empty is none."
    ).map(GPIOLineName.init, back: { $0?.description ?? "" })
    static let activeLow = TypedKey.boolean(
        table, "active_low", default: false, help: "The light is on while its line is low.")
    static let lead = TypedKey.integer(
        table, "lead_ms", default: 100, in: 0...2000, unit: "ms",
        help: "How long before the photo the light goes on: as long as it takes to be up, and two "
            + "frames more. Without a countdown it goes on at the press, and the photo is so much "
            + "later.")
    static let maximum = TypedKey.integer(
        table, "maximum_ms", default: 1000, in: 1...10000, unit: "ms",
        help: "After this time, counted anew for each photo, the light goes off, whatever happens.")
    static let all = [line.key, activeLow.key, lead.key, maximum.key]
}

enum PhotoKeys {
    static let table = SettingsTable(name: "photo", isList: false, help: "The photos.")
    static let quality = TypedKey.integer(
        table, "quality", default: 90, in: 1...100,
        help: "JPEG quality. A camera's own JPEG is kept as it is.")
    static let mountRotation = TypedKey.integer(
        table, "mount_rotation_deg", default: 0, in: 0...0, 90...90, 180...180, 270...270,
        unit: "degrees",
        help: "How far the camera is mounted turned, clockwise seen from behind it: written into "
            + "photos (EXIF orientation), so that they stand upright."
    ).map({ MountRotation(rawValue: $0) ?? .degrees0 }, back: \.rawValue)
    static let orientation = TypedKey<PhotoSettings.Orientation>.choice(
        table, "orientation", default: .fixed,
        help:
            "Whether photos are turned only by `mount_rotation_deg` (`fixed`), or also by what the "
            + "board's accelerometer says at the shutter moment (`sensor`).")
    static let thumbnail = TypedKey.boolean(
        table, "thumbnail", default: true, help: "Write a small picture into each photo (EXIF).")
    static let latitude = TypedKey.number(
        table, "latitude_deg", default: 0, in: -90...90, unit: "degrees",
        help:
            "Where the board stands, in degrees north (WGS 84): written into photos (EXIF GPS) together with "
            + "`longitude_deg`; where both are 0 no place is.")
    static let longitude = TypedKey.number(
        table, "longitude_deg", default: 0, in: -180...180, unit: "degrees",
        help: "Where the board stands, in degrees east.")
    static let altitude = TypedKey.number(
        table, "altitude_m", default: 0, in: -500...9000, unit: "m",
        help: "How high the board stands, written with the place; 0 is not written.")
    static let all = [
        quality.key, mountRotation.key, orientation.key, thumbnail.key, latitude.key,
        longitude.key, altitude.key,
    ]
}

enum GuestKeys {
    static let table = SettingsTable(
        name: "guest", isList: false,
        help: "Guests: the photos of one visit bear the same `sessionId`.")
    static let idle = TypedKey.number(
        table, "idle_s", default: 120, in: 5...86400, unit: "s",
        help: "A visit ends when nobody has pressed a button for so long; `end_session` in "
            + "`[actions]` ends it at once.")
    static let all = [idle.key]
}

enum AccessKeys {
    static let table = SettingsTable(
        name: "access", isList: false,
        help: "Who may do what through a running appliance. All must be in the socket's group, "
            + "`vitrine`, whose members may do everything unless they are named here; root and the "
            + "appliance's own user always may. Names of users, and of groups behind `@`, with spaces "
            + "in between.")
    static let guests = TypedKey.text(
        table, "guests", default: "", .line,
        help: "They press the buttons and see the photos of the visit that is going on.")
    static let viewers = TypedKey.text(
        table, "viewers", default: "", .line,
        help: "They see all photos and what the screen shows, and change nothing.")
    static let services = TypedKey.text(
        table, "services", default: "", .line,
        help: "Programs; they press the buttons, and `service_access` says what else.")
    static let serviceAccess = TypedKey<AccessSettings.ServiceAccess>.choice(
        table, "service_access", default: .addOnly,
        help: "What programs may do with the library: `add_only` photos and videos, `read` all, or "
            + "`full`: both, and change what is known of them.")
    static let all = [guests.key, viewers.key, services.key, serviceAccess.key]
}

enum BoardKeys {
    static let table = SettingsTable(
        name: "board", isList: false, help: "The machine that Vitrine runs on.")
    static let name = TypedKey.text(
        table, "name", default: "", .line,
        help: "The board's name in status; empty is the machine's own model.")
    static let kind = TypedKey<BoardSettings.Kind>.choice(
        table, "kind", default: .hardware,
        help: "`hardware` uses the kernel's devices; `simulated` has a screen in memory and a "
            + "virtual panel, and touches none.")
    static let all = [name.key, kind.key]
}

enum LogKeys {
    static let table = SettingsTable(name: "log", isList: false, help: "The log.")
    static let level = TypedKey<LogSettings.Level>.choice(
        table, "level", default: .info, help: "The least important messages that are written.")
    static let all = [level.key]
}
