// SPDX-License-Identifier: GPL-3.0-or-later
import Settings
import Testing

@Suite("Problems of a file")
struct ProblemTests {
    @Test(
        "the problem of a wrong value says what is allowed",
        arguments: [
            (
                "[display]\ncountdown_s = 40",
                "2: display.countdown_s: 40 is out of range, allowed: 0 to 30 s"
            ),
            (
                "[display]\ncountdown_s = \"3\"",
                "2: display.countdown_s: \"3\" is a string, allowed: an integer, 0 to 30 s"
            ),
            (
                "[display]\ncountdown_s = 3.0",
                "2: display.countdown_s: 3.0 is a number with a fraction, "
                    + "allowed: an integer, 0 to 30 s"
            ),
            (
                "[display]\n\nreview_s = -0.5",
                "3: display.review_s: -0.5 is out of range, allowed: 0 to 60 s"
            ),
            (
                "[display]\nreview_s = nan",
                "2: display.review_s: nan is out of range, allowed: 0 to 60 s"
            ),
            (
                "[display]\nmirror = \"yes\"",
                "2: display.mirror: \"yes\" is a string, allowed: true or false"
            ),
            (
                "[display]\nready_text = true",
                "2: display.ready_text: true is a boolean, "
                    + "allowed: text in quotes, up to 400 bytes"
            ),
            (
                "[display]\nmode = \"1920*1080\"",
                "2: display.mode: \"1920*1080\" is not allowed, allowed: \"auto\", \"native\" "
                    + "or \"WIDTHxHEIGHT\" such as \"1920x1080\""
            ),
            (
                "[display]\ngravity = \"resizeaspect\"",
                "2: display.gravity: \"resizeaspect\" is not allowed, allowed: "
                    + "\"resizeAspect\", \"resizeAspectFill\" or \"resize\"; "
                    + "did you mean \"resizeAspect\"?"
            ),
            (
                "[display]\ngravity = 1979-05-27",
                "2: display.gravity: is a date or time, allowed: "
                    + "\"resizeAspect\", \"resizeAspectFill\" or \"resize\""
            ),
            (
                "[[camera]]\nbuffers = 2",
                "2: camera[0].buffers: 2 is out of range, allowed: 0 or 3 to 16"
            ),
            (
                "[[camera]]\n[[camera]]\nid = \"two words\"",
                "3: camera[1].id: \"two words\" is not allowed, "
                    + "allowed: 1 to 32 letters (a-z, A-Z), digits, \"-\" or \"_\""
            ),
            (
                "[photo]\nmount_rotation_deg = 45",
                "2: photo.mount_rotation_deg: 45 is out of range, "
                    + "allowed: 0, 90, 180 or 270 degrees"
            ),
            (
                "[[button]]\nline = \"GPIO17\"",
                "2: button[0].line: \"GPIO17\" is not allowed, allowed: \"CHIP:LINE\" such as "
                    + "\"pinctrl-bcm2711:GPIO17\" or \"gpiochip0:17\""
            ),
            (
                "[[button]]\nkey = \"ENTER\"",
                "2: button[0].key: \"ENTER\" is not allowed, "
                    + "allowed: a name in linux/input-event-codes.h such as \"KEY_ENTER\" or "
                    + "\"BTN_LEFT\""
            ),
            (
                "[[button]]\nkey = \"KEY_ENTR\"",
                "2: button[0].key: \"KEY_ENTR\" is not allowed, "
                    + "allowed: a name in linux/input-event-codes.h such as \"KEY_ENTER\" or "
                    + "\"BTN_LEFT\""
            ),
            (
                "[library]\npath = \"a\\u0000b\"",
                "2: library.path: \"a\\u0000b\" is not allowed, "
                    + "allowed: a path of up to 1000 bytes that does not begin with ~ "
                    + "(\"./~\" is a file of that name)"
            ),
            (
                "[library]\npath = \"~/photos\"",
                "2: library.path: \"~/photos\" is not allowed, "
                    + "allowed: a path of up to 1000 bytes that does not begin with ~ "
                    + "(\"./~\" is a file of that name)"
            ),
            (
                "[display]\nsplash = \"~splash.png\"",
                "2: display.splash: \"~splash.png\" is not allowed, "
                    + "allowed: the path of a PNG file, or \"\""
            ),
            (
                "[timelapse]\npause = \"22-6\"",
                "2: timelapse.pause: \"22-6\" is not allowed, "
                    + "allowed: \"HH:MM-HH:MM\" such as \"22:00-06:00\", or \"\""
            ),
            (
                "[actions]\nshutter.press = \"foto\"",
                "2: actions.shutter.press: \"foto\" is not allowed, allowed: \"photo\", "
                    + "\"burst\", \"loop\", \"timelapse\", \"switch_camera\", \"browse\", \"next\", \"previous\", \"cancel\", \"primary\", \"secondary\", \"record\", \"end_session\" or \"none\"; did you "
                    + "mean \"photo\"?"
            ),
            (
                "[log]\nlevel = \"\(String(repeating: "x", count: 5000))\"",
                "2: log.level: \"\(String(repeating: "x", count: 60))…\" is not allowed, "
                    + "allowed: \"trace\", \"debug\", \"info\", \"notice\", \"warning\", "
                    + "\"error\" or \"critical\""
            ),
        ])
    func wrongValue(text: String, problem: String) {
        #expect(problems(text) == ["vitrine.toml:\(problem)"])
    }

    @Test(
        "the problem of an unknown key suggests the nearest key, or lists all",
        arguments: [
            (
                "[display]\nconector = \"x\"",
                "2: display.conector: unknown key, did you mean connector?"
            ),
            (
                "[display]\ncountdown = 3",
                "2: display.countdown: unknown key, did you mean countdown_s?"
            ),
            ("[display]\nReview-S = 3", "2: display.Review-S: unknown key, did you mean review_s?"),
            (
                "[[camera]]\ncountdown_s = 3",
                "2: camera[0].countdown_s: unknown key, did you mean countdown_s in [display] or [recording]?"
            ),
            (
                "[library]\nactive_low = true",
                "2: library.active_low: unknown key, "
                    + "did you mean active_low in [[button]] or [lamp] or [flash]?"
            ),
            ("[[camera]]\nmach = {}", "2: camera[0].mach: unknown key, did you mean match?"),
            (
                "[[camera]]\nmatch = { seral = \"1\" }",
                "2: camera[0].match.seral: unknown key, did you mean serial?"
            ),
            (
                "[photo]\nwidget = 1",
                "2: photo.widget: unknown key, "
                    + "allowed in [photo]: format, quality, mount_rotation_deg, orientation, burst_count, loop_s, thumbnail, "
                    + "latitude_deg, longitude_deg, altitude_m"
            ),
            ("\n[dispaly]\n", "2: dispaly: unknown table, did you mean [display]?"),
            ("[[cameras]]\n", "1: cameras: unknown table, did you mean [[camera]]?"),
            (
                "countdown_s = 3",
                "1: countdown_s: unknown key, did you mean countdown_s in [display] or [recording]?"
            ),
            (
                "[kitchen]\n",
                "1: kitchen: unknown table, allowed: [library], [[camera]], [display], "
                    + "[second_display], [[button]], [actions], [gesture], [lamp], [flash], [photo], [recording], "
                    + "[timelapse], [detection], [playback], [guest], [sync], [cache], [[content]], "
                    + "[access], [board], [log]"
            ),
            (
                "[display]\n\"a\\nb\" = 1",
                "2: display.\"a\\nb\": unknown key, allowed in [display]: driver, connector, "
                    + "mode, rotation_deg, gravity, mirror, ready_hint, countdown_s, review_s, "
                    + "off_after_min, splash, ready_text, saved_text"
            ),
            (
                "[actions]\nshutter.pres = \"photo\"",
                "2: actions.shutter.pres: unknown gesture, did you mean press?"
            ),
            (
                "[actions]\nshutter.swipe = \"photo\"",
                "2: actions.shutter.swipe: unknown gesture, allowed: press, double_press, "
                    + "long_press, hold"
            ),
        ])
    func unknownKey(text: String, problem: String) {
        #expect(problems(text) == ["vitrine.toml:\(problem)"])
        #expect(codes(text) == [.unknownKey])
    }

    @Test(
        "a chord has distinct, existing buttons, and no chord contains another",
        arguments: [
            ("\"left+up\".press = \"photo\"", [SettingsProblem.Code.conflict]),
            ("\"left+left\".press = \"photo\"", [.conflict]),
            ("\"left+\".press = \"photo\"", [.conflict]),
            ("\"left+right\".hold = \"photo\"", [.conflict]),
            ("\"left+right\".press = \"photo\"\n\"right+left\".press = \"none\"", [.duplicate]),
            (
                "\"left+right\".press = \"photo\"\n\"right+left+third\".press = \"none\"",
                [.duplicate]
            ),
            ("left.long_press = \"cancel\"\nleft.hold = \"photo\"", [.conflict]),
            ("\"left+right\".press = \"end_session\"\n\"left+third\".press = \"photo\"", []),
        ])
    func chords(actions: String, wanted: [SettingsProblem.Code]) {
        let buttons = ["left", "right", "third"].map { "[[button]]\nname = \"\($0)\"\n" }
        #expect(codes(buttons.joined() + "[actions]\n" + actions) == wanted)
    }

    @Test(
        "the problem of a table in place of a list, or the reverse, shows the right form",
        arguments: [
            (
                "[camera]\nid = \"a\"",
                "1: camera: is a single table, allowed: a list of tables, [[camera]]"
            ),
            ("[[display]]\n", "1: display: is a list, allowed: one table, [display]"),
            ("display = 3", "1: display: 3 is an integer, allowed: a table, [display]"),
            ("camera = [1]", "1: camera[0]: 1 is an integer, allowed: a table, [[camera]]"),
            (
                "button = true",
                "1: button: true is a boolean, allowed: a list of tables, [[button]]"
            ),
            (
                "[[camera]]\nmatch = \"A1\"",
                "2: camera[0].match: \"A1\" is a string, allowed: { serial = \"…\" }, "
                    + "{ path = \"…\" } or { driver = \"…\" }"
            ),
            (
                "[actions]\nshutter = \"photo\"",
                "2: actions.shutter: lacks the gesture, allowed: shutter.press = \"photo\""
            ),
        ])
    func wrongShape(text: String, problem: String) {
        #expect(problems(text) == ["vitrine.toml:\(problem)"])
        #expect(codes(text) == [.wrongType])
    }

    @Test(
        "a second use of a name, line, key or device is refused",
        arguments: [
            (
                "[[camera]]\nid = \"a\"\n[[camera]]\nid = \"a\"",
                "4: camera[1].id: \"a\" is already the name of a camera (line 2), "
                    + "allowed: a unique name"
            ),
            (
                "[[button]]\n[[button]]",
                "2: button[1].name: \"shutter\" is already the name of a button (line 1), "
                    + "allowed: a unique name"
            ),
            (
                "[[camera]]\nid=\"a\"\nmatch = { serial=\"1\" }\n"
                    + "[[camera]]\nid=\"b\"\nmatch.serial=\"1\"",
                "6: camera[1].match: matches the same device as the camera of line 3, "
                    + "allowed: one camera per device"
            ),
            (
                "[[button]]\nname=\"a\"\nline=\"c:1\"\n[[button]]\nname=\"b\"\nline=\"c:1\"",
                "6: button[1].line: \"c:1\" is already button[0].line (line 3), "
                    + "allowed: one use per line"
            ),
            (
                "[flash]\nline=\"c:1\"\n[[button]]\nline=\"c:1\"",
                "4: button[0].line: \"c:1\" is already flash.line (line 2), "
                    + "allowed: one use per line"
            ),
            (
                "[[button]]\nname=\"a\"\nkey=\"KEY_A\"\n"
                    + "[[button]]\nname=\"b\"\nkey=\"KEY_A\"\ndevice=\"pad\"",
                "6: button[1].key: \"KEY_A\" is already the key of button a (line 3), "
                    + "allowed: one button per key"
            ),
        ])
    func duplicate(text: String, problem: String) {
        #expect(problems(text) == ["vitrine.toml:\(problem)"])
        #expect(codes(text) == [.duplicate])
    }

    @Test(
        "values that contradict each other are refused",
        arguments: [
            (
                "[[button]]\nline = \"c:1\"\nkey = \"KEY_A\"",
                "3: button[0].key: the button has both a line and a key, "
                    + "allowed: one of them, or neither"
            ),
            (
                "[[button]]\ndevice = \"pad\"",
                "2: button[0].device: the button has a device without a key, "
                    + "allowed: only together with key"
            ),
            (
                "[[camera]]\nwidth_px = 640",
                "2: camera[0].width_px: width without height, "
                    + "allowed: both width_px and height_px, or neither"
            ),
            (
                "[[camera]]\nwidth_px = 0\nheight_px = 480",
                "3: camera[0].height_px: height without width, "
                    + "allowed: both width_px and height_px, or neither"
            ),
            (
                "[[camera]]\nmatch = {}",
                "2: camera[0].match: matches nothing, allowed: { serial = \"…\" }, "
                    + "{ path = \"…\" } or { driver = \"…\" }"
            ),
            (
                "display.connector = \"A\"\n[second_display]\nconnector = \"A\"",
                "3: second_display.connector: \"A\" is already display.connector, "
                    + "allowed: another one"
            ),
            (
                "[[camera]]\nsource = \"pattern\"",
                "2: camera[0].source: only a simulated camera has a source, "
                    + "allowed with: match = { driver = \"simulated\" }"
            ),
            (
                "[flash]\nlead_ms = 1500",
                "1: flash.maximum_ms: 1000 ms ends the flash before the photo is exposed, "
                    + "allowed: more than lead_ms + 50 (1550 ms)"
            ),
            (
                "[[button]]\nstuck_s = 2\n[gesture]\nlong_press_ms = 2000",
                "2: button[0].stuck_s: is not longer than a long press, "
                    + "allowed: more than 2000 ms"
            ),
            (
                "[[button]]\ndebounce_ms = 400",
                "2: button[0].debounce_ms: is not shorter than a double press, "
                    + "allowed: less than 400 ms"
            ),
            (
                "[[button]]\nname = \"big\"\n[actions]\nbog.press = \"photo\"",
                "4: actions.bog: names no button, did you mean big?"
            ),
            (
                "[[button]]\nname = \"z\"\n"
                    + "[[button]]\nname = \"b\"\n[actions]\nshutter.press = \"none\"",
                "6: actions.shutter: names no button, allowed: b, z"
            ),
            (
                "button = []\n[actions]\nshutter.press = \"none\"",
                "3: actions.shutter: names no button, because there are none"
            ),
        ])
    func conflict(text: String, problem: String) {
        #expect(problems(text) == ["vitrine.toml:\(problem)"])
        #expect(codes(text) == [.conflict])
    }

    @Test("all problems of a file are reported at once, in the order of the file")
    func allAtOnce() {
        let text = """
            [photo]
            quality = 0
            colour = 1

            [[button]]
            name = "a"
            debounce_ms = "20"
            [[button]]
            name = "a"
            [actions]
            c.press = "photo"
            [[camera]]
            preset = "4k"
            """
        #expect(
            problems(text) == [
                "vitrine.toml:2: photo.quality: 0 is out of range, allowed: 1 to 100",
                "vitrine.toml:3: photo.colour: unknown key, "
                    + "allowed in [photo]: format, quality, mount_rotation_deg, orientation, burst_count, loop_s, thumbnail, "
                    + "latitude_deg, longitude_deg, altitude_m",
                "vitrine.toml:7: button[0].debounce_ms: \"20\" is a string, "
                    + "allowed: an integer, 1 to 1000 ms",
                "vitrine.toml:9: button[1].name: \"a\" is already the name of a button (line 6), "
                    + "allowed: a unique name",
                "vitrine.toml:11: actions.c: names no button, allowed: a",
                "vitrine.toml:13: camera[0].preset: \"4k\" is not allowed, allowed: \"low\", "
                    + "\"medium\", \"high\", \"photo\", \"640x480\", \"1280x720\", "
                    + "\"1920x1080\", \"3840x2160\" or \"inputPriority\"",
            ])
    }

    @Test("a refused value causes no second problem in what depends on it")
    func noFollowUps() {
        let text = "[[button]]\nname = \"\"\n[[button]]\n[actions]\nbig.press = \"photo\""
        #expect(codes(text) == [.notAllowed])
        #expect(codes("[[camera]]\nwidth_px = 640\nheight_px = \"480\"") == [.wrongType])
        #expect(codes("[flash]\nlead_ms = 1500\nmaximum_ms = 0") == [.notAllowed])
        #expect(codes("[[button]]\nkey = \"A\"\ndevice = \"pad\"") == [.notAllowed])
    }

    @Test("an error prints one line per problem")
    func description() throws {
        let error = #expect(throws: SettingsError.self) {
            try Settings.parse("[a]\n[b]", fileName: "x.toml")
        }
        let lines = try #require(error).description.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("x.toml:1: a: unknown table") == true)
    }

    @Test("the same key on different devices belongs to different buttons")
    func sameKeyOnTwoDevices() {
        let text = """
            [[button]]
            name = "a"
            key = "KEY_A"
            device = "left"
            [[button]]
            name = "b"
            key = "KEY_A"
            device = "right"
            """
        #expect(problems(text).isEmpty)
    }

    @Test("a button without an action takes a photo")
    func defaultAction() throws {
        let settings = try Settings.parse(
            "[[button]]\nname = \"a\"\n[[button]]\nname = \"b\"\n[actions]\nb.press = \"cancel\"",
            fileName: "x.toml")
        #expect(settings.action(for: "a") == .photo)
        #expect(settings.action(for: "b") == .cancel)
        #expect(settings.action(for: "c") == .nothing)
    }

    @Test("content needs a URL of the web, and the screen shows one of a kind")
    func contents() {
        let text = """
            [[content]]
            url = "ftp://example.org/a"
            [[content]]
            url = "http://example.org/1"
            kind = "splash"
            [[content]]
            url = "http://example.org/2"
            kind = "splash"
            """
        #expect(
            problems(text) == [
                "vitrine.toml:2: content[0].url: \"ftp://example.org/a\" is not allowed, "
                    + "allowed: an absolute URL of http or https, or \"\"",
                "vitrine.toml:8: content[2].kind: \"splash\" is already the kind of the content of "
                    + "line 5, allowed: one content per kind, except file",
            ])
    }
}
