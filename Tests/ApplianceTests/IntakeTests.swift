// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import TestSupport
import Testing

extension HostBoardTests {
    /// Tests of the table in `Importing.md`: external programs make each file, which is then
    /// imported.
    @Suite("importable files", .timeLimit(.common))
    struct IntakeTests {
        /// A row of the table.
        private struct Row {
            let file: String
            let result: String
        }

        private let board: RunningBoard

        init() throws { board = try RunningBoard() }

        private static let rows: [Row] = {
            let page = URL(filePath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
                .appending(path: "Sources/Importing/Importing.docc/Importing.md")
            let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
            let lines = text.split(separator: "\n").drop { $0 != "| file | result |" }
                .dropFirst(2).prefix { $0.hasPrefix("|") }
            return lines.map { line in
                let cells = line.split(separator: "|").map {
                    $0.trimmingCharacters(in: .whitespaces)
                }
                return Row(file: cells[0], result: cells[1])
            }
        }()

        /// The script that makes the file of each row in the current folder, as `$f`. `base.png`
        /// has a colour in each corner, and `base.jpg` is made of it.
        private static let scripts = [
            "JPEG, baseline": "cp base.jpg $f.jpg",
            "JPEG, progressive": "jpegtran -progressive base.jpg > $f.jpg",
            "JPEG, grey": "jpegtran -grayscale base.jpg > $f.jpg",
            "JPEG, arithmetic-coded": "jpegtran -arithmetic base.jpg > $f.jpg",
            "JPEG, of printing inks (CMYK)": "gm convert base.png -colorspace CMYK $f.jpg",
            "JPEG, of printing inks with a profile":
                "gm convert -profile $icc/srgb.icc base.png -profile $icc/default_cmyk.icc $f.jpg",
            "JPEG with another picture behind it (MPF, Ultra HDR, motion photo)":
                "cat base.jpg base.jpg base.png > $f.jpg",
            "JPEG without its end marker, all rows there": "head -c -2 base.jpg > $f.jpg",
            "JPEG cut in half": "head -c $(($(stat -c %s base.jpg) / 2)) base.jpg > $f.jpg",
            "JPEG cut in half, with an end marker":
                "head -c $(($(stat -c %s base.jpg) / 2)) base.jpg > $f.jpg; printf '\\377\\331' >> $f.jpg",
            // The precision and the kind of frame are bytes of the header.
            "JPEG of 12 bits":
                #"LC_ALL=C sed 's/\xff\xc0\x00\x11\x08/\xff\xc1\x00\x11\x0c/' base.jpg > $f.jpg"#,
            "JPEG, lossless":
                "ffmpeg -nostdin -v error -i base.png -c:v ljpeg -pix_fmt bgr24 -f image2 $f.jpg",
            "JPEG, hierarchical":
                #"LC_ALL=C sed 's/\xff\xc0\x00\x11/\xff\xc5\x00\x11/' base.jpg > $f.jpg"#,
            "JPEG-LS": "ffmpeg -nostdin -v error -i base.png -c:v jpegls -f image2 $f.jpg",
            "PNG, of 8 bits": "cp base.png $f.png",
            "PNG, of 16 bits":
                "ffmpeg -nostdin -v error -i base.png -pix_fmt rgb48be $f.png",
            "PNG, palette": "gm convert base.png -colors 16 -type Palette $f.png",
            "PNG, grey": "gm convert base.png -colorspace GRAY $f.png",
            "PNG, interlaced": "gm convert base.png -interlace Line $f.png",
            "PNG, transparent: white shows through":
                "ffmpeg -nostdin -v error -i base.png -vf format=rgba,colorkey=white:0.05 $f.png",
            "PNG, animated: its first picture":
                "ffmpeg -nostdin -v error -i base.png -i base.png -filter_complex '[1]negate[n];[0][n]concat' -f apng $f.png",
            "PNG cut in half": "head -c $(($(stat -c %s base.png) / 2)) base.png > $f.png",
            "HEIF": "heif-enc -q 80 base.jpg -o $f.heic",
            "AVIF": "heif-enc -A -q 80 base.jpg -o $f.avif",
            "MP4 of H.264": "movie $f.mp4",
            "MOV of H.264": "movie $f.mov",
            "MKV of VP9": "movie -c:v libvpx-vp9 $f.mkv",
            "MOV of ProRes": "movie -c:v prores -pix_fmt yuv422p10le $f.mov",
            "MP4 without a moving picture":
                "ffmpeg -nostdin -v error -f lavfi -i sine=duration=1 $f.mp4",
            "MP4 cut in half":
                "movie -movflags +faststart a.mp4; head -c $(($(stat -c %s a.mp4) * 3 / 4)) a.mp4 > $f.mp4",
            "MKV cut in half": "movie a.mkv; head -c $(($(stat -c %s a.mkv) / 2)) a.mkv > $f.mkv",
            "GIF": "gm convert base.png $f.gif",
            "WebP": "ffmpeg -nostdin -v error -i base.png $f.webp",
            "TIFF": "gm convert base.png $f.tiff",
            "a RAW without its photo": "printf 'II*\\0' > $f.dng; head -c 4000 /dev/zero >> $f.dng",
            "text that is called JPEG": "echo text > $f.jpg",
        ]

        /// The corners that a row's picture shows. All other rows show those of the base.
        private static let corners = ["JPEG, grey": "????", "PNG, grey": "????"]

        @Test("each file is imported or refused as the page says, and shown correctly")
        func table() throws {
            #expect(Set(Self.rows.map(\.file)) == Set(Self.scripts.keys))
            let made = try board.shell(
                """
                set -e; mkdir '\(board.path("in"))'; cd '\(board.path("in"))'; icc=/usr/share/color/icc/ghostscript
                movie() { ffmpeg -nostdin -v error -y -loop 1 -i base.png -t 2 -r 10 -pix_fmt yuv420p "$@"; }
                ffmpeg -nostdin -v error -f lavfi -i "color=0x404040:s=320x240:d=1,format=rgb24,\
                drawbox=0:0:80:60:red:fill,drawbox=240:0:80:60:0x00c000:fill,\
                drawbox=0:180:80:60:blue:fill,drawbox=240:180:80:60:white:fill,noise=alls=8" -frames:v 1 base.png
                gm convert base.png -quality 95 base.jpg
                \(Self.rows.enumerated().map { "f=\($0 + 100); \(Self.scripts[$1.file] ?? "false")" }
                    .joined(separator: "\n"))
                rm base.*; rm -f a.*
                """)
            try #require(made.status == 0, "\(made.text)")
            for (index, row) in Self.rows.enumerated() { try check(row, "\(index + 100)") }
        }

        private func check(_ row: Row, _ number: String) throws {
            let folder = board.path("in")
            let name = try #require(
                try FileManager.default.contentsOfDirectory(atPath: folder)
                    .first { $0.hasPrefix(number) }, "\(row.file)")
            let path = "\(folder)/\(name)"
            let outcome = try board.attempt("library", "import", path, "--json")
            let report = try #require(
                try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any],
                "\(row.file): \(outcome.text)")
            let failure = (report["failures"] as? [[String: String]])?.first
            let remarks = report["remarks"] as? [[String: String]] ?? []
            guard row.result.hasPrefix("taken") else {
                let word = row.result.split(separator: " ").last.map(String.init) ?? ""
                #expect(failure?["code"] == "import.\(word)", "\(row.file): \(outcome.output)")
                if word == "unsupported" {
                    // The message names a next step.
                    let message = failure?["message"] ?? ""
                    #expect(
                        message.contains("convert") || message.contains("no moving picture"),
                        "\(row.file): \(message)")
                }
                return
            }
            #expect(failure == nil, "\(row.file): \(outcome.output)")
            #expect(remarks.isEmpty != row.result.contains("remark"), "\(row.file): \(remarks)")
            let id = try #require((report["imported"] as? [String])?.first, "\(row.file)")
            let asset = try board.json("library", "show", id)[0]
            let kept = try #require(asset["path"] as? String)
            #expect(
                try Data(contentsOf: URL(filePath: kept)) == Data(contentsOf: URL(filePath: path)),
                "\(row.file)")
            for options in [[], ["--size", "160x160"], ["--representation", "thumbnail"]] {
                let shown = board.path("shown.jpg")
                _ = try board.attempt(["library", "picture", id, shown] + options)
                let corners = try CornerPicture.read(shown).corners
                // Grey corners are bright or dark.
                #expect(
                    corners == Self.corners[row.file] ?? CornerPicture.stored
                        || row.file.hasSuffix("grey") && corners.hasSuffix("W"),
                    "\(row.file) \(options): \(corners)")
            }
        }
    }

    /// Tests of the colours of files with an ICC profile, compared with GraphicsMagick and Little
    /// CMS.
    @Suite("colours", .timeLimit(.common))
    struct ColorTests {
        private let board: RunningBoard

        init() throws { board = try RunningBoard() }

        /// Returns the mean red, green and blue of a file's values.
        private func color(_ file: String) throws -> [Int] {
            let read = try board.shell(
                """
                ffmpeg -nostdin -v error -i '\(file)' -frames:v 1 -vf scale=1:1:flags=area -pix_fmt rgb24 \
                    -f rawvideo - | od -An -v -tu1
                """)
            return read.output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        }

        private func isNear(_ one: [Int], _ other: [Int], within most: Int = 4) -> Bool {
            one.count == 3 && zip(one, other).allSatisfy { abs($0 - $1) <= most }
        }

        @Test(
            "screen pictures have sRGB colours; full-size JPEG copies keep their profile",
            arguments: ["jpg", "png"])
        func profiles(ending: String) throws {
            let made = try board.shell(
                """
                set -e; cd '\(board.path(""))'; icc=/usr/share/color/icc/ghostscript
                ffmpeg -nostdin -v error -f lavfi -i "color=0xc8503c:s=640x480,format=rgb24" -frames:v 1 plain.png
                for file in wide.\(ending) judge.jpg; do
                    gm convert plain.png -quality 95 +profile '*' -profile $icc/a98.icc $file
                done
                gm convert judge.jpg -profile $icc/srgb.icc judge.png
                """)
            try #require(made.status == 0, "\(made.text)")
            let stored = try color(board.path("wide.\(ending)"))
            let expected = try color(board.path("judge.png"))
            // Control: the expected colour differs clearly from the stored values.
            try #require(!isNear(stored, expected, within: 12), "\(stored) \(expected)")
            let report = try board.json("library", "import", board.path("wide.\(ending)"))[0]
            let id = try #require((report["imported"] as? [String])?.first, "\(report)")
            let shown = board.path("shown.jpg")
            for options in [
                [], ["--size", "320x240"], ["--representation", "thumbnail"],
                ["--representation", "fullScreen"],
            ] {
                _ = try board.attempt(["library", "picture", id, shown] + options)
                let color = try color(shown)
                #expect(isNear(color, expected), "\(options): \(color), not \(expected)")
            }
            func exported(_ options: String...) throws -> String {
                let target = board.path("out-\(UUID())")
                _ = try board.attempt(["library", "export", target, id] + options)
                let name = try #require(
                    try FileManager.default.contentsOfDirectory(atPath: target).first)
                return "\(target)/\(name)"
            }
            func tags(_ file: String) throws -> String {
                try Program.run(
                    "exiftool",
                    ["-n", "-s3", "-f", "-ColorSpace", "-ICC_Profile:ProfileClass", file]
                ).output.split(separator: "\n").joined(separator: " ")
            }
            let small = try exported("--size", "320x240")
            #expect(isNear(try color(small), expected))
            #expect(try tags(small) == "1 -")
            _ = try board.run("library", "adjust", "--crop", "0,0,0.5,0.5", id)
            let cropped = try exported()
            if ending == "jpg" {
                #expect(isNear(try color(cropped), stored))
                #expect(try tags(cropped) == "65535 mntr")
            } else {
                // A PNG's copy is made of the picture for the screen.
                #expect(isNear(try color(cropped), expected))
                #expect(try tags(cropped) == "1 -")
            }
        }
    }
}
