// SPDX-License-Identifier: GPL-3.0-or-later

import FoundationEssentials
import Glibc
import Testing

/// The program itself on the host board, asked through its command line as a person would.
@Suite("Host board", .serialized, .timeLimit(.minutes(3)))
struct HostBoardTests {
    private let board: RunningBoard

    init() throws { board = try RunningBoard() }

    @Test("a press becomes a photo that outside tools accept")
    func photo() throws {
        try board.start()
        let answer = try board.json("press", "shutter", "--wait")
        let asset = try #require(answer.first)
        #expect(asset["width"] as? Int == 1280)
        #expect(asset["mediaType"] as? String == "photo")
        let offset = try #require(asset["shutterOffsetMicroseconds"] as? Int)
        #expect(abs(offset) <= 16_667)
        _ = try board.run("library", "export", board.path("out"))
        let file = board.path("out/" + (asset["fileName"] as? String ?? ""))
        #expect(try Tool.run("jpeginfo", "-c", file).output.contains("OK"))
        let tags = try Tool.run("exiftool", "-validate", "-warning", "-a", "-s", file)
        #expect(tags.output.contains("Validate") && tags.output.contains(": OK"))
        let sum = try Tool.run("sha256sum", file).output.prefix(64)
        #expect(String(sum) == asset["sha256"] as? String)
        try board.stop()
    }

    @Test("status names every part, and the preview moves")
    func status() throws {
        try board.start()
        let status = try #require(try board.json("status").first)
        for key in [
            "version", "board", "state", "uptimeSeconds", "health", "problems", "camera", "preview",
            "buttons", "library", "clock",
        ] {
            #expect(status[key] != nil, "\(key)")
        }
        #expect(status["health"] as? String == "ok")
        let preview = try #require(status["preview"] as? [String: Any])
        #expect(preview["path"] as? String == "exported")
        try board.stop()
    }

    @Test("systemd hears that it is ready, that it lives, and that it is stopping")
    func serviceManager() throws {
        let systemd = try NotifySocket(path: board.path("notify"))
        try board.start(environment: [
            "NOTIFY_SOCKET": board.path("notify"), "WATCHDOG_USEC": "400000",
        ])
        try systemd.wait(for: "READY=1")
        try systemd.wait(for: "WATCHDOG=1", count: 5)
        try board.stop()
        try systemd.wait(for: "STOPPING=1")
        #expect(systemd.heard.first == "READY=1" || systemd.heard.first == "WATCHDOG=1")
    }

    @Test("a screenshot is a PNG of the screen's size")
    func screenshot() throws {
        try board.start()
        _ = try board.run("screenshot", board.path("screen.png"))
        #expect(
            try Tool.run("file", board.path("screen.png")).output.contains(
                "PNG image data, 1280 x 720"))
        try board.stop()
    }

    @Test("thirty presses are thirty photos, in order")
    func thirtyPresses() throws {
        try board.start()
        for _ in 0..<30 { _ = try board.run("press", "shutter") }
        try board.waitUntil { try board.json("library", "list").count == 30 }
        let sequences = try board.json("library", "list").compactMap { $0["sequence"] as? Int }
        #expect(sequences == Array(1...30))
        try board.stop()
        #expect(try board.json("library", "list").count == 30, "read again without the appliance")
    }

    @Test("capture photo works alone, and says 75 without a camera")
    func alone() throws {
        #expect(try board.json("capture", "photo", "--config", board.configuration).count == 1)
        try board.write(camera: "match = { driver = \"uvcvideo\" }")
        let refused = try board.attempt("capture", "photo", "--config", board.configuration)
        #expect(refused.status == 75)
        #expect(refused.errors.contains("no camera"))
    }

    @Test("wrong words, files and configurations end with their exit status and a next step")
    func exitStatus() throws {
        #expect(try board.attempt("dance").status == 64)
        let offline = try board.attempt("status")
        #expect(offline.status == 69 && offline.errors.contains("vitrine run"))
        #expect(try board.attempt("config", "check", "/nonexistent").status == 78)
        try board.write(camera: "qualty = 3")
        let unknown = try board.attempt("config", "check", board.configuration)
        #expect(unknown.status == 78 && unknown.errors.contains("qualty"))
        #expect(try board.attempt("run", "--config", board.configuration).status == 78)
        try board.write()
        try board.start()
        #expect(try board.attempt("library", "show", "ffffffff").status == 66)
        #expect(try board.attempt("press", "nobody").status == 64)
        let second = try board.attempt("run", "--config", board.configuration)
        #expect(second.status == 75)
        try board.stop()
    }

    @Test("kill -9 loses nothing that was reported saved", arguments: 1...5)
    func kill(_ round: Int) throws {
        try board.start()
        var saved: [String] = []
        for _ in 0..<round {
            let asset = try board.json("press", "shutter", "--wait").first
            saved.append(asset?["sha256"] as? String ?? "")
        }
        _ = try board.attempt("press", "shutter")
        board.kill()
        try board.start()
        let present = try board.json("library", "list").compactMap { $0["sha256"] as? String }
        #expect(Set(saved).isSubset(of: present))
        try board.stop()
    }

    @Test("completions are made for the shells")
    func completions() throws {
        for shell in ["bash", "zsh", "fish"] {
            #expect(
                try board.run("--generate-completion-script", shell).contains("screenshot"),
                "\(shell)")
        }
    }
}
