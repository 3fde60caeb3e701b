// SPDX-License-Identifier: GPL-3.0-or-later

import Codecs
import Foundation
import Glibc
import LinuxIO
import Media
import TestSupport
import Testing

/// Compares decoded sound with that of the program ffmpeg.
@Suite("SoundReader", .timeLimit(.common))
struct SoundReaderTests {
    private static let stereo = AudioFormat(sampleRate: 48_000, channels: 2)
    private static let noise =
        "aevalsrc=0.4*sin(440*2*PI*t)+0.2*random(0)|0.5*sin(550*2*PI*t):s=48000:d=3"

    private func made(_ name: String, _ arguments: String, in folder: TemporaryFolder) throws
        -> String
    {
        let path = folder.path(of: name)
        let outcome = try Program.run(
            "ffmpeg",
            ["-v", "error", "-f", "lavfi", "-i", Self.noise]
                + arguments.split(separator: " ").map(String.init) + [path])
        try #require(outcome.status == 0, "\(outcome.text)")
        return path
    }

    /// Returns the samples as ffmpeg decodes them.
    private func expected(_ path: String, _ format: AudioFormat, in folder: TemporaryFolder) throws
        -> [Int16]
    {
        let raw = folder.path(of: "expected")
        let outcome = try Program.run(
            "ffmpeg",
            [
                "-v", "error", "-y", "-i", path, "-f", "s16le", "-ar", "\(format.sampleRate)",
                "-ac",
                "\(format.channels)", raw,
            ])
        try #require(outcome.status == 0, "\(outcome.text)")
        let bytes = try folder.contents(of: "expected")
        return stride(from: 0, to: bytes.count - 1, by: 2).map {
            Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
        }
    }

    private struct Sound {
        let reader: MediaReader
        let track: MediaTrack
        let sound: SoundReader

        init(_ path: String, _ format: AudioFormat) throws {
            reader = try MediaReader(OwnedDescriptor(open: path, flags: O_RDONLY), name: path)
            track = try #require(reader.tracks.first { $0.kind == .audio })
            reader.select([track.index])
            sound = try SoundReader(track, of: reader, as: format)
        }

        /// Returns the chunks from here to the end.
        func rest() throws -> [DecodedSound] {
            var chunks: [DecodedSound] = []
            while let chunk = try sound.read() { chunks.append(chunk) }
            return chunks
        }
    }

    @Test(
        "samples are those that ffmpeg decodes, without the encoder's padding, and times have no gap",
        arguments: [
            ("a.mka", "-c:a aac -b:a 128k"), ("a.flac", "-c:a flac"), ("a.mp3", "-c:a libmp3lame"),
            ("a.wav", "-c:a pcm_s16le"), ("a.ogg", "-c:a libopus"), ("a.mkv", "-c:a ac3"),
        ])
    func exact(name: String, arguments: String) throws {
        let folder = try TemporaryFolder()
        let path = try made(name, arguments, in: folder)
        let chunks = try Sound(path, Self.stereo).rest()
        let wanted = try expected(path, Self.stereo, in: folder)
        let samples = chunks.flatMap(\.samples)
        #expect(samples.count == wanted.count)
        #expect(samples == wanted)
        var next = try #require(chunks.first).time
        #expect(abs(next.seconds) < 0.03)
        for chunk in chunks {
            // Some formats count in milliseconds.
            #expect(abs((chunk.time - next).seconds) < 0.0011)
            next = chunk.time + MediaTime(value: Int64(chunk.samples.count / 2), timescale: 48_000)
        }
    }

    @Test("other rates and channels are converted, and nothing is lost at the end")
    func converted() throws {
        let folder = try TemporaryFolder()
        let path = try made("a.flac", "-c:a flac -ar 44100 -ac 1", in: folder)
        let chunks = try Sound(path, Self.stereo).rest()
        let samples = chunks.flatMap(\.samples)
        #expect(abs(samples.count / 2 - 144_000) <= 2, "\(samples.count)")
        #expect((0..<1000).allSatisfy { samples[2 * $0] == samples[2 * $0 + 1] })
        let wanted = try expected(path, Self.stereo, in: folder)
        let error = zip(samples, wanted).map { abs(Int($0) - Int($1)) }.max() ?? .max
        #expect(error <= 2)
        // Control: the sound is none that any other would equal.
        #expect(zip(samples, wanted.dropFirst(20)).contains { abs(Int($0) - Int($1)) > 2000 })
    }

    @Test("ten clips one after the other have no sample too many or too few")
    func gapless() throws {
        let folder = try TemporaryFolder()
        // Each clip has a part of one sine.
        var samples: [Int16] = []
        for number in 0..<10 {
            let path = folder.path(of: "\(number).m4a")
            let outcome = try Program.run(
                "ffmpeg",
                [
                    "-v", "error", "-f", "lavfi", "-i",
                    "aevalsrc=0.5*sin(441*2*PI*(t+\(number)*1.7)):s=48000:d=1.7", "-c:a", "aac",
                    "-b:a",
                    "192k", path,
                ])
            try #require(outcome.status == 0, "\(outcome.text)")
            let format = AudioFormat(sampleRate: 48_000, channels: 1)
            samples += try Sound(path, format).rest().flatMap(\.samples)
        }
        #expect(samples.count == 10 * 81_600)
        // The codec smears the ends of each clip. A sample too many makes an error of 946.
        func worst(_ shift: Int) -> Double {
            samples.indices.filter { (2048..<79_552).contains($0 % 81_600) }.map { index in
                let exact = 0.5 * 32768 * sin(441 * 2 * Double.pi * Double(index + shift) / 48_000)
                return abs(Double(samples[index]) - exact)
            }.max() ?? .infinity
        }
        #expect(worst(0) < 450)
        #expect(worst(1) > 500 && worst(-1) > 500)
    }

    @Test("after a jump the first sample is that of the instant")
    func jump() throws {
        let folder = try TemporaryFolder()
        let path = try made("a.flac", "-c:a flac", in: folder)
        let sound = try Sound(path, Self.stereo)
        let whole = try sound.rest().flatMap(\.samples)
        for start in [72_000, 1, 143_999, 0] {
            let instant = MediaTime(value: Int64(start), timescale: 48_000)
            try sound.sound.seek(to: instant)
            let rest = try sound.rest()
            #expect(rest.first?.time == instant)
            #expect(rest.flatMap(\.samples) == Array(whole[(2 * start)...]))
        }
    }

    @Test("silence stands for sound that the file does not have")
    func gap() throws {
        let folder = try TemporaryFolder()
        // The second of three seconds is missing.
        let path = try made(
            "a.mkv", "-af aselect='not(between(t,1,1.99))' -c:a flac", in: folder)
        let chunks = try Sound(path, Self.stereo).rest()
        let samples = chunks.flatMap(\.samples)
        #expect(abs(samples.count / 2 - 144_000) < 2_000, "\(samples.count)")
        let middle = samples[(2 * 52_000)..<(2 * 90_000)]
        #expect(middle.allSatisfy { $0 == 0 })
        // Control: there is sound before and after.
        #expect(samples.prefix(90_000).contains { $0 > 1000 })
        #expect(samples.suffix(90_000).contains { $0 > 1000 })
    }
}
