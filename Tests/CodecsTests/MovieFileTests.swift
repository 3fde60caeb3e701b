// SPDX-License-Identifier: GPL-3.0-or-later

import Codecs
import Foundation
import Glibc
import LinuxIO
import Media
import TestSupport
import Testing

@Suite("movie files")
struct MovieFileTests {
    private let folder: TemporaryFolder
    private let encoder: VideoEncoder
    private let runs: [MovieRun]
    private static let count = 90

    init() throws {
        folder = try TemporaryFolder()
        encoder = try MovieSample.encoder()
        runs = MovieSample.pieces(try MovieSample.samples(Self.count, encoder))
    }

    private var path: String { folder.path(of: "clip.mp4") }

    private func begin(orientation: ExifOrientation = .upright) throws -> MovieFile {
        let track = try MovieTrack.h264(
            #require(encoder.parameterSets), MovieSample.size, color: MovieSample.color,
            orientation: orientation)
        var metadata = MovieMetadata(createdAt: 1_780_000_000)
        metadata.make = "Maker"
        metadata.model = "Größe"
        metadata.software = "Vitrine"
        metadata.location = Location(latitude: 48.25, longitude: -16.5, altitude: 171.5)
        return try MovieFile(
            creating: path, [track], metadata, origin: MovieSample.begin)
    }

    /// Writes all fragments, leaves the movie unfinished, and returns the file's bytes.
    private func record() throws -> [UInt8] {
        var movie = try begin()
        for run in runs { try movie.append([run]) }
        try movie.synchronize()
        return try folder.contents(of: "clip.mp4")
    }

    @Test("key frames come once a second, starting with the first picture")
    func keyFrames() {
        #expect(runs.map(\.samples.count) == [25, 25, 25, 15])
    }

    @Test("an unfinished recording plays, and a finished one is an ordinary movie")
    func finished() throws {
        var movie = try begin()
        for run in runs { try movie.append([run]) }
        try movie.synchronize()
        let recording = try folder.contents(of: "clip.mp4")
        #expect(
            MovieSample.boxes(recording)
                == ["ftyp", "free", "moov"] + (0..<4).flatMap { _ in ["moof", "mdat"] })
        var probe = try MovieSample.probe(path)
        #expect(probe.frames == Self.count && probe.codec == "h264")
        #expect(movie.duration == 3_600_000_000)
        try movie.finish()
        let file = try folder.contents(of: "clip.mp4")
        #expect(MovieSample.boxes(file) == ["ftyp", "mdat", "moov"])
        #expect(file.count < recording.count * 21 / 20 + 2000)
        probe = try MovieSample.probe(path)
        #expect(probe.frames == Self.count && probe.seconds == 3.6)
        let decoded = try Program.run("ffmpeg", ["-v", "error", "-i", path, "-f", "null", "-"])
        #expect(decoded.status == 0 && decoded.text == "")
    }

    @Test("every sample keeps its time, and players find the key frames")
    func times() throws {
        var movie = try begin()
        for run in runs { try movie.append([run]) }
        try movie.finish()
        let packets = try Program.run(
            "ffprobe",
            ["-v", "error", "-show_entries", "packet=pts_time,flags", "-of", "csv=p=0", path]
        ).output.split(separator: "\n")
        #expect(packets.count == Self.count)
        for (number, packet) in packets.enumerated() {
            let time = String(format: "%.6f", Double(number) * 0.04)
            #expect(packet.hasPrefix("\(time),\(number % 25 == 0 ? "K" : "_")"), "\(packet)")
        }
    }

    @Test(
        "players turn and mirror the picture as its orientation says",
        arguments: zip(
            [1, 2, 3, 4, 5, 6, 7, 8],
            [
                "null", "hflip", "hflip,vflip", "vflip", "transpose=cclock_flip",
                "transpose=clock", "transpose=clock_flip", "transpose=cclock",
            ]))
    func turned(orientation: Int, filters: String) throws {
        let orientation = try #require(ExifOrientation(rawValue: orientation))
        var movie = try begin(orientation: orientation)
        for run in runs { try movie.append([run]) }
        try movie.finish()
        #expect(try MovieFile.mend(path)?.orientation == orientation)
        func picture(_ options: [String], _ filters: String) throws -> Data {
            let raw = folder.path(of: "picture")
            let arguments =
                ["-v", "error", "-y"] + options + ["-i", path, "-frames:v", "1", "-vf", filters]
            #expect(
                try Program.run("ffmpeg", arguments + ["-f", "rawvideo", raw]).status == 0)
            return try Data(contentsOf: URL(filePath: raw))
        }
        let shown = try picture([], "null")
        #expect(try shown == picture(["-noautorotate"], filters))
        #expect(try orientation == .upright || shown != picture(["-noautorotate"], "null"))
    }

    @Test(
        "date, camera, program and location are stored, even if the movie is cut off",
        arguments: [false, true])
    func metadata(isCut: Bool) throws {
        var movie = try begin()
        for run in runs { try movie.append([run]) }
        try movie.synchronize()
        if !isCut { try movie.finish() }
        let facts = try #require(try MovieFile.mend(path))
        #expect(facts.createdAt == 1_780_000_000 && facts.duration == 3_600_000_000)
        #expect(facts.dimensions == MovieSample.size && facts.orientation == .upright)
        #expect(facts.location == Location(latitude: 48.25, longitude: -16.5, altitude: 171.5))
        let text = try Program.run("exiftool", ["-s", "-api", "QuickTimeUTC", path]).output
        for (tag, value) in [
            ("Make", "Maker"), ("Model", "Größe"), ("SoftwareVersion", "Vitrine"),
            ("ImageWidth", "160"), ("Duration", "3.60 s"),
            ("GPSCoordinates", "48 deg 15' 0.00\" N, 16 deg 30' 0.00\" W, 171.5 m"),
        ] {
            #expect(
                text.range(of: "\(tag) +: \(value)", options: .regularExpression) != nil, "\(tag)")
        }
        #expect(text.contains("2026:05:28"))
        #expect(!text.contains("Warning"))
    }

    @Test("a gap makes the picture before it last longer")
    func gap() throws {
        var late = runs[1]
        late.samples = late.samples.map {
            EncodedSample(
                bytes: $0.bytes, time: $0.time + 2_000_000_000, isKeyFrame: $0.isKeyFrame)
        }
        late.end += 2_000_000_000
        var movie = try begin()
        try movie.append([runs[0]])
        try movie.append([late])
        #expect(movie.duration == 4_000_000_000)
        try movie.finish()
        let probe = try MovieSample.probe(path)
        #expect(probe.frames == 50 && probe.seconds == 4)
    }

    // MARK: cut off

    @Test("a recording cut off anywhere keeps its whole fragments")
    func cut() throws {
        let whole = try record()
        // The end of each fragment in the file.
        var ends: [Int] = []
        for count in 1...4 {
            try FileManager.default.removeItem(atPath: path)
            var movie = try begin()
            for run in runs.prefix(count) { try movie.append([run]) }
            ends.append(movie.bytes)
        }
        for length in stride(from: 0, to: whole.count, by: 997) + [whole.count] {
            try folder.write(whole.prefix(length), to: "clip.mp4")
            let kept = ends.filter { $0 <= length }.count
            let mended = try MovieFile.mend(path)
            if kept == 0 {
                #expect(mended == nil)
                #expect(try folder.contents(of: "clip.mp4").count == length)
                continue
            }
            let frames = [0, 25, 50, 75, 90][kept]
            #expect(mended?.duration == Int64(frames) * MovieSample.interval)
            #expect(
                MovieSample.boxes(try folder.contents(of: "clip.mp4")) == ["ftyp", "mdat", "moov"])
            #expect(try MovieSample.probe(path).frames == frames)
            #expect(try MovieFile.mend(path) == mended)
        }
    }

    @Test("a crash while a movie is finished loses nothing")
    func halfFinished() throws {
        let recording = try record()
        try FileManager.default.removeItem(atPath: path)
        var movie = try begin()
        for run in runs { try movie.append([run]) }
        try movie.finish()
        let finished = try folder.contents(of: "clip.mp4")
        // Only the head, which is written last, is missing; then also the end of the index.
        for cut in [0, 1, 700] {
            let file = Array(recording.prefix(64)) + finished[64...].dropLast(cut)
            try folder.write(file, to: "clip.mp4")
            #expect(try MovieFile.mend(path)?.duration == 3_600_000_000)
            #expect(try folder.contents(of: "clip.mp4") == finished)
        }
    }

    @Test("an index too large to read throws, and does not count as an unplayable file")
    func largeIndex() throws {
        _ = try record()
        try FileManager.default.removeItem(atPath: path)
        var movie = try begin()
        for run in runs { try movie.append([run]) }
        try movie.finish()
        var file = try folder.contents(of: "clip.mp4")
        // The last `moov` is the finished movie's; the recording's lies before it.
        let index = try #require(file.ranges(of: Array("moov".utf8)).last).lowerBound - 4
        let size: UInt32 = 300 << 20
        for byte in 0..<4 {
            file[index + byte] = UInt8(truncatingIfNeeded: size >> (24 - 8 * byte))
        }
        try folder.write(file, to: "clip.mp4")
        try #require(unsafe truncate(path, off_t(index) + off_t(size)) == 0)
        let error = #expect(throws: SystemCallError.self) { try MovieFile.mend(path) }
        #expect(error?.code == EFBIG)
    }

    @Test("a fragment whose bytes never reached the medium is dropped")
    func zeros() throws {
        let whole = try record()
        var file = whole
        let last = try #require(runs.last).samples.map(\.bytes.count).reduce(0, +)
        for index in (file.count - last / 2)..<file.count { file[index] = 0 }
        try folder.write(file, to: "clip.mp4")
        #expect(try MovieFile.mend(path)?.duration == 3_000_000_000)
        #expect(try MovieSample.probe(path).frames == 75)
    }

    @Test("a file that is no recording stays unchanged")
    func foreign() throws {
        for content in [[], [0, 0, 0, 8], Array("no movie at all, only a text".utf8)] as [[UInt8]] {
            try folder.write(content, to: "clip.mp4")
            #expect(try MovieFile.mend(path) == nil)
            #expect(try folder.contents(of: "clip.mp4") == content)
        }
    }
}
