// SPDX-License-Identifier: GPL-3.0-or-later

import Codecs
import Foundation
import Glibc
import Hashing
import LinuxIO
import Media
import TestSupport
import Testing

/// Compares decoded pictures with those of the program ffmpeg, by time and hash.
@Suite("PictureReader", .timeLimit(.common))
struct PictureReaderTests {
    /// A kind of file: its name, and ffmpeg's arguments that encode it.
    struct Kind: Sendable, CustomTestStringConvertible {
        let name: String
        let arguments: [String]
        var testDescription: String { name }

        init(_ name: String, _ arguments: String) {
            self.name = name
            self.arguments = arguments.split(separator: " ").map(String.init)
        }
    }

    private static let x264 =
        "-c:v libx264 -preset veryfast -x264-params open-gop=1:bframes=3:keyint=24:scenecut=0"
    static let kinds = [
        Kind("open.mp4", x264),
        Kind("open.ts", x264),
        Kind("ntsc.mkv", "-r 30000/1001 " + x264),
        Kind(
            "hevc.mp4",
            "-c:v libx265 -preset ultrafast -x265-params open-gop=1:bframes=3:keyint=24:log-level=none"
        ),
        Kind("motion.avi", "-c:v mjpeg -q:v 4"),
        Kind("gaps.mp4", "-vf select='not(between(mod(n,40),5,30))' -fps_mode vfr " + x264),
    ]

    private struct Expected {
        let time: MediaTime
        let hash: String
    }

    /// Encodes six seconds, and returns the path with what ffmpeg decodes of it.
    private func made(
        _ kind: Kind, in folder: TemporaryFolder
    ) throws -> (path: String, pictures: [Expected]) {
        let path = folder.path(of: kind.name)
        let encoded = try Program.run(
            "ffmpeg",
            ["-v", "error", "-f", "lavfi", "-i", "testsrc2=s=160x120:r=30:d=6"] + kind.arguments
                + ["-pix_fmt", kind.name.hasSuffix("avi") ? "yuvj420p" : "yuv420p", path])
        try #require(encoded.status == 0, "\(encoded.text)")
        let hashed = try Program.run(
            "ffmpeg",
            [
                "-v", "error", "-i", path, "-map", "0:v", "-fps_mode", "passthrough",
                "-enc_time_base", "-1", "-f", "framehash", "-hash", "sha256", "-",
            ])
        try #require(hashed.status == 0, "\(hashed.text)")
        var timescale: (Int64, Int32) = (1, 1)
        var pictures: [Expected] = []
        for line in hashed.output.split(separator: "\n") {
            if line.hasPrefix("#tb 0: ") {
                let parts = line.dropFirst(7).split(separator: "/")
                timescale = (Int64(parts[0]) ?? 0, Int32(parts[1]) ?? 0)
            }
            if line.hasPrefix("#") { continue }
            let words = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            pictures.append(
                Expected(
                    time: MediaTime(
                        value: (Int64(words[2]) ?? 0) * timescale.0, timescale: timescale.1),
                    hash: words[5]))
        }
        try #require(pictures.count > 20)
        return (path, pictures)
    }

    private func track(of path: String) throws -> (MediaReader, MediaTrack) {
        let reader = try MediaReader(OwnedDescriptor(open: path, flags: O_RDONLY), name: path)
        let track = try #require(reader.tracks.first { $0.kind == .video })
        #expect(track.dimensions == Dimensions(width: 160, height: 120))
        reader.select([track.index])
        return (reader, track)
    }

    private func opened(_ path: String, threads: Int = 1) throws -> PictureReader {
        let (reader, track) = try track(of: path)
        return try PictureReader(track, of: reader, threads: threads)
    }

    /// Returns the hash of a picture's samples without padding, as ffmpeg lays them out.
    private func hash(_ picture: DecodedPicture) throws -> String {
        let packed = try unsafe picture.withPixels { pixels -> [UInt8] in
            let size = unsafe pixels.description.dimensions
            var bytes: [UInt8] = []
            for plane in 0..<3 {
                let (width, height) =
                    plane == 0
                    ? (size.width, size.height) : ((size.width + 1) / 2, (size.height + 1) / 2)
                for row in 0..<height {
                    let start = unsafe pixels.plane(plane) + row * pixels.bytesPerRow(plane)
                    unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: start, count: width))
                }
            }
            return bytes
        }
        return hexadecimal(SHA256.hash([try #require(packed)]))
    }

    @Test(
        "all pictures, and those of 500 random instants, have ffmpeg's times and samples",
        arguments: kinds)
    func pictures(kind: Kind) throws {
        let folder = try TemporaryFolder()
        let (path, expected) = try made(kind, in: folder)
        for threads in [1, 3] {
            let reader = try opened(path, threads: threads)
            var count = 0
            while let picture = try reader.next() {
                try #require(count < expected.count)
                #expect(picture.time == expected[count].time, "\(count)")
                #expect(try hash(picture) == expected[count].hash, "\(count)")
                count += 1
            }
            #expect(count == expected.count)
            #expect(try reader.next() == nil)
        }
        try seek(in: path, expected)
    }

    /// Compares the pictures of 500 random instants.
    private func seek(in path: String, _ expected: [Expected]) throws {
        let reader = try opened(path, threads: 2)
        var generator = Seeded(7)
        let last = try #require(expected.last).time
        for number in 0..<500 {
            let time = MediaTime(
                value: .random(
                    in: -500...(last.converted(toTimescale: 10_000).value + 2000),
                    using: &generator), timescale: 10_000)
            let index = max(0, (expected.firstIndex { $0.time > time } ?? expected.count) - 1)
            let picture = try #require(try reader.picture(at: time))
            #expect(picture.time == expected[index].time, "\(number): \(time.seconds)")
            #expect(try hash(picture) == expected[index].hash, "\(number): \(time.seconds)")
            // Reading goes on behind it.
            if number % 10 == 0 {
                let next = try reader.next()
                #expect(next?.time == (index + 1 < expected.count ? expected[index + 1].time : nil))
            }
        }
    }

    /// A device that takes so many packets.
    private final class FailingDecoder: PictureDecoding {
        struct Failure: Error {}

        private let decoder: PictureDecoder
        private var left: Int
        let name = "device"
        var skipsUnreferenced = false

        init(_ decoder: PictureDecoder, after count: Int) {
            (self.decoder, left) = (decoder, count)
        }

        func reset() { decoder.reset() }

        func send(_ packet: MediaPacket?) throws {
            if left == 0 { throw Failure() }
            left -= 1
            decoder.send(packet)
        }

        func receive() -> DecodedPicture? { decoder.receive() }
    }

    @Test("libavcodec goes on with the next picture when a device fails", arguments: kinds)
    func replaced(kind: Kind) throws {
        let folder = try TemporaryFolder()
        let (path, expected) = try made(kind, in: folder)
        for count in [0, 1, 2, 23, 24, 25, 30, 47, 100, 1000] {
            // The control: the device takes everything.
            let isWhole = count > expected.count
            let (source, track) = try track(of: path)
            let device = FailingDecoder(
                try PictureDecoder(track, of: source, threads: 1), after: count)
            var failures = 0
            let reader = try PictureReader(track, of: source, by: device) { error in
                #expect(error is FailingDecoder.Failure)
                failures += 1
            }
            var pictures: [DecodedPicture] = []
            while let picture = try reader.next() { pictures.append(picture) }
            let comment: Comment = "\(kind.name) after \(count)"
            #expect(pictures.map(\.time) == expected.map(\.time), comment)
            #expect(try pictures.map(hash) == expected.map(\.hash), comment)
            #expect(failures == (isWhole ? 0 : 1), comment)
            #expect(reader.decoderName == (isWhole ? "device" : "libavcodec \(track.codec)"))
        }
    }

    @Test("a byte stream for devices begins anywhere", arguments: [kinds[0], kinds[1], kinds[3]])
    func byteStream(kind: Kind) throws {
        let folder = try TemporaryFolder()
        let (path, expected) = try made(kind, in: folder)
        let (reader, track) = try track(of: path)
        let ending = track.codedFormat == .hevc ? "hevc" : "h264"
        let filter = try ByteStreamFilter(track, of: reader)
        for start in [0.0, 3.0, 1.5] {
            let key = try reader.seek(
                to: MediaTime(value: Int64(start * 10), timescale: 10), of: track)
            filter.reset()
            var data: [UInt8] = []
            while let packet = try reader.read(of: track) {
                let isWhole: Void? = unsafe filter.withData(of: packet) {
                    unsafe data.append(contentsOf: $0)
                }
                #expect(isWhole != nil)
            }
            let stream = try folder.write(data, to: "stream.\(ending)")
            let decoded = try Program.run(
                "ffmpeg",
                [
                    "-v", "error", "-i", stream, "-fps_mode", "passthrough", "-f", "framehash",
                    "-hash", "sha256", "-",
                ])
            let hashes = decoded.output.split(separator: "\n").filter { !$0.hasPrefix("#") }
                .compactMap { $0.split(separator: ",").last?.trimmingCharacters(in: .whitespaces) }
            // Pictures before an open key frame refer to others that are missing.
            let wanted = expected.filter { $0.time >= key }.map(\.hash)
            #expect(hashes.suffix(wanted.count).map { $0 } == wanted, "\(kind.name) at \(start)")
            #expect(decoded.status == 0 && wanted.count > 20)
        }
    }

    @Test("what is no media, is empty or is cut off is named, and opens no other file")
    func refused() throws {
        let folder = try TemporaryFolder()
        func code(_ name: String, _ content: some Sequence<UInt8>) throws -> CodecError.Code? {
            let path = try folder.write(Array(content), to: name)
            do {
                let file = try OwnedDescriptor(open: path, flags: O_RDONLY)
                _ = try MediaReader(file, name: path)
                return nil
            } catch let error as CodecError {
                return error.code
            }
        }
        #expect(try code("text.mp4", "no movie".utf8) == .unsupported)
        #expect(try code("empty.mp4", []) == .unsupported)
        let (path, _) = try made(Self.kinds[0], in: folder)
        let whole = try folder.contents(of: "open.mp4")
        // The index is at the end.
        #expect(try code("cut.mp4", whole.prefix(whole.count / 2)) != nil)
        let playlist = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n\(path)\n#EXT-X-ENDLIST\n"
        #expect(try code("list.m3u8", playlist.utf8) == .unsupported)
        #expect(
            try code("list.ffconcat", "ffconcat version 1.0\nfile '\(path)'\n".utf8) == .unsupported
        )
    }
}
