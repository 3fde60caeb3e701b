// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of replacing a running appliance's configuration from the command line.
@Suite("Configuration replacement", .serialized, .ownThread, .timeLimit(.common))
struct ConfigurationTests {
    private let board: RunningBoard
    /// The environment with the folder where the appliance stores the last good configuration.
    private let memory: [String: String]

    init() throws {
        board = try RunningBoard()
        try FileManager.default.createDirectory(
            atPath: board.path("state"), withIntermediateDirectories: true)
        memory = ["STATE_DIRECTORY": board.path("state")]
    }

    private func text(_ file: String) throws -> String {
        try String(contentsOfFile: file, encoding: .utf8)
    }

    private func status() throws -> [String: Any] {
        let said = try board.attempt("status", "--json")
        return try #require(
            try JSONSerialization.jsonObject(with: Data(said.output.utf8)) as? [String: Any],
            "\(said.errors)")
    }

    private func configuration() throws -> [String: Any] {
        try #require(try status()["configuration"] as? [String: Any])
    }

    private func problems() throws -> [String] {
        let problems = try status()["problems"] as? [[String: Any]] ?? []
        return problems.compactMap { $0["code"] as? String }
    }

    private func width() throws -> Int? {
        let camera = try status()["camera"] as? [String: Any]
        return (camera?["format"] as? [String: Any])?["width"] as? Int
    }

    @Test("apply uses another file and keeps the previous one; rollback swaps them")
    func apply() throws {
        try board.start(environment: memory)
        let before = try text(board.configuration)
        try board.write(preset: "640x480", to: board.path("small.toml"))
        let after = try text(board.path("small.toml"))
        let uptime = try #require(try status()["uptimeSeconds"] as? Double)
        let since = ContinuousClock.now
        _ = try board.run("config", "apply", board.path("small.toml"))
        let elapsed = (ContinuousClock.now - since) / .seconds(1)
        // The uptime has a resolution of one millisecond.
        let uptimeNow = try #require(try status()["uptimeSeconds"] as? Double)
        #expect(uptimeNow - uptime > elapsed - 0.002)
        #expect(try text(board.configuration) == after)
        #expect(try text(board.configuration + ".previous") == before)
        #expect(try width() == 640)
        #expect(try configuration()["state"] as? String == "good")
        // The same process serves the same socket, and takes photos.
        let photo = try #require(try board.json("press", "shutter", "--wait").first)
        #expect(photo["width"] as? Int == 640)
        _ = try board.run("config", "rollback")
        #expect(try width() == 1280 && text(board.configuration) == before)
        _ = try board.run("config", "rollback")
        #expect(try width() == 640 && text(board.configuration) == after)
        try board.stop()
    }

    @Test("an invalid file changes nothing, and apply ends with 78 and the problem")
    func invalid() throws {
        try board.start(environment: memory)
        let before = try text(board.configuration)
        try "[display]\ncountdown = 3\n".write(
            toFile: board.path("bad.toml"), atomically: true, encoding: .utf8)
        let result = try board.attempt("config", "apply", board.path("bad.toml"))
        #expect(result.status == 78)
        #expect(result.errors.contains("bad.toml:2: display.countdown: unknown key"))
        #expect(try text(board.configuration) == before)
        #expect(try configuration()["revision"] as? Int == 0)
        try board.stop()
    }

    @Test("a file that loses the camera is taken back, and apply ends with 78 and the reason")
    func rejected() throws {
        try board.start(environment: memory)
        let before = try text(board.configuration)
        try board.write(
            camera: "match = { driver = \"uvcvideo\", serial = \"nobody\" }",
            to: board.path("blind.toml"))
        let result = try board.attempt("config", "apply", board.path("blind.toml"))
        #expect(result.status == 78)
        #expect(result.errors.contains("the camera"))
        #expect(try text(board.configuration) == before)
        #expect(try board.json("press", "shutter", "--wait").first?["width"] as? Int == 1280)
        try board.waitUntil { (try? problems().isEmpty) ?? false }
        try board.stop()
    }

    @Test("SIGHUP applies a file; a rejected one is not used at the next start either")
    func hangup() throws {
        try board.start(environment: memory)
        let process = try #require(board.appliance)
        try board.write(preset: "640x480")
        kill(process.identifier, SIGHUP)
        try board.waitUntil { (try? width()) == 640 }
        try board.write(camera: "match = { driver = \"uvcvideo\", serial = \"nobody\" }")
        kill(process.identifier, SIGHUP)
        try board.waitUntil { (try? problems().contains("configuration.rejected")) ?? false }
        try board.waitUntil { (try? width()) == 640 }
        try board.stop()
        try board.start(environment: memory)
        #expect(try problems() == ["configuration.rejected"])
        #expect(try width() == 640)
        try board.write()
        kill(try #require(board.appliance).identifier, SIGHUP)
        try board.waitUntil { (try? width() == 1280 && problems().isEmpty) ?? false }
        try board.stop()
    }

    @Test("a configuration that never worked is not kept as last good or as a baseline")
    func neverGood() throws {
        try board.start(environment: memory)
        try board.write(preset: "640x480")
        kill(try #require(board.appliance).identifier, SIGHUP)
        try board.waitUntil {
            (try? width() == 640 && configuration()["state"] as? String == "good") ?? false
        }
        try board.stop()
        let good = try text(board.path("state/last-good.toml"))
        // The file is put in place by hand before the start, so it was never tried.
        try board.write(camera: "match = { driver = \"uvcvideo\", serial = \"nobody\" }")
        try board.start(environment: memory, isBlind: true)
        try board.waitUntil { (try? problems() == ["camera.missing"]) ?? false }
        try board.write(camera: "match = { driver = \"uvcvideo\", serial = \"nobody else\" }")
        kill(try #require(board.appliance).identifier, SIGHUP)
        try board.waitUntil { (try? problems() == ["configuration.rejected"]) ?? false }
        #expect(try width() == 640)
        #expect(try text(board.path("state/last-good.toml")) == good)
        try board.stop()
    }

    @Test("a configuration that passed its trial without a library is the next baseline")
    func passedWithoutLibrary() throws {
        try board.start(environment: memory)
        try board.write(preset: "640x480", to: board.path("small.toml"))
        _ = try board.run("config", "apply", board.path("small.toml"))
        let good = try text(board.path("state/last-good.toml"))
        // A library cannot be created in the place of a file.
        try FileManager.default.moveItem(
            atPath: board.path("library"), toPath: board.path("aside"))
        try "".write(toFile: board.path("library"), atomically: true, encoding: .utf8)
        try board.waitUntil { (try? problems().contains { $0.hasPrefix("library.") }) ?? false }
        for countdown in 1...2 {
            try board.write(countdown: countdown, to: board.path("next.toml"))
            _ = try board.run("config", "apply", board.path("next.toml"))
            #expect(try configuration()["state"] as? String == "good")
            #expect(try width() == 1280)
        }
        #expect(try text(board.path("state/last-good.toml")) == good)
        try board.stop()
    }

    @Test("a start after a crash in a trial uses the configuration before the trial")
    func crashInTrial() throws {
        let blind = "match = { driver = \"uvcvideo\", serial = \"nobody\" }"
        try board.write(camera: blind)
        try board.start(environment: memory, isBlind: true)
        try board.write(camera: blind, library: "nowhere/library")
        kill(try #require(board.appliance).identifier, SIGHUP)
        try board.waitUntil { (try? configuration()["state"] as? String == "trial") ?? false }
        board.kill()
        try board.start(environment: memory, isBlind: true)
        let problems = try problems()
        #expect(problems.contains("configuration.rejected"))
        #expect(!problems.contains { $0.hasPrefix("library.") })
        try board.stop()
    }

    @Test("an invalid file at the start is replaced by the last good configuration")
    func invalidAtStart() throws {
        try board.start(environment: memory)
        try board.write(preset: "640x480", to: board.path("small.toml"))
        _ = try board.run("config", "apply", board.path("small.toml"))
        try board.stop()
        try "[display".write(toFile: board.configuration, atomically: true, encoding: .utf8)
        try board.start(environment: memory)
        #expect(try problems() == ["configuration.invalid"] && width() == 640)
        #expect(try board.run("status").contains("is invalid: the last good one is in use"))
        try board.stop()
        // An appliance without a last good file refuses to start.
        let refusal = try board.attempt("run", "--config", board.configuration)
        #expect(refusal.status == 78)
    }

    @Test("apply without an appliance replaces the file and says when it takes effect")
    func offline() throws {
        try board.write(preset: "640x480", to: board.path("small.toml"))
        let said = try board.run(
            "config", "apply", board.path("small.toml"), "--config", board.configuration)
        #expect(said.contains("when the appliance starts"))
        #expect(try text(board.configuration) == text(board.path("small.toml")))
        _ = try board.run("config", "rollback", "--config", board.configuration)
        #expect(try text(board.configuration) != text(board.path("small.toml")))
        let fresh = try board.attempt("config", "rollback", "--config", board.path("other.toml"))
        #expect(fresh.status == 66)
    }

    @Test("a second replacement at the same time is refused with 75 and the reason")
    func busy() throws {
        try board.write(preset: "640x480", to: board.path("small.toml"))
        let before = try text(board.configuration)
        let lock = board.configuration + ".lock"
        let holder = try ChildProcess("/usr/bin/flock", ["--no-fork", lock, "sleep", "86400"])
        defer { holder.terminate() }
        let arguments = [
            "config", "apply", board.path("small.toml"), "--config", board.configuration,
        ]
        try board.waitUntil { try Program.run("flock", ["-n", lock, "true"]).status != 0 }
        let refused = try board.attempt(arguments)
        #expect(refused.status == 75 && refused.errors.contains("being replaced"))
        #expect(try text(board.configuration) == before)
        holder.terminate()
        holder.wait()
        #expect(try board.attempt(arguments).status == 0)
        #expect(try text(board.configuration) != before)
    }

    @Test("`config show` prints a valid file, and `config docs` every key")
    func show() throws {
        let shown = try board.run("config", "show", "--config", board.configuration)
        try shown.write(toFile: board.path("shown.toml"), atomically: true, encoding: .utf8)
        #expect(try board.run("config", "check", board.path("shown.toml")).contains("good"))
        #expect(shown.contains("reserve_mb = 1"))
        let docs = try board.run("config", "docs")
        #expect(docs.contains("| `countdown_s` | integer | `3` |"))
        let page = URL(fileURLWithPath: #filePath).appendingPathComponent(
            "../../../rootfs-overlay/usr/share/doc/vitrine/reference/configuration.md")
        let licence = "<!-- SPDX-License-Identifier: GPL-3.0-or-later -->\n"
        #expect(
            try String(contentsOf: page.standardized, encoding: .utf8) == licence + docs,
            "next: make the page by: vitrine config docs")
        #expect(
            try board.json("config", "docs").contains { $0["key"] as? String == "flash.lead_ms" })
    }

    @Test("a button switches to the second camera, whose photos and clips have its name")
    func secondCamera() throws {
        let more = """

            [[camera]]
            id = "other"
            match = { driver = "simulated" }
            preset = "640x480"
            position = "back"
            make = "Vitrine"
            model = "Zwei"
            """
        let changed = try text(board.configuration).replacingOccurrences(
            of: "back.press = \"cancel\"", with: "back.press = \"switch_camera\"")
        try (changed + more).write(
            toFile: board.configuration, atomically: true, encoding: .utf8)
        #expect(
            try board.run("config", "check", board.configuration)
                == "\(board.configuration): good\n")
        try board.start()
        func camera() throws -> [String: Any] {
            try #require(try board.json("status").first?["camera"] as? [String: Any])
        }
        func photo(from name: String, width: Int) throws {
            try board.waitUntil {
                let format = try camera()["format"] as? [String: Any]
                return format?["width"] as? Int == width
            }
            let photo = try #require(try board.json("capture", "photo").first)
            #expect(photo["deviceName"] as? String == name)
            #expect(photo["width"] as? Int == width)
        }
        func models() throws -> [String] {
            try ["photo", "video"].map { kind in
                let newest = try #require(
                    try board.json("library", "list", "--type", kind).last?["id"] as? String)
                let shown = try board.json("library", "show", newest)[0]
                #expect(try camera()["id"] as? String == shown["deviceName"] as? String)
                return try Program.run(
                    "exiftool",
                    ["-s3", "-Make", "-Model", #require(shown["path"] as? String)]
                ).output
            }
        }
        #expect(try camera()["id"] as? String == "main")
        try photo(from: "main", width: 1280)
        _ = try board.json("capture", "movie", "--seconds", "1")
        let itself = try #require(try camera()["name"] as? String) + "\n"
        #expect(try models() == [itself, itself])
        _ = try board.run("press", "back")
        try photo(from: "other", width: 640)
        _ = try board.json("capture", "movie", "--seconds", "1")
        #expect(try models() == ["Vitrine\nZwei\n", "Vitrine\nZwei\n"])
        #expect(try camera()["position"] as? String == "back")
        #expect(try board.json("devices", "use", "main").first?["id"] as? String == "main")
        try photo(from: "main", width: 1280)
        let unknown = try board.attempt("devices", "use", "third")
        #expect(unknown.status == 64 && unknown.errors.contains("main, other"))
        try board.stop()
    }

    @Test("`config show --json` equals the TOML as Python's own parser reads it")
    func showAsJSON() throws {
        let file = board.path("strange.toml")
        // The file has all kinds of characters in a text, and all nested tables.
        let more = #"""

            "shutter+back".press = "end_session"
            [guest]
            idle_s = 90.5
            [[camera]]
            id = "other"
            match = { serial = "path = \"b\", { \\", path = "usb-1" }
            """#
        let greeting = #"ready_text = "ü = \"\\\",\n[now] = 1""#
        let strange = try text(board.configuration)
            .replacing("review_s = 0", with: "review_s = 0\n" + greeting)
            .appending(more)
        let script = """
            import json, sys, tomllib
            shown, printed = sys.argv[1:]
            assert tomllib.load(open(shown, "rb")) == json.load(open(printed, "rb"))
            """
        for text in [strange, "camera = []\nbutton = []\n"] {
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            try board.run("config", "show", "--config", file).write(
                toFile: board.path("shown"), atomically: true, encoding: .utf8)
            let printed = try board.run("config", "show", "--config", file, "--json")
            #expect(printed.split(separator: "\n").count == 1)
            try printed.write(toFile: board.path("json"), atomically: true, encoding: .utf8)
            let compared = try Program.run(
                "/usr/bin/python3", ["-c", script, board.path("shown"), board.path("json")])
            #expect(compared.status == 0, "\(compared.errors)")
        }
    }

    @Test("Prometheus' own parser reads the metrics as OpenMetrics")
    func metrics() throws {
        try board.start()
        _ = try board.run("press", "shutter", "--wait")
        try board.run("status", "--metrics").write(
            toFile: board.path("metrics"), atomically: true, encoding: .utf8)
        try board.stop()
        let script = """
            import sys
            from prometheus_client.openmetrics.parser import text_string_to_metric_families
            for family in text_string_to_metric_families(open(sys.argv[1]).read()):
                for sample in family.samples:
                    print(family.type, sample.name, sorted(sample.labels.items()), float(sample.value))
            """
        let parsed = try Program.run("/usr/bin/python3", ["-c", script, board.path("metrics")])
        #expect(parsed.status == 0, "\(parsed.errors)")
        #expect(parsed.output.contains("stateset vitrine_health [('vitrine_health', 'ok')] 1.0"))
        #expect(
            parsed.output.contains(
                "counter vitrine_button_presses_total [('button', 'shutter')] 1.0"))
        #expect(parsed.output.contains("gauge vitrine_library_assets [('type', 'photo')] 1.0"))
        // Control: the parser refuses other text.
        try "vitrine_health 1\n".write(
            toFile: board.path("metrics"), atomically: true, encoding: .utf8)
        #expect(
            try Program.run("/usr/bin/python3", ["-c", script, board.path("metrics")]).status != 0)
    }

    @Test("`status --watch` runs until it is ended, and waits for an appliance")
    func watch() throws {
        /// Watches until `words` have been shown `count` times.
        func watch(_ words: String, count: Int) throws {
            let seen = board.path("seen")
            let process = try ChildProcess(
                board.program.path, ["status", "--watch"], environment: board.environment,
                output: seen, errors: "/dev/null")
            defer {
                kill(process.identifier, SIGINT)
                process.wait()
            }
            try board.waitUntil {
                try #require(process.isRunning)
                return try text(seen).components(separatedBy: words).count > count
            }
        }
        try board.start()
        try watch("preview", count: 2)
        try board.stop()
        try watch("no appliance is running; waiting", count: 1)
    }

    @Test("a terminal of 80 by 24 shows each problem in full with its next step")
    func terminal() throws {
        try (text(board.configuration) + "\n[lamp]\nready = \"nobodys-chip:1\"\n").write(
            toFile: board.configuration, atomically: true, encoding: .utf8)
        try board.start()
        let problems = try status()["problems"] as? [[String: Any]]
        let problem = problems?.first { $0["code"] as? String == "lamp.missing" }
        let message = try #require(problem?["message"] as? String)
        try #require(message.contains("; next: ") && message.count > 79)
        for words in ["status", "status --watch"] {
            let command = "stty cols 80 rows 24; exec \(board.command(words))"
            let terminal = try ChildProcess(
                "/usr/bin/script", ["-qefc", command, "/dev/null"],
                environment: board.environment, output: board.path("terminal"))
            defer {
                terminal.terminate()
                terminal.wait()
            }
            var rows: [Substring] = []
            try board.waitUntil {
                let shown = try text(board.path("terminal"))
                let picture = try #require(shown.components(separatedBy: "\u{1b}[H").last)
                rows = picture.replacing("\u{1b}[K", with: "").replacing("\u{1b}[J", with: "")
                    .split(whereSeparator: \.isNewline)
                let text = rows.joined(separator: " ").split(separator: " ").joined(separator: " ")
                return text.contains("lamp.missing: \(message)") && text.contains(" clock ")
                    && text.contains(" config /")
            }
            #expect(rows.count <= 23 && rows.allSatisfy { $0.count <= 79 }, "\(rows)")
        }
        try board.stop()
    }
}
