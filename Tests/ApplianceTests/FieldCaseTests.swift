// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import TestSupport
import Testing

extension HostBoardTests {
    /// Tests of files and words as people and their phones produce them.
    @Suite("files and words from the field", .timeLimit(.common))
    struct FieldCaseTests {
        private let board: RunningBoard

        init() throws { board = try RunningBoard() }

        private func take(_ paths: String...) throws -> [[String: Any]] {
            let report = try board.json(["library", "import"] + paths)[0]
            let ids = try #require(report["imported"] as? [String])
            return try ids.flatMap { try board.json("library", "show", $0) }
        }

        @Test("a file name that is not UTF-8 is reported, in a folder and by itself")
        func latinNames() throws {
            let made = try board.shell(
                """
                set -e; mkdir '\(board.path("in"))'; cd '\(board.path("in"))'
                ffmpeg -nostdin -v error -f lavfi -i color=red:s=32x32 -frames:v 1 -pix_fmt yuvj420p a.jpg
                mv a.jpg "$(printf 'gr\\374n.jpg')"
                """)
            try #require(made.status == 0, "\(made.text)")
            let folder = try board.attempt("library", "import", board.path("in"))
            #expect(folder.status == 74 && folder.errors.contains("not UTF-8"), "\(folder.text)")
            let named = try board.shell(
                "exec \(board.command("library", "import", "--config", board.configuration)) \(board.path("in"))/*.jpg"
            )
            #expect(named.status == 74 && named.errors.contains("convmv"), "\(named.text)")
        }

        @Test("a caption may begin with a combining character, in both forms of its option")
        func joiningCaptions() throws {
            try board.ingest(1)
            for words in ["\u{fe0f}sun", "\u{301}acute", "\u{200d}joined", "= equal", "plain"] {
                for arguments in [["--text=\(words)"], ["--text", words]] {
                    let changed = try board.attempt(["library", "caption", "1"] + arguments)
                    #expect(changed.status == 0, "\(changed.errors)")
                    let caption = try board.json("library", "show", "1")[0]["caption"] as? String
                    #expect(caption?.unicodeScalars.elementsEqual(words.unicodeScalars) == true)
                }
            }
        }

        @Test("words without their option are refused and change nothing")
        func guessedCaptions() throws {
            try board.ingest(1)
            _ = try board.run("library", "caption", "1", "--text", "kept")
            for arguments in [["Happy birthday", "1"], ["1", "Happy birthday"], ["Hello!"]] {
                let guessed = try board.attempt(["library", "caption"] + arguments)
                #expect(
                    guessed.status == 64 && guessed.errors.contains("--text"), "\(guessed.errors)")
            }
            #expect(try board.json("library", "show", "1")[0]["caption"] as? String == "kept")
            _ = try board.run("library", "caption", "1")
            #expect(try board.json("library", "show", "1")[0]["caption"] == nil)
        }

        @Test("a video has the picture of its first bright frame, and its own local time")
        func videos() throws {
            let made = try board.shell(
                """
                set -e; mkdir '\(board.path("in"))'; cd '\(board.path("in"))'
                ff() { ffmpeg -nostdin -v error -y "$@"; }
                ff -f lavfi -i "color=black:s=320x240:r=10:d=1.2,format=yuv420p[a];\
                color=0xc0c0c0:s=320x240:r=10:d=1,format=yuv420p[b];[a][b]concat" -preset ultrafast dark.mp4
                ff -f lavfi -i color=black:s=320x240:r=10:d=1 -pix_fmt yuv420p black.mp4
                ff -f lavfi -i color=0xc0c0c0:s=320x240:r=10:d=1 -pix_fmt yuv420p bright.mp4
                ff -f lavfi -i color=red:s=640x360 -frames:v 1 cover.jpg
                ff -i cover.jpg -i bright.mp4 -map 0 -map 1 -c copy -disposition:v:0 attached_pic cover.mp4
                rm cover.jpg
                ff -i bright.mp4 -i black.mp4 -map 1 -map 0 -c copy -disposition:v:0 0 -disposition:v:1 default tracks.mp4
                ff -i bright.mp4 -c copy -movflags use_metadata_tags -metadata creation_time=2024-07-01T12:00:00Z \
                    -metadata com.apple.quicktime.creationdate=2024-07-01T21:00:00+0900 apple.mov
                """)
            try #require(made.status == 0, "\(made.text)")
            func mean(_ name: String) throws -> (mean: Int, asset: [String: Any]) {
                let asset = try #require(try take("\(board.path("in"))/\(name)").first)
                let id = try #require(asset["id"] as? String)
                let shown = board.path("shown.jpg")
                _ = try board.run("library", "picture", id, shown)
                let read = try board.shell(
                    "ffmpeg -nostdin -v error -i '\(shown)' -vf scale=1:1:flags=area -pix_fmt gray -f rawvideo - | od -An -tu1"
                )
                return (Int(read.output.filter(\.isNumber)) ?? -1, asset)
            }
            #expect(try mean("dark.mp4").mean > 150)
            // Control: an entirely black video has a picture as well.
            #expect((0...20).contains(try mean("black.mp4").mean))
            let cover = try mean("cover.mp4")
            #expect(cover.mean > 150 && cover.asset["width"] as? Int == 320, "\(cover)")
            #expect(try mean("tracks.mp4").mean > 150)
            let apple = try mean("apple.mov").asset
            #expect(apple["createdAt"] as? String == "2024-07-01T21:00:00.000+09:00", "\(apple)")
        }

        @Test("an exported copy has the time of its picture")
        func times() throws {
            let made = try board.shell(
                """
                ffmpeg -nostdin -v error -f lavfi -i color=red:s=32x32 -frames:v 1 '\(board.path("a.png"))'
                touch -d 2011-02-03T04:05:06Z '\(board.path("a.png"))'
                """)
            try #require(made.status == 0, "\(made.text)")
            _ = try take(board.path("a.png"))
            _ = try board.run("library", "export", board.path("out"))
            let told = try board.shell("stat -c %Y '\(board.path("out"))'/*")
            #expect(told.output.trimmingCharacters(in: .whitespacesAndNewlines) == "1296705906")
        }
    }
}
