// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import TestSupport
import Testing

extension HostBoardTests {
    /// Tests of photos, clips and files that are shown instead of the live picture.
    @Suite("views", .timeLimit(.common))
    struct ViewTests {
        private let board: RunningBoard

        init() throws {
            board = try RunningBoard()
            let buttons = ["look", "on", "off"].map { "[[button]]\nname = \"\($0)\"\n" }.joined()
            var text = try String(contentsOfFile: board.configuration, encoding: .utf8)
            text = text.replacingOccurrences(
                of: "[actions]",
                with: """
                    \(buttons)
                    [recording]
                    preset = "ultrafast"
                    [actions]
                    look.press = "browse"
                    on.press = "next"
                    off.press = "previous"
                    """)
            try text.write(toFile: board.configuration, atomically: true, encoding: .utf8)
            try board.start()
        }

        private func state() throws -> String? {
            try board.json("status").first?["state"] as? String
        }

        /// Returns the number of the camera's picture that is seen; `nil` for none.
        private func seen() throws -> Int? {
            _ = try board.run("screenshot", board.path("screen.png"))
            return try FrameNumber.read(board.path("screen.png"), isMirrored: false)
                ?? FrameNumber.read(board.path("screen.png"), isMirrored: true)
        }

        /// Returns the number in a photo.
        private func number(of photo: [String: Any]) throws -> Int {
            let id = try #require(photo["id"] as? String)
            _ = try board.run("library", "picture", id, board.path("\(id).jpg"))
            let converted = try Program.run(
                "ffmpeg",
                ["-v", "error", "-y", "-i", board.path("\(id).jpg"), board.path("photo.png")])
            #expect(converted.status == 0, "\(converted.text)")
            return try #require(try FrameNumber.read(board.path("photo.png"), isMirrored: false))
        }

        @Test("a guest looks through the visit, and any other button leads back to the camera")
        func visit() throws {
            // There is nothing to see yet.
            #expect(try board.attempt("press", "look").status == 75)
            var photos: [[String: Any]] = []
            for _ in 0..<2 {
                photos.append(try #require(try board.json("press", "shutter", "--wait").first))
            }
            _ = try board.json("capture", "movie", "--seconds", "2")
            let numbers = try photos.map { try number(of: $0) }
            #expect(numbers[0] != numbers[1])

            // The clip comes first, and is played to its end.
            _ = try board.run("press", "look")
            try board.waitUntil { try state() == "viewing" }
            let clip = try #require(try board.json("play", "status").first)
            #expect((clip["title"] as? String)?.hasSuffix(".mp4") == true)
            #expect((clip["duration"] as? Double ?? 0) >= 2)
            let first = try #require(try seen())
            #expect(first > numbers[1])
            try board.waitUntil {
                try board.json("play", "status").first?["state"] as? String == "paused"
            }
            let last = try #require(try seen())
            #expect(last >= first)
            #expect(try seen() == last)

            _ = try board.run("press", "off")
            try board.waitUntil { try seen() == numbers[1] }
            _ = try board.run("press", "off")
            try board.waitUntil { try seen() == numbers[0] }
            // The row is a ring.
            _ = try board.run("press", "off")
            try board.waitUntil { try seen() ?? 0 >= first }
            _ = try board.run("press", "on")
            try board.waitUntil { try seen() == numbers[0] }

            _ = try board.run("press", "shutter")
            try board.waitUntil { try state() == "live" }
            // Control: the live picture changes, and the press took no photo.
            let live = try #require(try seen())
            #expect(live > last)
            try board.waitUntil { try seen() ?? 0 > live }
            #expect(try board.json("library", "list").count == 3)
            try board.stop()
        }

        @Test(
            "`play` plays a file with its commands, tells its end, and refuses what it cannot play")
        func play() throws {
            let file = board.path("a.mp4")
            let made = try Program.run(
                "ffmpeg",
                [
                    "-v", "error", "-f", "lavfi", "-i",
                    "color=red:size=320x180:rate=25:duration=60", "-metadata", "title=Red",
                    "-pix_fmt", "yuv420p", file,
                ])
            try #require(made.status == 0, "\(made.text)")
            #expect(try board.attempt("play", "status").status == 75)
            #expect(try board.run("play", file, "--background") == "playing\n")
            try board.waitUntil { try state() == "viewing" }
            #expect(try board.run("play", "pause").hasPrefix("paused"))
            #expect(try board.run("play", "seek", "30.04").contains("0:30 of 1:00  Red"))
            let status = try #require(try board.json("play", "status").first)
            #expect(status["seconds"] as? Double == 30.04)
            #expect(status["state"] as? String == "paused")
            // The screen is red, and no camera's picture is seen.
            #expect(try isRed("screenshot"))
            _ = try board.run("play", "resume")
            try board.waitUntil { try board.run("play", "status").hasPrefix("playing") }
            _ = try board.run("play", "stop")
            #expect(try state() == "live")

            #expect(try board.run("play", file, "--at", "59.5") == "finished\n")
            #expect(try state() == "live")
            try "no media".write(
                toFile: board.path("b.mp4"), atomically: true, encoding: .utf8)
            let broken = try board.attempt("play", board.path("b.mp4"))
            #expect(broken.status == 74 && broken.errors.contains("no media file"))
            #expect(try board.attempt("play", board.path("c.mp4")).status == 66)
            #expect(try board.attempt("play", UUID().uuidString).status == 66)
            #expect(try board.attempt("play", file, "--rate", "9").status == 64)
            try board.stop()
        }

        @Test("`play` shows the subtitles of a file, and those that lie beside it")
        func subtitles() throws {
            let text = "1\n00:00:00,000 --> 00:01:00,000\nWhat is on the screen?\n"
            try text.write(
                toFile: board.path("a.de.srt"), atomically: true, encoding: .utf8)
            let file = board.path("a.mkv")
            let made = try Program.run(
                "ffmpeg",
                [
                    "-v", "error", "-f", "lavfi", "-i",
                    "color=navy:size=320x180:rate=25:duration=60", "-i", board.path("a.de.srt"),
                    "-map", "0", "-map", "1", "-metadata:s:s:0", "language=fre", "-pix_fmt",
                    "yuv420p", file,
                ])
            try #require(made.status == 0, "\(made.text)")
            for (words, shown) in [
                (["--subtitle", "fr"], "legible-1"), (["--subtitle", "de"], "a.de.srt"), ([], nil),
                (["--subtitle", board.path("a.de.srt")], "a.de.srt"),
                (["--subtitle", "none"], nil),
            ] {
                let begun = try board.attempt(["play", file, "--background"] + words)
                #expect(begun.output == "playing\n", "\(begun.errors)")
                try board.waitUntil { try state() == "viewing" }
                _ = try board.run("play", "pause")
                _ = try board.run("play", "seek", "5")
                let status = try #require(try board.json("play", "status").first)
                #expect(status["subtitle"] as? String == shown)
                try board.waitUntil { try hasLetters() == (shown != nil) }
                _ = try board.run("play", "stop")
                // The live picture has none.
                try board.waitUntil { try !hasLetters() }
            }
            _ = try board.run("play", file, "--subtitle", "none", "--background")
            try board.waitUntil { try state() == "viewing" }
            for (word, shown) in [("de", "a.de.srt"), ("none", nil), ("a.de.srt", "a.de.srt")] {
                try board.waitUntil { try board.attempt("play", "subtitle", word).status == 0 }
                try board.waitUntil { try hasLetters() == (shown != nil) }
                let status = try #require(try board.json("play", "status").first)
                #expect(status["subtitle"] as? String == shown)
            }
            let unknown = try board.attempt("play", "subtitle", "pl")
            #expect(unknown.status == 74 && unknown.errors.contains("a.de.srt (de)"))
            #expect(try hasLetters())
            _ = try board.run("play", "stop")
            // A file that lies there and cannot be opened does not stop the playing.
            try FileManager.default.createSymbolicLink(
                atPath: board.path("a.fr.srt"), withDestinationPath: "/nowhere")
            #expect(try board.run("play", file, "--at", "59.8") == "finished\n")
            let missing = try board.attempt("play", file, "--subtitle", "pl")
            #expect(missing.status == 74, "\(missing.errors)")
            #expect(missing.errors.contains("legible-1 (fr), a.de.srt (de)"), "\(missing.errors)")
            try board.stop()
        }

        /// Whether there is something white above the title.
        private func hasLetters() throws -> Bool {
            try pixels("crop=600:160:(iw-600)/2:ih-330,format=gray").count { $0 > 235 } > 500
        }

        /// Returns the bytes of a display's pixels behind a filter.
        private func pixels(
            _ filter: String, of screenshot: [String] = ["screenshot"]
        ) throws -> Data {
            #expect(try board.attempt(screenshot + [board.path("screen.png")]).status == 0)
            let part = try Program.run(
                "ffmpeg",
                [
                    "-v", "error", "-i", board.path("screen.png"), "-vf", filter, "-f", "rawvideo",
                    "-y", board.path("part"),
                ])
            #expect(part.status == 0, "\(part.text)")
            return try Data(contentsOf: URL(filePath: board.path("part")))
        }

        @Test("a piece of music shows its cover")
        func cover() throws {
            let made = try Program.run(
                "ffmpeg",
                [
                    "-v", "error", "-f", "lavfi", "-i", "color=red:size=300x300:rate=1:duration=1",
                    "-f", "lavfi", "-i", "sine=duration=60", "-map", "0", "-map", "1", "-c:v",
                    "mjpeg", "-disposition:v", "attached_pic", board.path("a.mp3"),
                ])
            try #require(made.status == 0, "\(made.text)")
            #expect(try board.run("play", board.path("a.mp3"), "--background") == "playing\n")
            try board.waitUntil { try isRed("screenshot") }
            try board.stop()
        }

        @Test("`play --display second` leaves the first display to the kiosk")
        func secondDisplay() throws {
            let file = board.path("a.mp4")
            let made = try Program.run(
                "ffmpeg",
                [
                    "-v", "error", "-f", "lavfi", "-i",
                    "color=red:size=320x180:rate=25:duration=60", "-pix_fmt", "yuv420p", file,
                ])
            try #require(made.status == 0, "\(made.text)")
            let alone = try board.attempt("play", file, "--display", "second")
            #expect(alone.status == 64 && alone.errors.contains("[second_display]"))
            try board.stop()
            var text = try String(contentsOfFile: board.configuration, encoding: .utf8)
            text += "\n[second_display]\nconnector = \"HDMI-A-2\"\n"
            try text.write(toFile: board.configuration, atomically: true, encoding: .utf8)
            try board.start()
            let display = ["--display", "second"]
            try board.waitUntil {
                try board.attempt(["play", file, "--background"] + display).status == 0
            }
            try board.waitUntil { try isRed("screenshot", "--second") }
            #expect(try board.attempt("play", "status").status == 75)
            #expect(try board.attempt(["play", "pause"] + display).output.hasPrefix("paused"))
            // The kiosk goes on, with its own display and its buttons.
            #expect(try state() == "live")
            let before = try #require(try seen())
            try board.waitUntil { try seen() ?? 0 > before }
            _ = try board.json("press", "shutter", "--wait")
            #expect(try board.attempt(["play", "status"] + display).status == 0)
            #expect(try isRed("screenshot", "--second"))
            // The end leaves the camera's picture there, as a stop does.
            _ = try board.attempt(["play", "stop"] + display)
            try board.waitUntil { try !isRed("screenshot", "--second") }
            #expect(try board.attempt(["play", "status"] + display).status == 75)
            let ended = try board.attempt(["play", file, "--at", "59.5"] + display)
            #expect(ended.output == "finished\n", "\(ended.errors)")
            try board.waitUntil { try !isRed("screenshot", "--second") }
            try "no media".write(toFile: board.path("b.mp4"), atomically: true, encoding: .utf8)
            #expect(try board.attempt(["play", board.path("b.mp4")] + display).status == 74)
            try board.stop()
        }

        /// Whether the middle of a display is red.
        private func isRed(_ screenshot: String...) throws -> Bool {
            let color = try pixels("crop=64:64:600:300,scale=1:1,format=rgb24", of: screenshot)
            return color[0] > 230 && color[1] < 30 && color[2] < 30
        }

        @Test("`play` plays a URL, which the sync service opens")
        func url() throws {
            let server = try MediaServer()
            let made = try Program.run(
                "ffmpeg",
                [
                    "-v", "error", "-f", "lavfi", "-i",
                    "color=red:size=320x180:rate=25:duration=60", "-pix_fmt", "yuv420p",
                    server.path(of: "a b.mp4"),
                ])
            try #require(made.status == 0, "\(made.text)")
            let url = server.url("a%20b.mp4")
            let unserved = try board.attempt("play", url)
            #expect(unserved.status == 75 && unserved.errors.contains("vitrine-sync"))

            let service = try ChildProcess(
                board.program.path, ["sync", "run", "--config", board.configuration],
                environment: board.environment, output: "/dev/null", errors: board.path("sync"))
            defer {
                service.terminate()
                service.wait()
            }
            for _ in 0..<2 {
                // The service finds the appliance by itself, also after a restart.
                try board.waitUntil {
                    try board.attempt("play", url, "--at", "59.5").output == "finished\n"
                }
                #expect(try board.run("play", url, "--background") == "playing\n")
                try board.waitUntil { try state() == "viewing" }
                #expect(try board.run("play", "seek", "30.04").contains("0:30 of 1:00  a b.mp4"))
                _ = try board.run("play", "stop")
                #expect(try board.attempt("play", server.url("c.mp4")).status == 66)
                #expect(try board.attempt("play", server.url("page/")).errors.contains("web page"))
                try board.stop()
                try board.start()
            }
            try board.stop()
        }

        @Test("a clip is played after it was recorded")
        func review() throws {
            try board.stop()
            var text = try String(contentsOfFile: board.configuration, encoding: .utf8)
            text = text.replacingOccurrences(of: "review_s = 0", with: "review_s = 2")
            try text.write(toFile: board.configuration, atomically: true, encoding: .utf8)
            try board.start()
            _ = try board.json("capture", "movie", "--seconds", "2")
            try board.waitUntil { try state() == "viewing" }
            #expect(try board.json("play", "status").count == 1)
            try board.waitUntil { try state() == "live" }
            try board.stop()
        }
    }
}
