// SPDX-License-Identifier: GPL-3.0-or-later

import Codecs
import Foundation
import Media
import TestSupport
import Testing

@Suite("AudioEncoder")
struct AudioEncoderTests {
    private let folder: TemporaryFolder
    private static let format = AudioFormat(sampleRate: 48_000, channels: 1)

    init() throws { folder = try TemporaryFolder() }

    /// Returns silence with a tone of 50 ms at each of these times, in seconds.
    private func samples(_ seconds: Double, tones: [Double]) -> [Int16] {
        (0..<Int(seconds * 48_000)).map { index in
            let time = Double(index) / 48_000
            let isTone = tones.contains { ($0..<$0 + 0.05).contains(time) }
            return isTone ? Int16(20_000 * sin(time * 1000 * 2 * .pi)) : 0
        }
    }

    @Test(
        "sound starts at its first sample's time, however short the pieces are",
        arguments: [8_000, 16_000, 48_000], [100, 400, 800, 1200])
    func beginning(sampleRate: Int, length: Int) throws {
        let format = AudioFormat(sampleRate: sampleRate, channels: 1)
        let encoder = try AudioEncoder(format)
        #expect(encoder.end == nil)
        var packets: [EncodedSample] = []
        for start in stride(from: 0, to: 12_000, by: length) {
            let time = MovieSample.begin + format.duration(of: start)
            packets += try encoder.encode([Int16](repeating: 0, count: length), at: time)
            let end = MovieSample.begin + format.duration(of: start + length)
            // A resampler holds back a few samples.
            let few = format.duration(of: 32)
            #expect(abs(try #require(encoder.end) - end) < few, "\(start)")
        }
        // The first packet only primes the decoder.
        let lead = format.duration(of: AudioEncoder.packetLength)
        #expect(packets.first?.time == MovieSample.begin - lead)
    }

    /// Writes a movie whose sound begins `offset` nanoseconds after its pictures.
    private func movie(
        _ sound: [Int16], offset: Int64, finishes: Bool = true
    ) throws -> String {
        let video = try MovieSample.encoder()
        let pictures = MovieSample.pieces(try MovieSample.samples(75, video))
        let encoder = try AudioEncoder(Self.format)
        var packets: [EncodedSample] = []
        // Encode pieces such as a microphone delivers.
        for start in stride(from: 0, to: sound.count, by: 1200) {
            let chunk = Array(sound[start..<min(start + 1200, sound.count)])
            packets += try encoder.encode(
                chunk, at: MovieSample.begin + offset + Self.format.duration(of: start))
        }
        packets.removeAll { $0.time < MovieSample.begin }
        let path = folder.path(of: "clip.mp4")
        var file = try MovieFile(
            creating: path,
            [
                try .h264(
                    #require(video.parameterSets), MovieSample.size, color: MovieSample.color),
                .aac(encoder.configuration, Self.format),
            ], MovieMetadata(createdAt: 0), origin: MovieSample.begin)
        for piece in pictures {
            let count = packets.prefix { $0.time < piece.end }.count
            let part = Array(packets.prefix(count))
            packets.removeFirst(count)
            let end = (part.last?.time ?? 0) + Self.format.duration(of: 1024)
            try file.append(
                [piece] + (count > 0 ? [MovieRun(track: 1, samples: part, end: end)] : []))
        }
        if finishes { try file.finish() }
        return path
    }

    /// Returns the times at which ffmpeg finds tones in a file, in seconds from its beginning.
    private func tones(_ path: String) throws -> [Double] {
        let raw = folder.path(of: "raw")
        let outcome = try Program.run(
            "ffmpeg",
            [
                "-v", "error", "-y", "-i", path, "-map", "0:a", "-af",
                "aresample=async=1:min_hard_comp=0.01:first_pts=0", "-f", "s16le", raw,
            ])
        #expect(outcome.status == 0 && outcome.text == "")
        let bytes = try folder.contents(of: "raw")
        let loud = stride(from: 0, to: bytes.count - 1, by: 2).filter {
            abs(Int(Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8))) > 4000
        }.map { Double($0 / 2) / 48_000 }
        return loud.reduce(into: []) { found, time in
            if time - (found.last ?? -1) > 0.2 { found.append(time) }
        }
    }

    @Test(
        "players play sound at the time it was heard, whenever it began",
        arguments: [0, 300, -300])
    func times(offset milliseconds: Int) throws {
        let offset = Double(milliseconds) / 1000
        let wanted = [0.5, 1.5, 2.4]
        let path = try movie(
            samples(3 - offset, tones: wanted.map { $0 - offset }),
            offset: Int64(milliseconds) * 1_000_000)
        let found = try tones(path)
        #expect(found.count == wanted.count)
        for (found, wanted) in zip(found, wanted) { #expect(abs(found - wanted) < 0.003) }
        let packets = try Program.run(
            "ffprobe",
            [
                "-v", "error", "-select_streams", "a", "-show_entries",
                "stream=codec_name,sample_rate,channels:packet=duration", "-of", "csv=p=0", path,
            ]
        ).output.split(separator: "\n")
        #expect(packets.last == "aac,48000,1")
        // Only the last packet is cut to the end of the sound.
        #expect(Set(packets.dropLast(2).map { $0.filter(\.isNumber) }) == ["1024"])
        #expect(try MovieSample.probe(path).frames == 75)
        let decoded = try Program.run("ffmpeg", ["-v", "error", "-i", path, "-f", "null", "-"])
        #expect(decoded.status == 0 && decoded.text == "")
    }

    @Test("a movie cut off within a fragment keeps those before it, with their sound")
    func cut() throws {
        let path = try movie(samples(3, tones: [0.5, 1.5, 2.4]), offset: 0, finishes: false)
        let whole = try folder.contents(of: "clip.mp4")
        try folder.write(whole.dropLast(1000), to: "clip.mp4")
        let mended = try MovieFile.mend(path)
        #expect(mended.map { $0.duration >= 2_000_000_000 } == true)
        #expect(
            MovieSample.boxes(try folder.contents(of: "clip.mp4")) == ["ftyp", "mdat", "moov"])
        #expect(try MovieSample.probe(path).frames == 50)
        let found = try tones(path)
        #expect(found.count == 2)
        for (found, wanted) in zip(found, [0.5, 1.5]) { #expect(abs(found - wanted) < 0.003) }
    }

    @Test("a correction adds or removes samples", arguments: [480, -480])
    func corrected(by delta: Int) throws {
        let encoder = try AudioEncoder(Self.format)
        encoder.correct(by: 0, over: 48_000)
        _ = try encoder.encode(samples(1, tones: []), at: 0)
        let before = try #require(encoder.end)
        encoder.correct(by: delta, over: 48_000)
        for _ in 0..<10 { _ = try encoder.encode(samples(0.1, tones: []), at: 0) }
        let after = try #require(encoder.end)
        let seconds = Double(after - before) / 1e9
        #expect(abs(seconds - 1 - Double(delta) / 48_000) < 0.002)
    }
}
