// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Imaging
import LinuxIO
import Media
import Network
import Playback
import Synchronization
import TestSupport
import Testing

/// Notes the subtitles that it is given.
private final class NotingSubtitles: SubtitleTarget {
    private let state = Mutex<[PlacedPicture?]>([])

    /// Everything so far.
    var all: [PlacedPicture?] { state.withLock { $0 } }

    /// What is shown now.
    var shown: PlacedPicture? { all.last ?? nil }

    func show(_ subtitles: PlacedPicture?) { state.withLock { $0.append(subtitles) } }
}

extension PlacedPicture {
    /// The brightness of the whole screen, if what lies under the picture is black: 0 to 255.
    fileprivate var brightness: [UInt8] {
        var screen = [UInt8](repeating: 0, count: screen.pixels)
        unsafe picture.withPixels { pixels in
            for row in 0..<place.height {
                let line = unsafe pixels.plane(0) + row * pixels.bytesPerRow(0)
                for column in 0..<place.width {
                    let part = unsafe (0..<3).map { unsafe Double(line[4 * column + $0]) }
                    let luma = 0.114 * part[0] + 0.587 * part[1] + 0.299 * part[2]
                    screen[(place.y + row) * self.screen.width + place.x + column] = UInt8(luma)
                }
            }
        }
        return screen
    }
}

@Suite("subtitles", .timeLimit(.common))
struct SubtitleTests {
    private static let size = Dimensions(width: 320, height: 180)
    private let folder = try? TemporaryFolder()
    private let target = NotingTarget(dimensions: size)
    private let subtitles = NotingSubtitles()

    /// Three texts, the second of which is followed by a pause.
    private static let script = """
        1
        00:00:00,500 --> 00:00:01,000
        Grüße

        2
        00:00:01,000 --> 00:00:02,000
        <i>second</i>
        line

        3
        00:00:03,000 --> 00:00:03,500
        third

        """

    private func path(_ name: String) throws -> String { try #require(folder).path(of: name) }

    private func write(_ text: some Sequence<UInt8>, _ name: String) throws -> String {
        try #require(folder).write(Array(text), to: name)
        return try path(name)
    }

    private func ffmpeg(_ arguments: String...) throws {
        let made = try Program.run("ffmpeg", ["-v", "error", "-y"] + arguments)
        try #require(made.status == 0, "\(made.text)")
    }

    /// Makes a black video of four seconds with the streams of other files.
    private func film(_ name: String, _ others: [String], _ more: String...) throws -> String {
        let black = "color=black:size=\(Self.size.width)x\(Self.size.height):rate=10:duration=4"
        let inputs = ["-f", "lavfi", "-i", black] + others.flatMap { ["-i", $0] }
        let maps = (0...others.count).flatMap { ["-map", "\($0)"] }
        let made = try Program.run(
            "ffmpeg",
            ["-v", "error", "-y"] + inputs + maps + ["-c:v", "libx264", "-pix_fmt", "yuv420p"]
                + more + [try path(name)])
        try #require(made.status == 0, "\(made.text)")
        return try path(name)
    }

    private func player(_ item: PlayerItem) throws -> (QueuePlayer, PlayerDiary) {
        let player = try QueuePlayer(items: [])
        player.layer = try PlayerLayer(target: target, subtitles: subtitles)
        let diary = PlayerDiary(player)
        player.insert(item)
        return (player, diary)
    }

    /// Returns what is shown at a time; the player stands still.
    private func shown(
        _ player: Player, at seconds: Double, isText: Bool = true
    ) async throws -> PlacedPicture? {
        // At the beginning there is none.
        #expect(await player.seek(to: .zero))
        try await waitUntil("the beginning") { self.subtitles.shown == nil }
        #expect(await player.seek(to: MediaTime(value: Int64(seconds * 20), timescale: 20)))
        try await waitUntil("the text of \(seconds) s") { (self.subtitles.shown != nil) == isText }
        return subtitles.shown
    }

    /// Writes a stream with texts in two segments into a folder of a server; returns its name.
    /// - Parameter isMapped: Whether the times of the texts are those of the pictures' clock.
    private func makeStream(_ server: MediaServer, isMapped: Bool) throws -> String {
        let film = try film("a.ts", [])
        try FileManager.default.copyItem(atPath: film, toPath: server.path(of: "a.ts"))
        let probed = try Program.run(
            "ffprobe",
            ["-v", "error", "-show_entries", "stream=start_pts", "-of", "csv=p=0", film])
        let start = try #require(Int(probed.text.split(separator: "\n").first ?? ""))
        let map = isMapped ? "X-TIMESTAMP-MAP=MPEGTS:\(start),LOCAL:00:01:00.000\n" : ""
        func cue(_ from: String, _ to: String, _ text: String) -> String {
            let minute = isMapped ? "01" : "00"
            return "00:\(minute):\(from) --> 00:\(minute):\(to)\n\(text)\n\n"
        }
        let (first, second) = (cue("00.500", "01.000", "Grüße"), cue("03.000", "03.500", "third"))
        // A text that reaches into the next segment is in both.
        let long = cue("01.500", "02.500", "long")
        let files = [
            "0.vtt": "WEBVTT\n\(map)\n" + first + long,
            "1.vtt": "WEBVTT\n\(map)\n" + long + second,
            "texts.m3u8": """
            #EXTM3U
            #EXT-X-TARGETDURATION:2
            #EXTINF:2,
            0.vtt
            #EXTINF:2,
            1.vtt
            #EXT-X-ENDLIST

            """,
            "pictures.m3u8": """
            #EXTM3U
            #EXT-X-TARGETDURATION:4
            #EXTINF:4,
            ../a.ts
            #EXT-X-ENDLIST

            """,
            "master.m3u8": """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="t",NAME="Deutsch",LANGUAGE="de",URI="texts.m3u8"
            #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="t",NAME="No",LANGUAGE="no",URI="missing.m3u8"
            #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="u",NAME="Other",LANGUAGE="fr",URI="u.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=100000,SUBTITLES="t"
            pictures.m3u8

            """,
        ]
        try FileManager.default.createDirectory(
            atPath: server.path(of: "stream"), withIntermediateDirectories: true)
        for (name, text) in files {
            try text.write(
                toFile: server.path(of: "stream/\(name)"), atomically: true, encoding: .utf8)
        }
        return "stream/master.m3u8"
    }

    private func asset(_ server: MediaServer, _ name: String) throws -> MediaAsset {
        let loader = try ResourceLoader(ResourceServer { HTTPClient.Configuration() })
        return MediaAsset(url: server.url(name), loader: loader)
    }

    @Test("the texts of a stream come by a playlist of their own", arguments: [true, false])
    func streamed(isMapped: Bool) async throws {
        let server = try MediaServer()
        let asset = try asset(server, try makeStream(server, isMapped: isMapped))
        let group = try await asset.load(.mediaSelectionGroups)
            .first { $0.characteristic == .legible }
        #expect(group?.options.map(\.language) == ["de", "no"])
        #expect(group?.options.map(\.title) == ["Deutsch", "No"])
        let item = PlayerItem(asset)
        item.preferredLanguages = ["de"]
        let (player, diary) = try player(item)
        await diary.wait { $0.isReady || $0.failure != nil }
        for (time, isText) in [(0.75, true), (1.25, false), (1.75, true), (2.25, true)] {
            _ = try await shown(player, at: time, isText: isText)
        }
        _ = try await shown(player, at: 3.25)
        #expect(item.subtitle?.language == "de")
        // Control: each segment was asked for once.
        #expect(try server.answers(".vtt").count == 2)
    }

    @Test("a stream whose texts cannot be had is played without them")
    func streamedWithoutTexts() async throws {
        let server = try MediaServer()
        let item = PlayerItem(try asset(server, try makeStream(server, isMapped: true)))
        item.select(matching: "no", in: .legible)
        let (player, diary) = try player(item)
        player.play()
        await diary.wait { event in
            if case .subtitlesFailed(_, let error) = event {
                error.code == .notFound
            } else {
                false
            }
        }
        await diary.wait { $0.isEnd }
        #expect(await diary.events.compactMap(\.failure).isEmpty)
    }

    /// Returns the brightness of what ffmpeg makes of a picture of a film.
    private func expected(_ film: String, _ filter: String, at seconds: Double) throws -> [UInt8] {
        try ffmpeg(
            "-i", film, "-filter_complex", filter + ",format=gbrp,extractplanes=g", "-ss",
            "\(seconds)", "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "gray", try path("raw"))
        return try #require(folder).contents(of: "raw")
    }

    /// The edges may differ by what conversions between colours lose.
    private func expectSame(
        _ picture: PlacedPicture?, _ wanted: [UInt8], at location: SourceLocation = #_sourceLocation
    ) throws {
        let found = try #require(picture, sourceLocation: location).brightness
        let lit = wanted.count { $0 > 128 }
        let wrong = zip(found, wanted).count { abs(Int($0) - Int($1)) > 40 }
        #expect(
            lit > 100 && wrong * 50 < lit, "\(wrong) of \(lit) differ", sourceLocation: location)
    }

    private static let styled = """
        [Script Info]
        ScriptType: v4.00+
        PlayResX: 320
        PlayResY: 180

        [V4+ Styles]
        Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, \
        BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, \
        BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
        Style: Default,DejaVu Sans,30,&H00FFFFFF,&H00FFFFFF,&H00000000,&H00000000,0,0,0,0,100,\
        100,0,0,1,1,0,5,10,10,10,1

        [Events]
        Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
        Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,{\\pos(100,50)}placed
        Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,{\\an2}below
        Dialogue: 0,0:00:02.50,0:00:03.50,Default,,0,0,0,,{\\t(0,900,\\fscx300)}moving

        """

    @Test("a styled script is drawn as libass draws it for ffmpeg")
    func styled() async throws {
        let script = try write(Self.styled.utf8, "a.ass")
        let film = try film("film.mkv", [script], "-c:s", "copy")
        let item = PlayerItem(MediaAsset(path: film))
        item.select(matching: "legible-1", in: .legible)
        let (player, diary) = try player(item)
        await diary.wait { $0.isReady }
        #expect(item.subtitle?.id == "legible-1")
        let picture = try await shown(player, at: 1.5)
        try expectSame(picture, try expected(film, "[0:v]subtitles=\(film)", at: 1.5))
        #expect(try await shown(player, at: 2.2, isText: false) == nil)
        // What moves is drawn again and again.
        let beginning = MediaTime(value: 5, timescale: 2)
        #expect(await player.seek(to: beginning))
        let before = subtitles.all.count
        player.rate = 0.25
        try await waitUntil("another width") {
            // A busy machine draws seldom.
            if player.currentTime.seconds > 3.3 { _ = await player.seek(to: beginning) }
            return Set(subtitles.all[before...].compactMap { $0?.place.width }).count > 1
        }
        player.rate = 1
        await diary.wait { $0.isEnd }
        #expect(subtitles.shown == nil)
    }

    @Test("a file of subtitles is shown at its times, forwards and back")
    func file() async throws {
        let film = try film("film.mp4", [])
        let beside = try write(Self.script.utf8, "film.de.srt")
        _ = try write(Self.script.utf8, "film.txt")
        #expect(SubtitleFile.paths(beside: film) == [beside])
        let files = SubtitleFile.paths(beside: film).map { SubtitleFile(path: $0, of: "film.mp4") }
        let item = PlayerItem(MediaAsset(path: film, subtitles: files))
        item.preferredLanguages = ["de-AT"]
        let (player, diary) = try player(item)
        await diary.wait { $0.isReady }
        #expect(item.subtitle?.id == "film.de.srt" && item.subtitle?.language == "de")
        let places = try await [0.9, 1.9, 3.4].asyncMap { time in
            try await shown(player, at: time)?.place
        }
        let one = try #require(places[0]), two = try #require(places[1])
        // Two lines are higher than one, and all stand at the bottom.
        #expect(two.height > one.height * 3 / 2)
        #expect(one.y + one.height > 150 && abs(one.x + one.width / 2 - 160) < 12, "\(one)")
        for (time, isText) in [(2.5, false), (0.7, true), (0.2, false), (1.0, true)] {
            _ = try await shown(player, at: time, isText: isText)
        }
        _ = try await shown(player, at: 0.2, isText: false)
        let before = subtitles.all.count
        player.play()
        await diary.wait { $0.isEnd }
        #expect(
            subtitles.all[before...].map { $0?.place } == [one, two, nil, places[2], nil]
                || player.statistics.picturesLate > 0)
    }

    @Test("other subtitles are shown while an item is played")
    func selection() async throws {
        let script = try write(Self.styled.utf8, "a.ass")
        let film = try film("film.mkv", [script], "-c:s", "copy")
        _ = try write(Self.script.utf8, "film.de.srt")
        let files = SubtitleFile.paths(beside: film).map { SubtitleFile(path: $0, of: "film.mkv") }
        let item = PlayerItem(MediaAsset(path: film, subtitles: files))
        item.select(nil, in: .legible)
        let (player, diary) = try player(item)
        await diary.wait { $0.isReady }
        #expect(await player.seek(to: MediaTime(value: 3, timescale: 4)))
        #expect(subtitles.shown == nil)
        item.select(matching: "de", in: .legible)
        try await waitUntil("the file's text") { self.subtitles.shown != nil }
        #expect(item.subtitle?.id == "film.de.srt")
        item.select(nil, in: .legible)
        try await waitUntil("no text") { self.subtitles.shown == nil }
        #expect(item.subtitle == nil)
        // A track's texts come with what is read from then on.
        item.select(matching: "legible-1", in: .legible)
        try await waitUntil("the choice") { item.subtitle?.id == "legible-1" }
        #expect(subtitles.shown == nil)
        _ = try await shown(player, at: 1.5)
        // What is not there does not stop the playing.
        player.play()
        item.select(matching: "pl", in: .legible)
        await diary.wait { if case .subtitlesFailed = $0 { true } else { false } }
        await diary.wait { $0.isEnd }
        #expect(await diary.events.compactMap(\.failure).isEmpty)
    }

    @Test("the name of a file tells its language, and not that of the film")
    func names() async throws {
        let film = try film("Life.Is.Forced.mp4", [])
        let names = ["de", "en-US.forced", "forced.fr", "x.y", ""].map { mark in
            "Life.Is.Forced.\(mark).srt".replacing("..", with: ".")
        }
        let files = (names + ["other.it.srt"]).map {
            SubtitleFile(path: "/\($0)", of: "Life.Is.Forced.mp4")
        }
        let groups = try await MediaAsset(path: film, subtitles: files)
            .load(.mediaSelectionGroups)
        let options = try #require(groups.last).options
        #expect(options.map(\.language) == ["de", "en", "fr", nil, nil, "it"])
        #expect(options.map(\.isForced) == [false, true, true, false, false, false])
    }

    @Test("texts of a track come again after a seek, and are shown once")
    func seeks() async throws {
        let texts = try write(Self.script.utf8, "a.srt")
        let film = try film("film.mkv", [texts], "-g", "10", "-metadata:s:s:0", "language=de")
        let item = PlayerItem(MediaAsset(path: film))
        item.select(matching: "de", in: .legible)
        let (player, diary) = try player(item)
        await diary.wait { $0.isReady }
        let one = try await shown(player, at: 0.7)
        for time in [3.2, 0.7, 1.5, 3.2] { _ = try await shown(player, at: time) }
        let again = try await shown(player, at: 0.7)
        #expect(again?.place == one?.place && again?.brightness == one?.brightness)
    }

    @Test(
        "a text that began before the place of a seek, or of a choice, is seen there",
        arguments: [("film.mkv", "srt"), ("film.mp4", "mov_text")])
    func begun(name: String, codec: String) async throws {
        let texts = try write(Self.script.utf8, "a.srt")
        // There is a key frame between the text's beginning and that place.
        let film = try film(name, [texts], "-g", "5", "-sc_threshold", "0", "-c:s", codec)
        let item = PlayerItem(MediaAsset(path: film))
        item.select(matching: "legible-1", in: .legible)
        let (player, diary) = try player(item)
        await diary.wait { $0.isReady }
        #expect(await player.seek(to: MediaTime(value: 16, timescale: 10)))
        try await waitUntil("the text") { self.subtitles.shown != nil }
        item.select(nil, in: .legible)
        try await waitUntil("no text") { self.subtitles.shown == nil }
        item.select(matching: "legible-1", in: .legible)
        try await waitUntil("the chosen text") { self.subtitles.shown != nil }
        // The control: no text is there.
        #expect(await player.seek(to: MediaTime(value: 26, timescale: 10)))
        try await waitUntil("the pause") { self.subtitles.shown == nil }
    }

    @Test("texts of other encodings are read", arguments: ["cp1252", "utf-16", "utf-8"])
    func encodings(name: String) async throws {
        let film = try film("film.mp4", [])
        let bytes: Data? =
            switch name {
            case "cp1252": Self.script.data(using: .windowsCP1252)
            case "utf-16": Self.script.data(using: .utf16)
            default: Self.script.data(using: .utf8)
            }
        let file = SubtitleFile(path: try write(try #require(bytes), "film.srt"), of: "film.mp4")
        let item = PlayerItem(MediaAsset(path: film, subtitles: [file]))
        item.select(matching: "film.srt", in: .legible)
        let (player, _) = try player(item)
        let picture = try await shown(player, at: 0.7)
        let plain = try write(Self.script.utf8, "plain.srt")
        let same = PlayerItem(
            MediaAsset(path: film, subtitles: [SubtitleFile(path: plain, of: "film.mp4")]))
        same.select(matching: "plain.srt", in: .legible)
        player.replaceCurrentItem(with: same)
        let wanted = try await shown(player, at: 0.7)
        #expect(picture?.brightness == wanted?.brightness && picture != nil)
    }

    @Test("subtitles that cannot be read are told, and the film is played without them")
    func unreadable() async throws {
        let film = try film("film.mp4", [])
        for (name, bytes) in [
            ("empty.srt", []), ("noise.ass", [UInt8](repeating: 7, count: 999)),
        ] {
            let file = SubtitleFile(path: try write(bytes, name), of: "film.mp4")
            let item = PlayerItem(MediaAsset(path: film, subtitles: [file]))
            item.select(matching: name, in: .legible)
            let (player, diary) = try player(item)
            player.play()
            await diary.wait { $0.isEnd }
            let failures = await diary.events.compactMap { event in
                if case .subtitlesFailed(_, let error) = event { error.message } else { nil }
            }
            #expect(failures.count == 1 && failures[0].contains(name), "\(failures)")
            #expect(item.subtitle == nil && subtitles.shown == nil)
        }
        let missing = PlayerItem(MediaAsset(path: film))
        missing.select(matching: "fr", in: .legible)
        let (player, diary) = try player(missing)
        await diary.wait { $0.failure != nil }
        let failure = await diary.events.compactMap(\.failure).first
        #expect(player.rate == 0 && failure?.message == "\(film) has no subtitles fr")
    }

    @Test("pictures of letters are shown where they belong, until others come")
    func pictures() async throws {
        let letters = PresentationGraphics(screen: Self.size)
        let disc = try write(letters.stream, "a.sup")
        let film = try film("film.mkv", [disc], "-c:s", "copy")
        let item = PlayerItem(MediaAsset(path: film))
        item.select(matching: "legible-1", in: .legible)
        let (player, diary) = try player(item)
        await diary.wait { $0.isReady }
        let picture = try await shown(player, at: 1.5)
        #expect(picture?.place == letters.place)
        try expectSame(picture, try expected(film, "[0:v][0:s]overlay", at: 1.5))
        _ = try await shown(player, at: 2.5, isText: false)
        // Their end was not read when the player goes on elsewhere.
        _ = try await shown(player, at: 1.0)
        #expect(await player.seek(to: MediaTime(value: 7, timescale: 2)))
        try await waitUntil("they are gone") { subtitles.shown == nil }
        _ = try await shown(player, at: 1.5)
        player.play()
        await diary.wait { $0.isEnd }
        #expect(subtitles.shown == nil)
    }

    @Test("closed captions that come with the pictures are shown")
    func closedCaptions() async throws {
        let plain = try film("plain.h264", [], "-bf", "0", "-g", "10")
        let captioned = try ClosedCaptions.inserted(
            into: Array(Data(contentsOf: URL(filePath: plain))), text: "CAPTION", from: 10, to: 25)
        let stream = try write(captioned, "captioned.h264")
        let film = try path("film.ts")
        try ffmpeg("-r", "10", "-i", stream, "-c", "copy", film)
        // The reader reads past them, and loses no picture.
        let item = PlayerItem(MediaAsset(path: film))
        let groups = try await item.asset.load(.mediaSelectionGroups)
        #expect(groups.last?.options.map(\.title) == ["CC1"])
        item.select(matching: "CC1", in: .legible)
        let (player, diary) = try player(item)
        await diary.wait { $0.isReady }
        player.play()
        await diary.wait { $0.isEnd }
        #expect(subtitles.shown == nil)
        let statistics = player.statistics
        #expect(
            statistics.picturesShown + statistics.picturesLate + statistics.picturesUnshown == 40)
        player.rate = 0.25
        try await waitUntil("the captions") {
            // A busy machine may have drawn none in time.
            let isOver = player.currentTime.seconds > 2.4
            if isOver { _ = await player.seek(to: .zero) }
            return subtitles.all.contains { $0 != nil }
        }
        // Another judge reads the same text there.
        let other = try Program.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "movie=\(film)[out+subcc]", "-map", "s", "-f",
                "srt", "-",
            ])
        #expect(other.output.contains("CAPTION"), "\(other.text)")
        // Without captions there is no such choice.
        let groupsOfPlain = try await MediaAsset(path: plain).load(.mediaSelectionGroups)
        #expect(groupsOfPlain.map(\.characteristic) == [.visual])
    }
}

extension Sequence {
    fileprivate func asyncMap<Value>(
        _ transform: (Element) async throws -> Value
    ) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}

/// A stream of a disc's subtitles (PGS): a white frame from 1 s to 2 s.
private struct PresentationGraphics {
    let screen: Dimensions
    let place = PixelRect(x: 60, y: 120, width: 200, height: 40)

    var stream: [UInt8] {
        let window = [1, 0] + big(place.x) + big(place.y) + big(place.width) + big(place.height)
        // Colour 1 is white, and opaque.
        let palette: [UInt8] = [0, 0, 1, 235, 128, 128, 255]
        let object = [0, 0, 0, 0xc0] + big(runs.count + 4, bytes: 3) + big(place.width)
        func empty(_ seconds: Int) -> [UInt8] {
            segment(0x16, seconds, composition(isEmpty: true)) + segment(0x17, seconds, window)
                + segment(0x80, seconds, [])
        }
        let shown = segment(0x16, 1, composition(isEmpty: false))
        return empty(0) + shown + segment(0x17, 1, window) + segment(0x14, 1, palette)
            + segment(0x15, 1, object + big(place.height) + runs) + segment(0x80, 1, []) + empty(2)
    }

    private func composition(isEmpty: Bool) -> [UInt8] {
        let beginning = big(screen.width) + big(screen.height) + [0x10, 0, isEmpty ? 1 : 0]
        let objects: [UInt8] = isEmpty ? [0] : [1, 0, 0, 0, 0] + big(place.x) + big(place.y)
        return beginning + [isEmpty ? 0 : 0x80, 0, 0] + objects
    }

    /// Each row is a run of colour 1.
    private var runs: [UInt8] {
        let length = place.width
        let row = [0, 0xc0 | UInt8(length >> 8), UInt8(length & 255), 1, 0, 0]
        return Array(repeatElement(row, count: place.height).joined())
    }

    private func segment(_ kind: UInt8, _ seconds: Int, _ content: [UInt8]) -> [UInt8] {
        let time = big(seconds * 90_000, bytes: 4)
        return Array("PG".utf8) + time + [0, 0, 0, 0, kind] + big(content.count) + content
    }

    private func big(_ value: Int, bytes: Int = 2) -> [UInt8] {
        (0..<bytes).reversed().map { UInt8(value >> (8 * $0) & 255) }
    }
}

/// Closed captions (CEA-608) in an H.264 stream of one slice for each picture.
private enum ClosedCaptions {
    /// Puts a message before each picture: a text that appears with picture `first` and goes with
    /// picture `last`.
    static func inserted(
        into stream: [UInt8], text: String, from first: Int, to last: Int
    ) throws -> [UInt8] {
        // The text is loaded, two letters a picture, and then shown at once.
        let letters = Array(text.utf8) + (text.utf8.count % 2 == 0 ? [] : [0x20])
        let pairs = stride(from: 0, to: letters.count, by: 2).map { (letters[$0], letters[$0 + 1]) }
        var words: [Int: (UInt8, UInt8)] = [:]
        let load: [(UInt8, UInt8)] = [(0x14, 0x20), (0x14, 0x2e), (0x14, 0x70)] + pairs
        try #require(load.count <= first)
        for (number, word) in load.enumerated() { words[first - load.count + number] = word }
        words[first] = (0x14, 0x2f)
        words[last] = (0x14, 0x2c)
        var (result, picture) = ([UInt8](), 0)
        for unit in units(of: stream) {
            if [1, 5].contains(unit[0] & 31) {
                result += [0, 0, 0, 1] + message(words[picture] ?? (0, 0))
                picture += 1
            }
            result += [0, 0, 0, 1] + unit
        }
        return result
    }

    private static func units(of stream: [UInt8]) -> [ArraySlice<UInt8>] {
        var starts: [Int] = []
        for index in 0..<max(stream.count - 3, 0)
        where stream[index] == 0 && stream[index + 1] == 0 && stream[index + 2] == 1 {
            starts.append(index + 3)
        }
        return starts.indices.map { number in
            let end = number + 1 < starts.count ? starts[number + 1] - 3 : stream.count
            var unit = stream[starts[number]..<end]
            while unit.last == 0 { unit.removeLast() }
            return ArraySlice(Array(unit))
        }
    }

    private static func message(_ word: (UInt8, UInt8)) -> [UInt8] {
        let payload: [UInt8] =
            [0xb5, 0, 0x31] + Array("GA94".utf8)
            + [3, 0xc1, 0xff, 0xfc, odd(word.0), odd(word.1), 0xff]
        return [6, 4, UInt8(payload.count)] + payload + [0x80]
    }

    /// Returns seven bits with odd parity.
    private static func odd(_ byte: UInt8) -> UInt8 {
        byte.nonzeroBitCount % 2 == 0 ? byte | 0x80 : byte
    }
}
