// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import TestSupport
import Testing

extension HostBoardTests {
    /// Clips, asked for as a person would, and looked at by ffmpeg.
    @Suite("clips", .timeLimit(.minutes(3)))
    struct ClipTests {
        private let board: RunningBoard

        init() throws { board = try RunningBoard() }

        /// With a button that records, and more lines of configuration.
        private func start(
            _ action: String = "back.press = \"record\"", more: String = ""
        ) throws {
            var text = try String(contentsOfFile: board.configuration, encoding: .utf8)
            text = text.replacingOccurrences(of: "back.press = \"cancel\"", with: action)
            text += "\n[recording]\npreset = \"ultrafast\"\n\(more)\n"
            try text.write(toFile: board.configuration, atomically: true, encoding: .utf8)
            try board.start()
        }

        private func recording() throws -> [String: Any] {
            try #require(try board.json("status").first?["recording"] as? [String: Any])
        }

        private func wait(for seconds: Double) throws {
            try board.waitUntil { try recording()["seconds"] as? Double ?? 0 >= seconds }
        }

        /// The numbers burnt into a clip's pictures, in order; `nil` for one that cannot be read.
        private func numbers(_ asset: [String: Any]) throws -> [Int?] {
            _ = try board.run(
                "library", "export", board.path("out"), asset["id"] as? String ?? "")
            let clip = board.path("out/" + (asset["fileName"] as? String ?? ""))
            let frames = board.path("frames-\(UUID())")
            try FileManager.default.createDirectory(
                atPath: frames, withIntermediateDirectories: true)
            let decoded = try Program.run(
                "ffmpeg",
                ["-v", "error", "-i", clip, "-fps_mode", "passthrough", "\(frames)/%04d.png"])
            #expect(decoded.status == 0 && decoded.text.isEmpty, "\(decoded.text)")
            return try FileManager.default.contentsOfDirectory(atPath: frames).sorted().map {
                try FrameNumber.read("\(frames)/\($0)", isMirrored: false)
            }
        }

        @Test(
            "a button begins a clip and ends it, photos are taken beside it, and no frame is missing but those told"
        )
        func clip() throws {
            try start()
            #expect(try recording()["active"] as? Bool == false)
            #expect(try board.json("press", "back").first?["accepted"] as? Bool == true)
            try wait(for: 1)
            #expect(try board.json("status").first?["state"] as? String == "recording")
            let photo = try #require(try board.json("press", "shutter", "--wait").first)
            #expect(photo["mediaType"] as? String == "photo")
            try wait(for: 2)
            let clip = try #require(try board.json("press", "back", "--wait").first)
            #expect(clip["mediaType"] as? String == "video")
            #expect(clip["sessionId"] as? String == photo["sessionId"] as? String)
            #expect(clip["width"] as? Int == 1280 && clip["frameSequence"] == nil)
            let numbers = try numbers(clip).map { try #require($0) }
            let missing = (numbers.last ?? 0) - (numbers.first ?? 0) + 1 - numbers.count
            let status = try #require(try board.json("status").first)
            // By the encoder, or by the camera, which had nothing left to fill.
            let told = ["recording", "camera"].flatMap { part in
                ((status[part] as? [String: Any])?["framesDropped"] as? [String: Int] ?? [:])
                    .filter { ["encoder", "driver"].contains($0.key) }.values
            }.reduce(0, +)
            #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
            #expect(missing >= 0 && missing <= told)
            let seconds = try #require(clip["durationSeconds"] as? Double)
            #expect(abs(seconds - Double(numbers.count + missing) / 30) < 0.1)
            #expect(try board.json("library", "list", "--type", "video").count == 1)
            let verified = try board.attempt("library", "verify", "--deep")
            #expect(verified.status == 0, "\(verified.output)")
            try board.stop()
        }

        @Test(
            "capture movie records for as long as it says, and verify leaves alone what is under way"
        )
        func capture() throws {
            try start()
            let recorder = Task.detached {
                [board = board.command("capture", "movie"), environment = board.environment] in
                try Program.run(
                    "/bin/sh", ["-c", "\(board) --seconds 2 --json"], environment: environment)
            }
            try wait(for: 1)
            #expect(try board.attempt("library", "verify").status == 0)
            let beside = try board.attempt("capture", "movie", "--seconds", "1")
            #expect(beside.status == 75 && beside.errors.contains("A clip is being recorded"))
            try board.waitUntil { try board.json("library", "list", "--type", "video").count == 1 }
            let clip = try #require(try board.json("library", "list", "--type", "video").first)
            #expect((1.8...3.5).contains(clip["durationSeconds"] as? Double ?? 0))
            recorder.cancel()
            try board.stop()
        }

        @Test(
            "a clip lasts as long as its button is held, begins before the press, and ends at its limit"
        )
        func heldWithPreRoll() throws {
            try start("back.hold = \"record\"", more: "pre_roll_s = 2\nmaximum_s = 2")
            try board.waitUntil { try recording()["preRollSeconds"] as? Double ?? 0 >= 2 }
            // A command lets go at once.
            _ = try board.run("press", "back", "--gesture", "hold")
            try board.waitUntil { try board.json("library", "list", "--type", "video").count == 1 }
            let short = try #require(try board.json("library", "list", "--type", "video").first)
            #expect((1.9...3.9).contains(short["durationSeconds"] as? Double ?? 0))
            let long = try board.json("capture", "movie", "--seconds", "60").first
            #expect((3.8...6).contains(long?["durationSeconds"] as? Double ?? 0))
            try board.stop()
        }

        @Test("a clip is counted down to, which another press takes back")
        func countedDown() throws {
            try start(more: "countdown_s = 4")
            func state() throws -> String? { try board.json("status").first?["state"] as? String }
            _ = try board.run("press", "back")
            #expect(try state() == "countdown")
            _ = try board.run("press", "back")
            #expect(try state() == "live")
            _ = try board.run("press", "back")
            #expect(try recording()["active"] as? Bool == false)
            try wait(for: 1)
            #expect(try state() == "recording")
            let clip = try #require(try board.json("press", "back", "--wait").first)
            #expect(clip["mediaType"] as? String == "video")
            #expect(try board.json("library", "list", "--type", "video").count == 1)
            try board.stop()
        }

        @Test(
            "stopping the appliance ends a clip, which is kept; so does kill -9, at the next start")
        func interrupted() throws {
            try start()
            _ = try board.run("press", "back")
            try wait(for: 2)
            try board.stop()
            let clip = try #require(try board.json("library", "list", "--type", "video").first)
            #expect(clip["durationSeconds"] as? Double ?? 0 >= 2 && clip["recovered"] == nil)
            try board.start()
            _ = try board.run("press", "back")
            try wait(for: 3.5)
            board.kill()
            let left = try FileManager.default.contentsOfDirectory(
                atPath: board.path("library/incoming"))
            #expect(left.count == 1)
            try board.start()
            try board.waitUntil { try board.json("library", "list", "--type", "video").count == 2 }
            let mended = try #require(
                try board.json("library", "list", "--type", "video").first {
                    $0["recovered"] as? Bool == true
                })
            #expect(mended["durationSeconds"] as? Double ?? 0 >= 1.5)
            #expect(mended["sessionId"] != nil && mended["deviceName"] as? String == "main")
            // However many the machine had time for.
            #expect(try numbers(mended).count > 5)
            try board.stop()
        }
    }
}
