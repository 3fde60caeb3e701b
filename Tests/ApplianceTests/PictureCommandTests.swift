// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import TestSupport
import Testing

extension HostBoardTests {
    /// Tests of `vitrine library picture`, with a running appliance and without.
    @Suite("pictures", .timeLimit(.common))
    struct PictureCommandTests {
        private let board: RunningBoard

        init() throws { board = try RunningBoard() }

        /// Writes a picture and returns its size as ffprobe reads it.
        private func size(_ arguments: String...) throws -> String {
            let file = board.path("picture.jpg")
            let written = try board.attempt(
                ["library", "picture"] + arguments.prefix(1) + [file] + arguments.dropFirst())
            #expect(written.status == 0, "\(written.errors)")
            let probed = try Program.run(
                "ffprobe",
                ["-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0:s=x", file])
            return probed.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }

        @Test(
            "photos, PNG, HEIF and video files are written as JPEG files in every size",
            arguments: [true, false])
        func pictures(isRunning: Bool) throws {
            try board.start()
            _ = try board.run("capture", "photo")
            if !isRunning { try board.stop() }
            #expect(try size("1") == "1280x720")
            #expect(try size("1", "--size", "320x320") == "320x180")
            #expect(try size("1", "--size", "320x360", "--fill") == "640x360")
            #expect(try size("1", "--size", "320x0") == "320x180")
            _ = try board.run("library", "adjust", "1", "--rotate", "90")
            #expect(try size("1") == "720x1280")
            #expect(try size("1", "--size", "0x640") == "360x640")
            #expect(try size("1", "--representation", "fullResolution") == "1280x720")
            #expect(try size("1", "--representation", "thumbnail") == "68x120")
            // The board's screen has 1280x720 pixels.
            #expect(try size("1", "--representation", "fullScreen") == "405x720")
            let screen = ["--representation", "fullScreen", "--size", "640x480"]
            #expect(try size("1", screen[0], screen[1], screen[2], screen[3]) == "270x480")
            let kept = try FileManager.default.contentsOfDirectory(
                atPath: board.path("library/derived/pictures"))
            #expect(kept.count == 2)

            let made = try board.shell(
                """
                set -e; mkdir '\(board.path("in"))'; cd '\(board.path("in"))'
                ff() { ffmpeg -nostdin -v error -f lavfi -i "testsrc=size=640x480:rate=10" "$@"; }
                ff -frames:v 1 a.png
                heif-enc -q 50 a.png -o b.heic >/dev/null 2>&1
                ff -t 1 -pix_fmt yuv420p c.mp4
                """)
            #expect(made.status == 0, "\(made.errors)")
            _ = try board.run("library", "import", board.path("in"))
            for number in ["2", "3", "4"] {
                #expect(try size(number, "--size", "320x320") == "320x240", "\(number)")
            }
            let shown = try board.json("library", "show", "1")[0]
            let representations = try #require(shown["representations"] as? [[String: Any]])
            #expect(
                representations.compactMap { $0["kind"] as? String }
                    == ["fullResolution", "edited", "fullScreen", "thumbnail"])
            #expect(representations[0]["path"] as? String == shown["path"] as? String)
            #expect(representations[0]["bytes"] as? Int == shown["bytes"] as? Int)
            #expect(representations[1]["width"] as? Int == 720)
            #expect(representations[2]["width"] as? Int == 405)
            #expect(representations[2]["height"] as? Int == 720)
            if isRunning { try board.stop() }
        }

        @Test("a video is written as stored or as upright Matroska; a photo is refused")
        func movies() throws {
            let made = try board.shell(
                """
                set -e; mkdir '\(board.path("in"))'; cd '\(board.path("in"))'
                ffmpeg -nostdin -v error -f lavfi -i testsrc=size=64x48:rate=10 -f lavfi -i sine -t 1 \\
                    -pix_fmt yuv420p -c:a aac a.mp4
                ffmpeg -nostdin -v error -i a.mp4 -c copy -metadata:s:v rotate=90 b.mp4
                ffmpeg -nostdin -v error -i a.mp4 -frames:v 1 c.jpg
                """)
            #expect(made.status == 0, "\(made.errors)")
            for file in ["a.mp4", "b.mp4", "c.jpg"] {
                _ = try board.run(
                    "library", "import", board.path("in/\(file)"), "--config",
                    board.configuration)
            }
            _ = try board.run("library", "movie", "1", board.path("out.mp4"))
            #expect(
                try board.shell("cmp '\(board.path("out.mp4"))' '\(board.path("in/a.mp4"))'").status
                    == 0)
            for (number, size) in [("1", "64x48"), ("2", "48x64")] {
                let file = board.path("\(number).mkv")
                _ = try board.run("library", "movie", number, file)
                let probe = try Program.run(
                    "ffprobe",
                    [
                        "-v", "error", "-show_entries",
                        "format=format_name:stream=codec_name,width,height",
                        "-of", "csv=p=0:s=x", file,
                    ])
                #expect(
                    probe.output.split(separator: "\n").map(String.init)
                        == ["h264x\(size)", "opus", "matroska,webm"], "\(probe.text)")
            }
            #expect(try board.attempt(["library", "movie", "3", board.path("x.mkv")]).status == 64)
            #expect(try board.attempt(["library", "movie", "1", board.path("x.avi")]).status == 64)

            let strip = try board.json(
                "library", "filmstrip", "2", board.path("strip"), "--count", "4", "--size", "0x32")
            #expect(strip.compactMap { $0["seconds"] as? Double } == [0.1, 0.3, 0.6, 0.8])
            let looks = try board.shell(
                "gm identify -format '%wx%h\n' '\(board.path("strip"))'/*.jpg")
            #expect(looks.output.split(separator: "\n") == ["24x32", "24x32", "24x32", "24x32"])
            #expect(
                try board.attempt(["library", "filmstrip", "3", board.path("strip")]).status == 64)
        }

        @Test("the metadata of PNG, HEIF and video files is shown, and their time is kept")
        func metadata() throws {
            let made = try board.shell(
                """
                set -e; mkdir '\(board.path("in"))'; cd '\(board.path("in"))'
                ff() { ffmpeg -nostdin -v error -f lavfi -i "testsrc=size=640x480:rate=10" "$@"; }
                tag() { exiftool -q -overwrite_original -EXIF:DateTimeOriginal="2020:02:03 04:05:06" \\
                    -EXIF:OffsetTimeOriginal=+02:00 -EXIF:Model="Oldie" "$@"; }
                ff -frames:v 1 a.png; ff -frames:v 1 b.jpg; tag a.png -Orientation#=6; tag b.jpg
                heif-enc -q 50 b.jpg -o b.heic >/dev/null 2>&1; rm b.jpg
                ff -t 1 -pix_fmt yuv420p -metadata title="a day" -metadata creation_time=2020-02-03T02:05:06Z c.mp4
                """)
            #expect(made.status == 0, "\(made.errors)")
            _ = try board.run(
                "library", "import", board.path("in"), "--config", board.configuration)
            func shown(_ arguments: String...) throws -> [String: Any] {
                try board.json(["library", "show"] + arguments)[0]
            }
            for (number, orientation) in [("1", 6), ("2", 1)] {
                let exif = try shown(number, "--metadata")
                #expect((exif["TIFF"] as? [String: String])?["Model"] == "Oldie", "\(exif)")
                #expect(
                    (exif["Exif"] as? [String: String])?["DateTimeOriginal"]
                        == "2020:02:03 04:05:06")
                let asset = try shown(number)
                #expect(asset["createdAt"] as? String == "2020-02-03T04:05:06.000+02:00")
                #expect(asset["orientation"] as? Int == orientation)
            }
            let movie = try shown("3", "--metadata")["Movie"] as? [String: String]
            #expect(movie?["title"] == "a day", "\(String(describing: movie))")
        }

        /// Imports a video, cuts its file in the library, and returns its id.
        private func cutVideo() throws -> String {
            let video = board.path("a.mp4")
            let made = try board.shell(
                "ffmpeg -nostdin -v error -f lavfi -i testsrc=size=64x48 -t 1 -pix_fmt yuv420p "
                    + "'\(video)'")
            #expect(made.status == 0, "\(made.errors)")
            let report = try board.json("library", "import", video)[0]
            let id = try #require((report["imported"] as? [String])?.first)
            let path = try #require(try board.json("library", "show", id)[0]["path"] as? String)
            let cut = try board.shell("truncate -s 100 '\(path)'")
            #expect(cut.status == 0, "\(cut.errors)")
            return id
        }

        @Test("a picture that cannot be written is refused with the reason")
        func refused() throws {
            try board.ingest(1)
            let file = board.path("picture.jpg")
            // The asset has no picture, only a JPEG's frame header.
            let damaged = try board.attempt("library", "picture", "1", file)
            #expect(damaged.status == 74 && !FileManager.default.fileExists(atPath: file))
            #expect(try board.attempt("library", "picture", "7", file).status == 66)
            let cut = try cutVideo()
            let reason = try board.attempt("library", "picture", cut, file)
            #expect(reason.errors.contains("moov atom not found"), "\(reason.errors)")
            #expect(try board.attempt("library", "picture", "1", file, "--fill").status == 64)
            let unknown = try board.attempt(
                "library", "picture", "1", file, "--representation", "x")
            #expect(unknown.status == 64 && unknown.errors.contains("fullScreen"))
        }

        @Test("kept pictures take no more space than the configuration allows")
        func space() throws {
            let folder = board.path("in")
            let made = try board.shell(
                """
                set -e; mkdir '\(folder)'; cd '\(folder)'
                ffmpeg -nostdin -v error -f lavfi -i "color=gray:size=640x480,noise=alls=100:allf=t" \
                    -frames:v 8 -pix_fmt yuvj420p -q:v 2 %d.jpg
                """)
            try #require(made.status == 0, "\(made.errors)")
            _ = try board.run("library", "import", folder)
            let text = try String(contentsOfFile: board.configuration, encoding: .utf8)
            /// Returns the sizes of the pictures that are kept after all have been shown.
            func kept(megabytes: Int) throws -> [Int] {
                try text.replacing("[library]\n", with: "[library]\nderived_mb = \(megabytes)\n")
                    .write(toFile: board.configuration, atomically: true, encoding: .utf8)
                for number in 1...8 {
                    #expect(try size("\(number)", "--representation", "fullScreen") == "640x480")
                }
                let pictures = board.path("library/derived/pictures")
                return try FileManager.default.contentsOfDirectory(atPath: pictures).map {
                    try Data(contentsOf: URL(filePath: "\(pictures)/\($0)")).count
                }
            }
            let few = try kept(megabytes: 1)
            let bytes = few.reduce(0, +)
            #expect(few.count > 1 && few.count < 8 && bytes <= 1 << 20, "\(few)")
            #expect(bytes + (few.max() ?? 0) > 1 << 20, "\(few)")
            #expect(try kept(megabytes: 256).count == 8)
            #expect(try kept(megabytes: 0).isEmpty)
        }

        @Test("a picture that needs more memory than the configuration allows is refused")
        func memory() throws {
            let picture = board.path("large.jpg")
            let made = try board.shell(
                "ffmpeg -nostdin -v error -f lavfi -i testsrc=size=4000x3000 -frames:v 1 -pix_fmt yuvj420p '\(picture)'"
            )
            try #require(made.status == 0, "\(made.errors)")
            _ = try board.run("library", "import", picture)
            #expect(try size("1") == "4000x3000")
            let text = try String(contentsOfFile: board.configuration, encoding: .utf8)
            try text.replacing("[library]\n", with: "[library]\npicture_memory_mb = 16\n")
                .write(toFile: board.configuration, atomically: true, encoding: .utf8)
            let refused = try board.attempt("library", "picture", "1", board.path("all.jpg"))
            #expect(
                refused.status != 0 && refused.errors.contains("allowed: 16"), "\(refused.errors)")
            #expect(try size("1", "--size", "1000x1000") == "1000x750")
        }

        @Test("the board's location is in the EXIF of photos, in clips and in the library")
        func place() throws {
            let text = try String(contentsOfFile: board.configuration, encoding: .utf8)
            let placed =
                text
                + "\n[photo]\nlatitude_deg = 48.25\nlongitude_deg = -16.5\naltitude_m = 171.5\n"
            try placed.write(toFile: board.configuration, atomically: true, encoding: .utf8)
            try board.start()
            let asset = try board.json("press", "shutter", "--wait")[0]
            let location = try #require(asset["location"] as? [String: Double])
            #expect(location == ["latitude": 48.25, "longitude": -16.5, "altitude": 171.5])
            let path = try #require(try board.json("library", "show", "1")[0]["path"] as? String)
            let tags = try Program.run(
                "exiftool",
                [
                    "-n", "-s3", "-Composite:GPSLatitude", "-Composite:GPSLongitude",
                    "-Composite:GPSAltitude", path,
                ])
            #expect(tags.output == "48.25\n-16.5\n171.5\n")
            let clip = try #require(
                try board.json("capture", "movie", "--seconds", "1").first)
            #expect(clip["location"] as? [String: Double] == location)
            let movie = try #require(try board.json("library", "show", "2")[0]["path"] as? String)
            func exif(_ tags: [String], _ path: String) throws -> String {
                try Program.run("exiftool", ["-n", "-s3"] + tags + [path]).output
            }
            #expect(try exif(["-GPSCoordinates"], movie) == "48.25 -16.5 171.5\n")
            let camera = try exif(["-Model", "-Software", "-SoftwareVersion"], path)
            #expect(camera.split(separator: "\n").count == 2, "\(camera)")
            #expect(try exif(["-Model", "-Software", "-SoftwareVersion"], movie) == camera)
            try board.stop()
        }
    }
}
