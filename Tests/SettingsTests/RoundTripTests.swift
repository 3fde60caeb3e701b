// SPDX-License-Identifier: GPL-3.0-or-later
import Settings
import TestSupport
import Testing

@Suite("Round trips")
struct RoundTripTests {
    @Test("written defaults are read as the defaults")
    func defaults() throws {
        #expect(try Settings.parse(Settings().toml(), fileName: "out.toml") == Settings())
    }

    @Test("empty lists of cameras and buttons stay empty")
    func emptyLists() throws {
        var settings = Settings()
        settings.cameras = []
        settings.buttons = []
        settings.actions = [:]
        #expect(try Settings.parse(settings.toml(), fileName: "out.toml") == settings)
    }

    @Test("a chord of buttons with the longest names stays whole")
    func longNames() throws {
        let names = ["a", "b"].map { String(repeating: $0, count: 32) }
        let buttons = names.map { "[[button]]\nname = \"\($0)\"\n" }.joined()
        let settings = try Settings.parse(
            buttons + "[actions]\n\"\(names[0])+\(names[1])\".press = \"photo\"\n",
            fileName: "in.toml")
        #expect(settings.actions.keys.contains { $0.count == 65 })
        #expect(try Settings.parse(settings.toml(), fileName: "out.toml") == settings)
    }

    @Test("written settings are read as the same settings")
    func random() throws {
        var generator = Seeded(2026)
        for _ in 0..<500 {
            let settings = Settings.random(using: &generator)
            let text = settings.toml()
            let again = try Settings.parse(text, fileName: "out.toml")
            #expect(again == settings)
            #expect(again.toml() == text)
        }
    }

    @Test("10,000 damaged files give settings, or problems with their places")
    func fuzz() throws {
        var generator = Seeded(1)
        let pieces = [
            "[", "]", "[[", "]]", "{", "}", "\"", "'", "\"\"\"", "'''", ".", "=", ",", "\n", "\r",
            "\t", "#", "\\", "\\u", "0x", "1e999", "-", "_", "inf", "nan", "true", "1979-05-27",
            "é", "\u{FE0F}", "\u{2028}", "\u{85}", "\u{FEFF}", "[display]", "[[camera]]", "\0",
            "[actions.shutter]", "match = {}", "9223372036854775808", "countdown_s = 1",
        ].map { Array($0.utf8) }
        var valid = 0
        var refused = 0
        var bytes: [UInt8] = []
        for round in 0..<10_000 {
            if round % 3 == 0 { bytes = Array(Settings.random(using: &generator).toml().utf8) }
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let at = Int.random(in: 0...bytes.count, using: &generator)
                let end = min(bytes.count, at + Int.random(in: 0...8, using: &generator))
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: bytes.insert(.random(in: 0...255, using: &generator), at: at)
                case 1: bytes.removeSubrange(at..<end)
                case 2:
                    let piece = pieces.randomElement(using: &generator) ?? []
                    bytes.insert(contentsOf: piece, at: at)
                case 3: bytes.insert(contentsOf: bytes[at..<end], at: 0)
                default: if at > 0, at < bytes.count { bytes.swapAt(at, at - 1) }
                }
            }
            do throws(SettingsError) {
                _ = try Settings.parse(bytes, fileName: "fuzz.toml")
                valid += 1
            } catch {
                refused += 1
                let lines = bytes.count { $0 == 0x0A } + 1
                #expect(!error.problems.isEmpty)
                for problem in error.problems {
                    #expect(1...lines + 1 ~= problem.line ?? 0)
                    #expect(problem.column ?? 0 >= 1)
                    #expect(!problem.description.contains("\n"))
                }
            }
        }
        // Both outcomes occur.
        #expect(valid > 100)
        #expect(refused > 1000)
    }
}

extension Settings {
    /// Returns valid settings, most of whose keys vary.
    static func random(using generator: inout Seeded) -> Settings {
        func pick<Value>(_ values: [Value]) -> Value {
            values[Int.random(in: 0..<values.count, using: &generator)]
        }
        func integer(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &generator) }
        func flag() -> Bool { .random(using: &generator) }
        func text() -> String {
            let characters = Array("ab Z09\"'\\=#[]{}.,é📷\u{FE0F}ß:/-_")
            return String((0..<integer(0...12)).map { _ in pick(characters) })
        }
        func someText() -> String? { flag() ? "x" + text() : nil }

        var settings = Settings()
        settings.library.path = "/" + text()
        settings.library.reserveMegabytes = integer(0...1_000_000)
        settings.cameras = (0..<integer(0...3)).map { number in
            var camera = CameraSettings()
            camera.id = "camera-\(number)"
            if flag() {
                // The number makes the devices distinct.
                camera.match = CameraMatch(
                    serial: flag() ? "serial-\(number)" : nil,
                    path: someText().map { "\(number)\($0)" }, driver: "uvcvideo")
            } else if flag() {
                camera.match = CameraMatch(driver: "simulated")
                camera.source = pick(["", "pattern", "/" + text()])
            }
            camera.position = pick(["front", "back", "external"])
            camera.pixelFormat = pick([nil, "MJPG", "Y16", "BA81"])
            if flag() {
                camera.width = integer(16...16384)
                camera.height = integer(16...16384)
            }
            camera.frameRate = pick([nil, 30, 29.97, 0.1, 1e-5, 1000, 1.0 / 3])
            camera.preset = pick([
                "low", "medium", "high", "photo", "640x480", "1280x720", "1920x1080",
                "3840x2160", "inputPriority",
            ])
            camera.memory = pick(MemoryPolicy.allCases)
            camera.buffers = pick([0, 3, 5, 16])
            camera.make = text()
            camera.model = text()
            return camera
        }
        settings.display.driver = someText()
        settings.display.connector = someText()
        settings.display.mode = pick(["auto", "native", "1920x1080", "1x16384"])
        settings.display.gravity = pick(DisplaySettings.Gravity.allCases)
        settings.display.mirror = flag()
        settings.display.readyHint = flag()
        settings.display.countdownSeconds = integer(0...30)
        settings.display.reviewSeconds = .random(in: 0...60, using: &generator)
        settings.display.readyText = text() + pick(["", "\n"]) + text()
        settings.display.savedText = text()
        settings.buttons = (0..<integer(0...4)).map { number in
            var button = ButtonSettings()
            button.name = "button_\(number)"
            switch integer(0...2) {
            case 0: button.line = GPIOLineName("chip \(text()):\(number)")
            case 1:
                button.key = "KEY_\(number)"
                button.device = someText()
            default: break
            }
            button.activeLow = flag()
            button.debounceMilliseconds = integer(1...99)
            button.shortestPressMilliseconds = integer(0...100)
            button.stuckSeconds = pick([0, integer(11...3600)])
            button.bias = pick(ButtonSettings.Bias.allCases)
            return button
        }
        settings.actions = [:]
        for button in settings.buttons {
            for gesture in Gesture.allCases where gesture != .hold {
                settings.actions[button.name, default: [:]][gesture] = pick(Action.allCases)
            }
            let isLong = settings.action(for: button.name, .longPress) != .nothing
            settings.actions[button.name]?[.hold] = isLong ? .nothing : pick(Action.allCases)
        }
        if settings.buttons.count > 1, flag() {
            settings.actions["button_0+button_1"] = [.press: pick(Action.allCases)]
        }
        settings.gesture.doublePressMilliseconds = integer(100...2000)
        settings.gesture.longPressMilliseconds = integer(200...10000)
        settings.gesture.chordMilliseconds = integer(20...1000)
        settings.access.guests = flag() ? [] : ["@visitors", "erin"]
        settings.access.serviceAccess = pick(AccessSettings.ServiceAccess.allCases)
        settings.guest.idleSeconds = .random(in: 5...86400, using: &generator)
        settings.lamp.ready = flag() ? GPIOLineName("lamp:LAMP") : nil
        settings.lamp.recording = flag() ? GPIOLineName("lamp:RECORDING") : nil
        settings.lamp.fault = flag() ? GPIOLineName("lamp:FAULT") : nil
        settings.lamp.activeLow = flag()
        settings.flash.line = flag() ? GPIOLineName("INT34C5:00:7") : nil
        settings.flash.activeLow = flag()
        settings.flash.leadMilliseconds = integer(0...2000)
        settings.flash.maximumMilliseconds = integer(2051...10000)
        settings.photo.format = pick(PhotoSettings.Format.allCases)
        settings.photo.quality = integer(1...100)
        settings.photo.mountRotation = pick(MountRotation.allCases)
        settings.display.offAfterMinutes = pick([0, 1, 1440])
        settings.display.splash = pick(["", "/srv/a b.png"])
        settings.photo.orientation = pick(PhotoSettings.Orientation.allCases)
        settings.display.rotation = pick(MountRotation.allCases)
        settings.photo.thumbnail = flag()
        settings.photo.latitude = Double(integer(-90...90))
        settings.photo.longitude = Double(integer(-180...180)) / 2
        settings.photo.altitude = Double(integer(-500...9000)) / 4
        settings.board.name = text()
        settings.board.kind = pick(BoardSettings.Kind.allCases)
        settings.log.level = pick(LogSettings.Level.allCases)
        return settings
    }
}
