// SPDX-License-Identifier: GPL-3.0-or-later
import Settings
import Testing

@Suite("Defaults and schema")
struct DefaultsTests {
    /// A file with every key of the schema at its default.
    private static let allDefaults: String = {
        var text = ""
        for table in SettingsSchema.tables where table.name != "camera.match" {
            text += "\(table.header)\n"
            for key in SettingsSchema.keys where key.table == table.name {
                let name = key.name.replacing("NAME", with: "shutter")
                text += "\(name) = \(key.defaultValue)\n"
            }
        }
        return text
    }()

    @Test("an empty file gives the defaults", arguments: ["", "\n# nothing\n"])
    func emptyFile(text: String) throws {
        #expect(try Settings.parse(text, fileName: "empty.toml") == Settings())
    }

    @Test("the defaults are the product's")
    func productDefaults() {
        let settings = Settings()
        #expect(settings.library.path == "/var/lib/vitrine/library")
        #expect(settings.library.reserveMegabytes == 512)
        #expect(settings.cameras == [CameraSettings()])
        #expect(settings.cameras.first?.id == "main")
        #expect(settings.cameras.first?.match == nil)
        #expect(settings.cameras.first?.pixelFormat == nil)
        #expect(settings.cameras.first?.width == nil)
        #expect(settings.cameras.first?.frameRate == nil)
        #expect(settings.cameras.first?.preset == "photo")
        #expect(settings.cameras.first?.memory == .auto)
        #expect(settings.cameras.first?.buffers == 0)
        #expect(settings.display.countdownSeconds == 3)
        #expect(settings.display.reviewSeconds == 4)
        #expect(settings.display.mirror)
        #expect(settings.display.rotation == .degrees0)
        #expect(settings.display.gravity == .resizeAspect)
        #expect(settings.display.connector == nil)
        #expect(settings.buttons.map(\.name) == ["shutter"])
        #expect(settings.buttons.first?.isVirtual == true)
        #expect(settings.buttons.first?.debounceMilliseconds == 20)
        #expect(settings.buttons.first?.bias == .pullUp)
        #expect(settings.action(for: "shutter") == .photo)
        #expect(settings.lamp.ready == nil)
        #expect(settings.flash.line == nil)
        #expect(settings.photo.format == .original && settings.photo.quality == 90)
        #expect(settings.photo.mountRotation == .degrees0)
        #expect(settings.photo.orientation == .fixed)
        #expect(settings.photo.burstCount == 10 && settings.photo.loopSeconds == 1)
        #expect(settings.timelapse.intervalSeconds == 10 && settings.timelapse.pause == nil)
        #expect(settings.photo.thumbnail)
        #expect(settings.board.kind == .hardware)
        #expect(settings.log.level == .info)
    }

    @Test("a file with every key at its schema default gives the defaults")
    func schemaDefaultsAreTheDefaults() throws {
        #expect(try Settings.parse(Self.allDefaults, fileName: "defaults.toml") == Settings())
    }

    @Test("every key of the schema is read", arguments: SettingsSchema.keys)
    func everyKeyIsRead(key: SettingsKey) throws {
        // No key's value is a table, so only the code that reads the key refuses one.
        let name = key.name.replacing("NAME", with: "shutter")
        let line = "\(name) = {}"
        let text =
            key.table == "camera.match"
            ? "[[camera]]\nmatch.\(line)"
            : "\(SettingsSchema.tables.first { $0.name == key.table }?.header ?? "")\n\(line)"
        #expect(codes(text) == [.wrongType])
        #expect(problems(text).first?.contains("\(name): is a table, allowed: ") == true)
    }

    @Test("a valid value other than the default changes the settings and is written")
    func everyKeyMatters() throws {
        let others = [
            "library.path": "\"/srv\"", "library.reserve_mb": "7",
            "library.deleted_days": "7", "library.retention_days": "7",
            "library.retention_assets": "7", "library.retention_free_mb": "7",
            "library.require_sync": "false", "library.image_memory_mb": "7",
            "library.picture_memory_mb": "17",
            "library.derived_mb": "7", "camera.id": "\"left\"",
            "camera.position": "\"front\"", "camera.device_type": "\"csi\"",
            "camera.pixel_format": "\"MJPG\"",
            "camera.frame_rate_fps": "12.5", "camera.preset": "\"low\"",
            "camera.memory": "\"mapped\"", "camera.buffers": "16", "camera.make": "\"A\"",
            "camera.model": "\"B\"", "camera.match.serial": "\"1\"",
            "camera.match.path": "\"p\"", "camera.match.driver": "\"uvcvideo\"",
            "display.driver": "\"vc4\"", "display.connector": "\"DSI-1\"",
            "display.mode": "\"800x600\"", "display.rotation_deg": "90",
            "display.off_after_min": "5", "display.splash": "\"/srv/a.png\"",
            "display.gravity": "\"resize\"",
            "display.mirror": "false", "display.ready_hint": "false",
            "display.countdown_s": "0", "display.review_s": "0.5",
            "display.ready_text": "\"Los!\"", "display.saved_text": "\"Gut\"",
            "second_display.driver": "\"udl\"", "second_display.connector": "\"HDMI-A-2\"",
            "second_display.mode": "\"native\"", "second_display.rotation_deg": "180",
            "second_display.gravity": "\"resizeAspectFill\"", "second_display.mirror": "true",
            "button.key": "\"KEY_A\"", "button.line": "\"c:1\"", "button.active_low": "false",
            "button.debounce_ms": "300", "button.bias": "\"as-is\"",
            "button.min_press_ms": "0", "button.stuck_s": "0",
            "actions.NAME.double_press": "\"cancel\"",
            "actions.NAME.long_press": "\"secondary\"",
            "actions.NAME.hold": "\"end_session\"", "gesture.double_press_ms": "300",
            "gesture.long_press_ms": "1000", "gesture.chord_ms": "50",
            "lamp.recording": "\"c:2\"", "lamp.fault": "\"c:3\"", "guest.idle_s": "30.0",
            "playback.sound": "\"Loopback,0\"", "playback.volume_percent": "50",
            "playback.languages": "\"de en-GB\"", "playback.decoder": "\"software\"",
            "sync.remote": "\"s3:photos\"", "sync.rclone_config": "\"/etc/vitrine/rclone.conf\"",
            "sync.device_id": "\"entrance\"", "sync.delete": "\"mirror\"",
            "sync.interval_min": "30", "sync.after_capture": "false",
            "sync.renditions": "true",
            "sync.window": "\"22:00-06:00\"", "sync.bandwidth_kbps": "512",
            "cache.path": "\"/srv/cache\"", "cache.quota_mb": "64", "cache.downloads": "1",
            "cache.stall_s": "5", "cache.proxy": "\"http://proxy.example.org:3128\"",
            "cache.ca_file": "\"/etc/ssl/own.pem\"",
            "content.url": "\"https://example.org/logo.png\"", "content.kind": "\"splash\"",
            "content.lifetime_s": "60",
            "content.sha256":
                "\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"",
            "access.guests": "\"@visitors\"", "access.viewers": "\"carol dave\"",
            "access.services": "\"frame\"", "access.service_access": "\"full\"",
            "actions.NAME.press": "\"none\"", "lamp.ready": "\"c:1\"",
            "lamp.active_low": "true", "flash.line": "\"c:1\"", "flash.active_low": "true",
            "flash.lead_ms": "0", "flash.maximum_ms": "10000", "flash.on": "\"countdown\"",
            "photo.format": "\"raw\"",
            "photo.quality": "1",
            "photo.mount_rotation_deg": "270", "photo.thumbnail": "false",
            "photo.burst_count": "5", "photo.loop_s": "2.5",
            "timelapse.interval_s": "0.5", "timelapse.duration_s": "60.0",
            "timelapse.playback_fps": "25.0", "timelapse.pause": "\"22:30-05:00\"",
            "timelapse.always": "true",
            "detection.wake_on_motion": "true", "detection.codes": "true",
            "detection.interval_s": "2.5",
            "photo.orientation": "\"sensor\"", "photo.latitude_deg": "48.25",
            "recording.countdown_s": "3", "recording.maximum_s": "30.5",
            "recording.maximum_mb": "700",
            "recording.segment_s": "600.0",
            "recording.pre_roll_s": "5.0",
            "recording.pre_roll_memory_mb": "7", "recording.quality": "30",
            "recording.encoder": "\"libx264\"",
            "recording.stabilization": "\"auto\"",
            "recording.preset": "\"fast\"", "recording.microphone": "\"auto\"",
            "recording.sound_channels": "2",
            "photo.longitude_deg": "-16.5", "photo.altitude_m": "171.0",
            "board.name": "\"x\"", "board.kind": "\"simulated\"", "log.level": "\"trace\"",
        ]
        // These keys need a second key and have tests of their own.
        let paired: Set = [
            "camera.width_px", "camera.height_px", "camera.source", "button.device",
            "button.name",
        ]
        for key in SettingsSchema.keys where !paired.contains(key.path) {
            let value = try #require(others[key.path], "no value for \(key.path)")
            let table = SettingsSchema.tables.first { $0.name == key.table }
            let name = key.name.replacing("NAME", with: "shutter")
            let text =
                key.table == "camera.match"
                ? "[[camera]]\nmatch = { \(name) = \(value) }"
                : "\(table?.header ?? "")\n\(name) = \(value)\n"
            let settings = try Settings.parse(text, fileName: "one.toml")
            #expect(settings != Settings(), "\(key.path) is read")
            #expect(settings.toml().contains("\(name) = \(value)"), "\(key.path) is written")
        }
    }

    @Test("keys are unique, have a help text and belong to a table of the schema")
    func schemaIsWhole() {
        #expect(Set(SettingsSchema.keys.map(\.path)).count == SettingsSchema.keys.count)
        for key in SettingsSchema.keys {
            #expect(SettingsSchema.tables.contains { $0.name == key.table })
            #expect(key.help.hasSuffix("."))
            let isSnakeCase = key.name.replacing("NAME.", with: "").allSatisfy {
                $0.isLowercase || $0.isNumber || $0 == "_"
            }
            #expect(isSnakeCase, "\(key.path)")
            if let unit = key.unit {
                let suffix = unit == "degrees" ? "deg" : unit.lowercased()
                #expect(key.name.hasSuffix("_\(suffix)"), "\(key.path) ends with its unit")
            }
        }
    }

    @Test("the reference page has a row for every key, with default and range")
    func reference() {
        let page = SettingsSchema.reference()
        for key in SettingsSchema.keys {
            #expect(
                page.contains("| `\(key.name)` | \(key.type.rawValue) | `\(key.defaultValue)` |"))
        }
        #expect(page.contains("## `[[camera]]`"))
        #expect(
            page.contains(
                "| `countdown_s` | integer | `3` | 0 to 30 s | Seconds from the press to the "
                    + "photo; 0 takes it at the press. |"))
    }

    @Test("a GPIO line is split at its last colon and may be a number")
    func lineNames() {
        #expect(GPIOLineName("pinctrl-bcm2711:GPIO17")?.chip == "pinctrl-bcm2711")
        #expect(GPIOLineName("INT34C5:00:7")?.chip == "INT34C5:00")
        #expect(GPIOLineName("INT34C5:00:7")?.offset == 7)
        #expect(GPIOLineName("gpiochip0:GPIO17")?.offset == nil)
        #expect(GPIOLineName("gpiochip0:99999999999999999999")?.offset == nil)
        #expect(GPIOLineName("GPIO17") == nil)
        #expect(GPIOLineName(":1") == nil)
        #expect(GPIOLineName("a:") == nil)
    }
}
