// SPDX-License-Identifier: GPL-3.0-or-later

import CommandProtocol
import Foundation
import TestSupport
import Testing

extension HostBoardTests {
    /// Tests of clips, recorded as a person would and checked with ffmpeg.
    @Suite("clips", .timeLimit(.common))
    struct ClipTests {
        private let board: RunningBoard

        init() throws { board = try RunningBoard() }

        /// Starts the appliance with a button that records, and with more lines of configuration.
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

        /// Returns the numbers burnt into a clip's pictures, in order; `nil` for an unreadable one.
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

        @Test("a button starts and ends a clip; photos are taken during it, and drops are counted")
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
            // Frames may be dropped by the encoder, or by a camera without a free buffer.
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

        @Test("`capture movie` records for its seconds, and `verify` ignores the unfinished file")
        func capture() throws {
            try start()
            let start = ContinuousClock.now
            let recorder = Task.detached {
                [board = board.command("capture", "movie"), environment = board.environment] in
                try Program.run(
                    "/bin/sh", ["-c", "\(board) --seconds 10 --json"], environment: environment)
            }
            try wait(for: 1)
            #expect(try board.attempt("library", "verify").status == 0)
            let beside = try board.attempt("capture", "movie", "--seconds", "1")
            #expect(beside.status == 75 && beside.errors.contains("A clip is being recorded"))
            try board.waitUntil { try board.json("library", "list", "--type", "video").count == 1 }
            let clip = try #require(try board.json("library", "list", "--type", "video").first)
            let elapsed = (ContinuousClock.now - start) / .seconds(1)
            let seconds = clip["durationSeconds"] as? Double ?? 0
            #expect(seconds >= 9.8 && seconds <= elapsed)
            recorder.cancel()
            try board.stop()
        }

        @Test("a clip lasts while its button is held, begins before the press and has a limit")
        func heldWithPreRoll() throws {
            let recording = "pre_roll_s = 2\nmaximum_s = 2\ncountdown_s = 3"
            try start("back.hold = \"record\"", more: recording)
            try board.waitUntil { try self.recording()["preRollSeconds"] as? Double ?? 0 >= 2 }
            // A command releases at once. A held button has no countdown.
            let start = ContinuousClock.now
            _ = try board.run("press", "back", "--gesture", "hold")
            try board.waitUntil { try board.json("library", "list", "--type", "video").count == 1 }
            let short = try #require(try board.json("library", "list", "--type", "video").first)
            let elapsed = (ContinuousClock.now - start) / .seconds(1)
            // The clip includes the pre-roll, from a key frame on.
            #expect((1.9...3.2 + elapsed).contains(short["durationSeconds"] as? Double ?? 0))
            let long = try board.json("capture", "movie", "--seconds", "60").first
            #expect((3.8...6).contains(long?["durationSeconds"] as? Double ?? 0))
            try board.stop()
        }

        @Test("a command that holds a button and waits returns the clip, which ends at once")
        func heldByCommand() throws {
            try start("back.hold = \"record\"", more: "pre_roll_s = 2\ncountdown_s = 3")
            let hold = ["press", "back", "--gesture", "hold"]
            // A clip that ends at once contains only the pre-roll.
            func waitForPreRoll() throws {
                try board.waitUntil { try recording()["preRollSeconds"] as? Double ?? 0 >= 1 }
            }
            func listed() throws -> [[String: Any]] {
                try board.json("library", "list", "--type", "video")
            }
            try waitForPreRoll()
            let clip = try #require(try board.json(hold + ["--wait"]).first)
            #expect(clip["mediaType"] as? String == "video" && clip["isCut"] == nil)
            let first = try listed()
            #expect(first.count == 1 && first.first?["id"] as? String == clip["id"] as? String)
            // The output for people names the clip as well.
            try waitForPreRoll()
            let shown = try board.attempt(hold + ["--wait"])
            let second = try listed()
            let name = try #require(second.last?["fileName"] as? String)
            #expect(shown.status == 0 && second.count == 2 && shown.output.contains(name))
            // Control: a command that does not wait gets no clip.
            #expect(try board.json(hold).first?["accepted"] as? Bool == true)
            try board.stop()
        }

        @Test("a length that is no number of seconds, or out of range, is refused")
        func wrongLength() throws {
            try start()
            let appliance = try ControlClient(paths: [board.path("control.sock")])
            let wrong: [JSONValue] = [
                .string("5"), .bool(true), .array([.integer(5)]), .object([:]), .integer(-1),
            ]
            for (verb, name) in [
                ("capture.movie", "seconds"), ("timelapse.start", "interval"),
                ("timelapse.start", "duration"),
            ] {
                for value in wrong {
                    let error = #expect(throws: CommandError.self, "\(verb), \(name): \(value)") {
                        try appliance.request(verb, [name: value], as: JSONValue.self)
                    }
                    #expect(error?.code == "request.invalid" && error?.exitCode == 64)
                    #expect(error?.message.hasPrefix("\(name) ") == true)
                    #expect(error?.next.hasPrefix("Give ") == true)
                }
            }
            #expect(try recording()["active"] as? Bool == false)
            // Control: a number is accepted, and null counts as left out.
            let begun = try appliance.request(
                "timelapse.start", ["interval": .integer(1), "duration": .null],
                as: StatusReport.Timelapse.self)
            #expect(begun.active)
            try board.stop()
        }

        @Test("a clip ends at its maximum size, in one file or in several")
        func ofSize() throws {
            // Noise does not compress.
            let noise = board.path("noise")
            try FileManager.default.createDirectory(
                atPath: noise, withIntermediateDirectories: true)
            let filter = "nullsrc=s=1280x720,geq=lum=random(1)*255:cb=128:cr=128"
            let made = try Program.run(
                "ffmpeg",
                ["-v", "error", "-f", "lavfi", "-i", filter, "-frames:v", "1", "\(noise)/1.jpg"])
            try #require(made.status == 0, "\(made.errors)")
            for segment in ["", "segment_s = 1"] {
                try board.write(
                    camera: "match = { driver = \"simulated\" }\nsource = \"\(noise)\"")
                try start(more: "maximum_mb = 3\nquality = 1\n\(segment)")
                _ = try board.json("capture", "movie", "--seconds", "60")
                let clips = try board.json("library", "list", "--type", "video")
                let bytes = clips.compactMap { $0["bytes"] as? Int }.reduce(0, +)
                #expect((3_000_000...6_000_000).contains(bytes), "\(bytes) bytes in \(clips.count)")
                #expect(segment.isEmpty ? clips.count == 1 : clips.count > 1)
                for clip in clips {
                    _ = try board.run("library", "delete", try #require(clip["id"] as? String))
                }
                try board.stop()
            }
        }

        @Test("a clip begins after its countdown, which another press cancels")
        func countedDown() throws {
            try start(more: "countdown_s = 30")
            func state() throws -> String? { try board.json("status").first?["state"] as? String }
            _ = try board.run("press", "back")
            #expect(try state() == "countdown")
            _ = try board.run("press", "back")
            #expect(try state() == "live")
            _ = try board.run("press", "back")
            #expect(try recording()["active"] as? Bool == false)
            #expect(try state() == "countdown")
            try board.stop()
            try board.write()
            try start(more: "countdown_s = 1")
            _ = try board.run("press", "back")
            try wait(for: 1)
            #expect(try state() == "recording")
            let clip = try #require(try board.json("press", "back", "--wait").first)
            #expect(clip["mediaType"] as? String == "video")
            #expect(try board.json("library", "list", "--type", "video").count == 1)
            try board.stop()
        }

        @Test("a clip survives the appliance's stop, and kill -9 by the next start")
        func interrupted() throws {
            try start()
            _ = try board.run("press", "back")
            try wait(for: 2)
            try board.stop()
            let clip = try #require(try board.json("library", "list", "--type", "video").first)
            #expect(clip["durationSeconds"] as? Double ?? 0 >= 2 && clip["recovered"] == nil)
            try board.start()
            _ = try board.run("press", "back")
            let incoming = board.path("library/incoming")
            /// Returns the number of fragments of the file that is being written.
            func fragments() throws -> Int {
                let names = try FileManager.default.contentsOfDirectory(atPath: incoming)
                let files = names.compactMap {
                    try? Data(contentsOf: URL(filePath: "\(incoming)/\($0)"))
                }
                return files.reduce(0) { $0 + $1.ranges(of: Data("moof".utf8)).count }
            }
            try board.waitUntil { try fragments() > 2 }
            board.kill()
            let left = try FileManager.default.contentsOfDirectory(atPath: incoming)
            #expect(left.count == 1)
            try board.start()
            try board.waitUntil { try board.json("library", "list", "--type", "video").count == 2 }
            let mended = try #require(
                try board.json("library", "list", "--type", "video").first {
                    $0["id"] as? String != clip["id"] as? String
                })
            // Everything is known about the clip, so it is not marked as recovered. A recovered
            // asset is kept, because it may have been a favourite.
            #expect(!mended.keys.contains("recovered"))
            #expect(mended["durationSeconds"] as? Double ?? 0 >= 1.5)
            #expect(mended["sessionId"] != nil && mended["deviceName"] as? String == "main")
            // The number of frames depends on the machine's speed.
            #expect(try numbers(mended).count > 5)
            try board.stop()
        }

        private func path(_ asset: [String: Any]) throws -> String {
            let shown = try board.json("library", "show", asset["id"] as? String ?? "")
            return try #require(shown.first?["path"] as? String)
        }

        @Test("a loop goes forward and backward, and is written as a GIF or WebP animation")
        func loop() throws {
            try start(more: "[photo]\nloop_s = 0.3")
            let before = try board.framesDroppedByDriver()
            let loop = try #require(try board.json("capture", "loop").first)
            let dropped = try board.framesDroppedByDriver() - before
            #expect(loop["mediaSubtypes"] as? [String] == ["loop"])
            let numbers = try numbers(loop).map { try #require($0) }
            let count = try #require(numbers.firstIndex(of: numbers.max() ?? 0)) + 1
            let forward = Array(numbers.prefix(count))
            #expect(forward == Set(forward).sorted() && count >= 10 - dropped)
            // Only frames that the camera dropped are missing.
            #expect(forward[count - 1] - forward[0] - (count - 1) <= dropped, "\(forward)")
            let round = forward + forward.dropFirst().dropLast().reversed()
            #expect(numbers == round + round + round)
            let id = loop["id"] as? String ?? ""
            // A viewer repeats the animation, so it contains only one round.
            let gif = board.path("loop.gif")
            _ = try board.run("library", "picture", id, gif, "--size", "320x320")
            let told = try Program.run(
                "ffprobe",
                [
                    "-v", "error", "-count_packets", "-show_entries",
                    "stream=width,height,nb_read_packets", "-of", "csv=p=0", gif,
                ]
            ).output.split(separator: ",").compactMap { Int($0.filter(\.isNumber)) }
            #expect(told.prefix(2) == [320, 180] && abs((told.last ?? 0) - round.count) <= 4)
            let webp = board.path("loop.webp")
            _ = try board.run("library", "picture", id, webp)
            #expect(try Program.run("file", [webp]).output.contains("Web/P"))
            let bytes = try Data(contentsOf: URL(filePath: webp))
            #expect(bytes.ranges(of: Data("ANMF".utf8)).count >= round.count / 2)
            let photo = try #require(try board.json("capture", "photo").first?["id"] as? String)
            let refused = try board.attempt("library", "picture", photo, board.path("still.gif"))
            #expect(refused.status == 64 && refused.errors.contains("not a video"))
            try board.stop()
        }

        @Test("a timelapse starts by button and ends by command; a second one is refused")
        func timelapse() throws {
            try start(
                "back.press = \"timelapse\"",
                more: "[timelapse]\ninterval_s = 0.5\nplayback_fps = 10")
            func pictures() throws -> Int {
                let status = try board.json("status").first?["timelapse"] as? [String: Any]
                return status?["pictures"] as? Int ?? 0
            }
            #expect(try board.json("press", "back").first?["accepted"] as? Bool == true)
            try board.waitUntil { try pictures() >= 3 }
            #expect(try board.attempt("capture", "timelapse", "--interval", "0").status == 64)
            let second = try board.attempt("capture", "timelapse")
            #expect(second.status == 75 && second.errors.contains("--stop"))
            let asset = try #require(try board.json("capture", "timelapse", "--stop").first)
            #expect(asset["mediaSubtypes"] as? [String] == ["timelapse"])
            let numbers = try numbers(asset).map { try #require($0) }
            #expect(numbers.count >= 3 && numbers == Set(numbers).sorted())
            // Half a second is 15 frames; pictures that could not be taken in time are left out.
            let span = (numbers.last ?? 0) - (numbers.first ?? 0)
            #expect(numbers.count <= span / 15 + 2, "\(numbers)")
            let seconds = try #require(asset["durationSeconds"] as? Double)
            #expect(abs(seconds - Double(numbers.count) / 10) < 0.01)
            #expect(try board.attempt("capture", "timelapse", "--stop").status == 75)
            #expect(try board.json("library", "list", "--subtype", "timelapse").count == 1)
            try board.stop()
        }

        @Test("a timelapse continues with another camera, in a movie with that camera's name")
        func timelapseOfTwoCameras() throws {
            try start(
                "back.press = \"timelapse\"",
                more: """
                    [timelapse]
                    interval_s = 0.5
                    playback_fps = 10
                    [[camera]]
                    id = "other"
                    match = { driver = "simulated" }
                    preset = "640x480"
                    """)
            func timelapse() throws -> [String: Any] {
                try #require(try board.json("status").first?["timelapse"] as? [String: Any])
            }
            func pictures() throws -> Int { try timelapse()["pictures"] as? Int ?? 0 }
            func movies() throws -> [[String: Any]] {
                try board.json("library", "list", "--subtype", "timelapse")
            }
            _ = try board.run("press", "back")
            try board.waitUntil { try pictures() >= 2 }
            _ = try board.run("devices", "use", "other")
            try board.waitUntil { try movies().count == 1 }
            let before = try pictures()
            try board.waitUntil { try pictures() >= before + 2 }
            #expect(try timelapse()["active"] as? Bool == true)
            let told = try pictures()
            let last = try #require(try board.json("capture", "timelapse", "--stop").first)
            let all = try movies()
            #expect(all.compactMap { $0["deviceName"] as? String } == ["main", "other"])
            #expect(all.compactMap { $0["width"] as? Int } == [1280, 640])
            #expect(last["id"] as? String == all.last?["id"] as? String)
            // The two movies contain at least the pictures that status counted.
            let counts = all.map { movie in
                Int(((movie["durationSeconds"] as? Double ?? 0) * 10).rounded())
            }
            #expect(counts.allSatisfy { $0 >= 2 } && counts.reduce(0, +) >= told, "\(counts)")
            try board.stop()
        }

        @Test("a permanent timelapse starts by itself, and continues in a new movie after a kill")
        func always() throws {
            try start(more: "[timelapse]\ninterval_s = 0.5\nalways = true")
            func pictures() throws -> Int {
                let status = try board.json("status").first?["timelapse"] as? [String: Any]
                return status?["pictures"] as? Int ?? 0
            }
            try board.waitUntil { try pictures() >= 3 }
            let had = try pictures()
            board.kill()
            try board.start()
            try board.waitUntil { try pictures() >= 1 }
            try board.waitUntil {
                try !board.json("library", "list", "--subtype", "timelapse").isEmpty
            }
            let kept = try #require(
                try board.json("library", "list", "--subtype", "timelapse").first)
            #expect(try numbers(kept).count >= had)
            try board.stop()
        }
    }
}
