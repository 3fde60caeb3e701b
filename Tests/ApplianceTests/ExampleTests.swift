// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import TestSupport
import Testing

@Suite("the example of VitrineKit", .timeLimit(.common))
struct ExampleTests {
    @Test("it shows a camera, stores a photo and a clip in an album, and follows the album")
    func example() throws {
        let folder = try TemporaryFolder()
        let library = folder.path(of: "library")
        let program = try #require(RunningBoard.builtProgram).deletingLastPathComponent()
            .appending(path: "vitrine-example")
        let done = try Program.run(program.path, [library, "--simulated"])
        try #require(done.status == 0, "\(done.text)")
        #expect(done.text.contains("preview exported"))
        #expect(done.text.contains("the album has 2 assets"))
        let stored = try Program.run(
            "sqlite3",
            [
                "\(library)/library.sqlite",
                """
                SELECT media_type, title FROM asset JOIN album_asset ON asset = sequence
                    JOIN collection ON number = album ORDER BY sequence
                """,
            ])
        #expect(stored.output == "photo|Example\nvideo|Example\n")
        let movie = try #require(
            FileManager.default.enumerator(atPath: library)?.compactMap { $0 as? String }
                .first { $0.hasSuffix(".mp4") })
        let probe = try Program.run(
            "ffprobe",
            [
                "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0",
                "\(library)/\(movie)",
            ])
        let seconds = Double(probe.output.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
        #expect(seconds > 1, "\(probe.text)")
    }
}
