// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Playback
import TestSupport
import Testing

@Suite("media selection", .timeLimit(.common))
struct MediaSelectionTests {
    /// A film with two languages of sound, and three texts, the last of which is forced.
    private func film() async throws -> [MediaSelectionGroup] {
        let folder = try TemporaryFolder()
        try folder.write("1\n00:00:00,000 --> 00:00:01,000\nHello\n".utf8, to: "a.srt")
        let path = folder.path(of: "film.mkv")
        let made = try Program.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "testsrc=size=64x48:duration=1", "-f", "lavfi",
                "-i", "sine=duration=1", "-i", folder.path(of: "a.srt"), "-map", "0:v", "-map",
                "1:a", "-map", "1:a", "-map", "2:s", "-map", "2:s", "-map", "2:s",
                "-metadata:s:a:0", "language=eng", "-metadata:s:a:1", "language=ger",
                "-metadata:s:a:1", "title=Deutsch", "-disposition:a:0", "default",
                "-disposition:a:1", "0", "-metadata:s:s:0", "language=eng", "-metadata:s:s:1",
                "language=fre", "-metadata:s:s:2", "language=ger", "-disposition:s:2", "forced",
                path,
            ])
        try #require(made.status == 0, "\(made.text)")
        return try await MediaAsset(path: path).load(.mediaSelectionGroups)
    }

    @Test("tracks become groups of options with stable ids, languages and names")
    func groups() async throws {
        let groups = try await film()
        #expect(groups.map(\.characteristic) == [.visual, .audible, .legible])
        #expect(groups.map(\.allowsEmptySelection) == [false, true, true])
        #expect(groups[1].options.map(\.id) == ["audible-1", "audible-2"])
        #expect(groups[1].options.map(\.language) == ["en", "de"])
        #expect(groups[1].options.map(\.title) == [nil, "Deutsch"])
        #expect(groups[1].defaultOption?.id == "audible-1")
        #expect(groups[2].options.map(\.language) == ["en", "fr", "de"])
        #expect(groups[2].options.map(\.isForced) == [false, false, true])
        #expect(try await film() == groups)
    }

    @Test(
        "a person's languages choose the sound, and texts only if the sound is foreign",
        arguments: [
            (["de-AT"], "audible-2", "legible-3"), (["en"], "audible-1", nil),
            (["fr", "de"], "audible-2", "legible-3"), (["fr"], "audible-1", "legible-2"),
            (["pl"], "audible-1", nil), ([], "audible-1", nil),
        ] as [([String], String, String?)])
    func languages(languages: [String], sound: String, texts: String?) async throws {
        let groups = try await film()
        let heard = groups[1].option(preferring: languages)
        #expect(heard?.id == sound)
        #expect(groups[2].option(preferring: languages, with: heard)?.id == texts)
        #expect(groups[0].option(preferring: languages)?.id == "visual-1")
    }
}
