// SPDX-License-Identifier: GPL-3.0-or-later

import Codecs
import Display
import Foundation
import Glibc
import LinuxIO
import Media
import Playback
import TestSupport
import Testing

/// Films of vicodec's format, decoded by vicodec. What comes out is compared with what v4l2-ctl
/// gets from the same driver.
@Suite("Decoders of V4L2", .serialized, .enabled(if: isVirtualBoard), .timeLimit(.common))
struct KernelDecoderTests {
    private static let size = Dimensions(width: 640, height: 480)
    private static let count = 40

    /// A film of ten pictures a second, and its decoded pictures in NV12.
    private struct Film {
        let path: String
        var pictures: [[UInt8]] = []
    }

    /// Returns the node of one of vicodec's devices.
    private func node(_ name: String) throws -> String {
        let nodes = try FileTree.names(in: "/sys/class/video4linux")
        let found = try nodes.first { node in
            try String(contentsOfFile: "/sys/class/video4linux/\(node)/name", encoding: .utf8)
                .hasPrefix(name)
        }
        return "/dev/\(try #require(found))"
    }

    private func convert(_ arguments: [String]) throws {
        let outcome = try Program.run(
            "v4l2-ctl", arguments + ["--stream-mmap", "--stream-out-mmap"])
        try #require(outcome.status == 0, "\(outcome.text)")
    }

    /// Returns vicodec's data for pictures of a size, one element for each picture, and the decoded
    /// pictures.
    private func encoded(
        _ size: Dimensions, in folder: TemporaryFolder
    ) throws -> (samples: [[UInt8]], pictures: [[UInt8]]) {
        let (raw, data, decoded) = (
            folder.path(of: "raw"), folder.path(of: "data"), folder.path(of: "decoded")
        )
        let shape = "width=\(size.width),height=\(size.height)"
        let made = try Program.run(
            "ffmpeg",
            [
                "-v", "error", "-y", "-f", "lavfi", "-i",
                "testsrc2=size=\(size.width)x\(size.height):rate=10", "-frames:v",
                "\(Self.count)", "-pix_fmt", "nv12", "-f", "rawvideo", raw,
            ])
        try #require(made.status == 0, "\(made.text)")
        try convert([
            "-d", node("stateful-encoder"), "-x", "\(shape),pixelformat=NV12",
            "-v", "pixelformat=FWHT", "--stream-from", raw, "--stream-to", data,
        ])
        try convert([
            "-d", node("stateful-decoder"), "-x", "\(shape),pixelformat=FWHT",
            "-v", "pixelformat=NV12", "--stream-from", data, "--stream-to", decoded,
        ])
        // The header says how many bytes follow it (codec-fwht.h).
        let headerSize = 44
        var rest = try Array(Data(contentsOf: URL(filePath: data)))[...]
        var samples: [[UInt8]] = []
        while rest.count > headerSize {
            let start = rest.startIndex + headerSize
            let length = rest[start - 4..<start].reduce(0) { $0 << 8 | Int($1) }
            samples.append(Array(rest.prefix(headerSize + length)))
            rest = rest.dropFirst(headerSize + length)
        }
        let bytes = try Array(Data(contentsOf: URL(filePath: decoded)))
        let length = size.pixels * 3 / 2
        let pictures = stride(from: 0, to: bytes.count, by: length).map {
            Array(bytes[$0..<min($0 + length, bytes.count)])
        }
        try #require(samples.count == Self.count && pictures.count == Self.count)
        try #require(Set(pictures).count == Self.count)
        return (samples, pictures)
    }

    /// Makes a film whose pictures have these sizes, one after the other.
    private func film(_ sizes: [Dimensions], in folder: TemporaryFolder) throws -> Film {
        var film = Film(path: folder.path(of: "film.mp4"))
        var samples: [EncodedSample] = []
        for size in sizes {
            let (data, pictures) = try encoded(size, in: folder)
            film.pictures += pictures
            for (number, bytes) in data.enumerated() {
                // vicodec makes each tenth picture a key frame; the flags precede its colours.
                let isKeyFrame = bytes[20..<24].reduce(0) { $0 << 8 | UInt32($1) } & 1 << 10 != 0
                #expect(isKeyFrame == (number % 10 == 0))
                samples.append(
                    EncodedSample(
                        bytes: bytes, time: Int64(samples.count) * 100_000_000,
                        isKeyFrame: isKeyFrame))
            }
        }
        let track = MovieTrack.video(
            .fwht, sizes[0], color: ColorDescription(matrix: .bt601, range: .limited))
        var file = try MovieFile(
            creating: film.path, [track], MovieMetadata(createdAt: 0), origin: 0)
        try file.append([
            MovieRun(
                track: 0, samples: samples, end: Int64(samples.count) * 100_000_000)
        ])
        try file.finish()
        return film
    }

    private func opened(_ path: String) throws -> (PictureReader, DeviceDecoder) {
        let reader = try MediaReader(OwnedDescriptor(open: path, flags: O_RDONLY), name: path)
        let track = try #require(reader.tracks.first { $0.kind == .video })
        reader.select([track.index])
        let decoder = try #require(DeviceDecoder(track, of: reader))
        let pictures = try PictureReader(track, of: reader, by: decoder) { error in
            Issue.record("the device has given up: \(error)")
        }
        return (pictures, decoder)
    }

    /// Returns a picture as v4l2-ctl writes it.
    private func packed(_ picture: DecodedPicture) throws -> [UInt8] {
        try #require(picture.description?.pixelFormat == .nv12)
        let bytes = unsafe picture.withPixels { pixels -> [UInt8] in
            let size = unsafe pixels.description.dimensions
            var bytes: [UInt8] = []
            for plane in 0..<2 {
                for row in 0..<size.height / (plane + 1) {
                    let start = unsafe pixels.plane(plane) + row * pixels.bytesPerRow(plane)
                    unsafe bytes.append(
                        contentsOf: UnsafeBufferPointer(start: start, count: size.width))
                }
            }
            return bytes
        }
        return try #require(bytes)
    }

    @Test("all pictures are those that the driver gives others, also of another size")
    func pictures() throws {
        let folder = try TemporaryFolder()
        let film = try film(
            [Self.size, Dimensions(width: 800, height: 608), Self.size], in: folder)
        let (reader, decoder) = try opened(film.path)
        #expect(reader.decoderName == decoder.name && decoder.name.hasSuffix("(vicodec)"))
        var count = 0
        while let picture = try reader.next() {
            try #require(count < film.pictures.count)
            #expect(picture.time == MediaTime(value: Int64(count), timescale: 10))
            #expect(picture.duration == MediaTime(value: 1, timescale: 10))
            #expect(try packed(picture) == film.pictures[count], "picture \(count)")
            count += 1
        }
        #expect(count == film.pictures.count)
        #expect(try reader.next() == nil)
    }

    @Test("the picture of an instant is exact, before and after the end, and time goes on there")
    func seeks() throws {
        let folder = try TemporaryFolder()
        let film = try film([Self.size], in: folder)
        let (reader, _) = try opened(film.path)
        var random = Seeded(5)
        for round in 0..<60 {
            let number = Int.random(in: 0..<Self.count, using: &random)
            let place = MediaTime(value: Int64(number) * 10 + 5, timescale: 100)
            let picture = try #require(try reader.picture(at: place))
            #expect(try packed(picture) == film.pictures[number], "round \(round): \(number)")
            // Some searches begin while pictures wait, some at the end.
            for next in number + 1..<min(number + 1 + round % 12, Self.count) {
                let picture = try #require(try reader.next())
                #expect(try packed(picture) == film.pictures[next], "round \(round): \(next)")
            }
            if round % 10 == 9 { while try reader.next() != nil {} }
        }
    }

    @Test("pictures that are in use stay as they are while others are decoded")
    func held() throws {
        let folder = try TemporaryFolder()
        let film = try film([Self.size], in: folder)
        let (reader, _) = try opened(film.path)
        var held: [DecodedPicture] = []
        for number in 0..<Self.count {
            held.append(try #require(try reader.next()))
            if held.count > 8 { held.removeFirst(5) }
            let first = number + 1 - held.count
            for (place, picture) in held.enumerated() {
                #expect(try packed(picture) == film.pictures[first + place])
            }
        }
    }

    /// Returns what the kernel's composer says of the picture on the screen, once it is the same
    /// for a few refreshes.
    private func checksum() throws -> String {
        let folder = "/sys/kernel/debug/dri"
        let card = try FileTree.names(in: folder).first { name in
            let text = try? String(contentsOfFile: "\(folder)/\(name)/name", encoding: .utf8)
            return text?.hasPrefix("vkms") == true
        }
        let path = "\(folder)/\(try #require(card))/crtc-0/crc"
        try Data("auto".utf8).write(to: URL(filePath: "\(path)/control"))
        let data = try OwnedDescriptor(open: "\(path)/data", flags: O_RDONLY)
        var sums: [String] = []
        while sums.count < 5 || Set(sums.suffix(4)).count > 1 {
            // Each read returns one line: the refresh and the checksum.
            var line = [UInt8](repeating: 0, count: 256)
            let count = unsafe read(data.number, &line, line.count)
            try #require(count > 0)
            let words = String(decoding: line.prefix(count), as: UTF8.self)
            sums += words.split { $0.isWhitespace || $0 == "\0" }.suffix(1).map { String($0) }
        }
        return sums[sums.count - 1]
    }

    /// Returns the checksum of the next picture on the screen.
    private func checksum(after former: String) throws -> String {
        let deadline = Clock.monotonic + 60_000_000_000
        var sum = former
        while sum == former, Clock.monotonic < deadline { sum = try checksum() }
        return sum
    }

    /// Shows the first picture of a film and three others, and returns their checksums.
    private func shown(
        _ path: String, on screen: Screen, directly isDirect: Bool
    ) async throws -> [String] {
        let player = try QueuePlayer(items: [])
        let layer = try PlayerLayer(target: screen.playback)
        player.layer = layer
        let diary = PlayerDiary(player)
        let item = PlayerItem(MediaAsset(path: path))
        var sums = [try checksum()]
        player.insert(item)
        await diary.wait { $0.isReady || $0.failure != nil }
        sums.append(try checksum(after: sums[0]))
        for number in [3, 17, 38] {
            #expect(await player.seek(to: MediaTime(value: Int64(number) * 10 + 5, timescale: 100)))
            sums.append(try checksum(after: sums[sums.count - 1]))
        }
        await player.seek(to: .zero)
        player.play()
        await diary.wait { $0.isEnd || $0.failure != nil }
        #expect(await diary.events.compactMap(\.failure).isEmpty)
        #expect(player.statistics.picturesUnshown == 0)
        #expect(layer.isDirect == isDirect)
        #expect(item.decoder?.hasSuffix("(vicodec)") == isDirect)
        return Array(sums.dropFirst())
    }

    @Test("a display scans the device's memory out, and shows what copied pictures show")
    func display() async throws {
        let folder = try TemporaryFolder()
        let film = try film([Self.size], in: folder)
        let copied = folder.path(of: "copied.avi")
        let made = try Program.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "rawvideo", "-pix_fmt", "nv12", "-s", "640x480", "-r", "10",
                "-i", folder.path(of: "decoded"), "-c", "copy", copied,
            ])
        try #require(made.status == 0, "\(made.text)")
        let screen = try Screen { () throws(DisplayError) in
            try KMSDevice(KMSDevice.Selection(driver: "vkms", mode: .size(Self.size)))
        }
        for await event in screen.events { if case .ready = event { break } }
        let direct = try await shown(film.path, on: screen, directly: true)
        #expect(Set(direct).count == 4)
        #expect(try await shown(copied, on: screen, directly: false) == direct)
        await screen.close()
    }

    @Test("a device that goes ends the film with the reason, and the next one is played")
    func unplugged() async throws {
        let folder = try TemporaryFolder()
        let film = try film([Self.size], in: folder)
        let next = try TestVideo.withTone("next.mov", seconds: 1)
        let player = try QueuePlayer(items: [])
        player.layer = try PlayerLayer(target: NotingTarget())
        let diary = PlayerDiary(player)
        let item = PlayerItem(MediaAsset(path: film.path))
        player.insert(item)
        player.insert(PlayerItem(MediaAsset(path: next.path)))
        await diary.wait { $0.isReady }
        let driver = "/sys/bus/platform/drivers/vicodec"
        try Data("vicodec.0".utf8).write(to: URL(filePath: "\(driver)/unbind"))
        defer { try? Data("vicodec.0".utf8).write(to: URL(filePath: "\(driver)/bind")) }
        player.play()
        await diary.wait { $0.failure != nil }
        // There is no other decoder of this format.
        let failure = await diary.events.compactMap(\.failure).first
        #expect(failure?.message.contains("/dev/video") == true, "\(String(describing: failure))")
        await diary.wait { $0.isEnd }
        #expect(player.currentItem !== item)
    }
}
