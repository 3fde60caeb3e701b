// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Foundation
import Glibc
import LinuxIO
import Media
import Recording
import Synchronization
import TestSupport
import Testing

/// Movies of vivid's pictures, encoded by vicodec from vivid's own memory. The kernel's decoder
/// tells what is in them.
@Suite(
    "Encoders of V4L2", .serialized, .enabled(if: isVirtualBoard), .timeLimit(.common))
struct KernelEncoderTests {
    private static let size = Dimensions(width: 640, height: 480)

    /// The luma of every received frame, in order.
    private final class Album: Sendable {
        private let pictures = Mutex<[[UInt8]]>([])

        func add(_ lease: borrowing FrameLease) {
            let size = KernelEncoderTests.size
            let luma = try? unsafe lease.withPixels { pixels in
                unsafe (0..<size.height).flatMap { row in
                    unsafe UnsafeBufferPointer(
                        start: pixels.plane(0) + row * pixels.bytesPerRow(0), count: size.width)
                }
            }
            pictures.withLock { $0.append(luma ?? []) }
        }

        var all: [[UInt8]] { pictures.withLock { $0 } }
    }

    private func record(
        _ settings: MovieSettings, to path: String, seconds: Double
    ) async throws -> (
        movie: FinishedMovie, frames: [[UInt8]], unseen: Int, encoder: String?, dropped: Int
    ) {
        let vivid = try #require(V4L2Camera.discover { $0.driver == "vivid" }.cameras.first)
        // Make vivid draw a number into each frame, whatever ran before.
        let text = try Program.run(
            "v4l2-ctl", ["-d", vivid.identity.path, "-c", "osd_text_mode=0"])
        try #require(text.status == 0, "\(text.text)")
        let session = try CaptureSession()
        let (album, movies) = (Album(), try MovieFileOutput(settings))
        let video = try VideoDataOutput { album.add($0) }
        let input = CaptureDeviceInput(
            device: CaptureDevice(uniqueID: "vivid", match: .init(path: vivid.identity.path)),
            pixelFormat: .nv12, dimensions: Self.size, frameRate: 15)
        try await session.configure { configuration in
            try configuration.addInput(input)
            for output in [movies, video] as [any CaptureOutput] {
                try configuration.addOutput(output)
            }
        }
        try await session.startRunning()
        try await Task.sleep(for: .seconds(2))
        try movies.startRecording(MovieOrder(id: UUID(), path: path, moment: Clock.monotonic))
        try await Task.sleep(for: .seconds(seconds))
        movies.stopRecording()
        var events = movies.events.makeAsyncIterator()
        var outcome: Result<FinishedMovie, MovieError>?
        while outcome == nil, let event = await events.next(isolation: #isolation) {
            if case .failed(_, let error) = event { outcome = .failure(error) }
            if case .finished(let movie) = event { outcome = .success(movie) }
        }
        let (encoder, dropped) = (movies.encoderName, movies.framesDropped)
        await session.close()
        await movies.close()
        await video.close()
        return (
            try #require(try outcome?.get()), album.all, video.framesDropped, encoder, dropped
        )
    }

    @Test("a movie with pre-roll, from the camera's own memory, shows what the camera saw")
    func recorded() async throws {
        let folder = try TemporaryFolder()
        var settings = MovieSettings()
        (settings.encoder, settings.format) = (.v4l2, .fwht)
        settings.preRoll = 1_000_000_000
        let path = folder.path(of: "clip.mp4")
        let (movie, frames, unseen, encoder, dropped) = try await record(
            settings, to: path, seconds: 3)
        #expect(encoder?.hasSuffix("(vicodec)") == true)
        #expect(movie.dimensions == Self.size && movie.duration > 3_500_000_000)

        let samples = try samples(of: path)
        try #require(samples.count > 30)
        try folder.write(samples.joined().map(\.self), to: "clip.fwht")
        let decoded = try decode(folder.path(of: "clip.fwht"), folder, samples.count)
        let found = decoded.map { nearest(to: $0, in: frames) }
        // vivid draws each frame's number into it.
        #expect(found.allSatisfy { $0.error < 4 }, "\(found.map(\.error).max() ?? -1)")
        let places = found.map(\.place)
        // A frame that the album lacks is taken for another one.
        #expect(places.count - rising(places) <= unseen, "\(places), \(unseen) unseen")
        let missing = try #require(places.last) - places[0] + 1 - places.count
        #expect(missing <= dropped, "\(places)")
    }

    @Test("without an encoder device, v4l2 fails and automatic uses libx264")
    func missing() async throws {
        let folder = try TemporaryFolder()
        var settings = MovieSettings()
        settings.encoder = .v4l2
        let error = await #expect(throws: MovieError.self) {
            _ = try await record(settings, to: folder.path(of: "a.mp4"), seconds: 1)
        }
        #expect(error?.code == .noEncoder)
        settings.encoder = .automatic
        let encoder = try await record(settings, to: folder.path(of: "b.mp4"), seconds: 1).encoder
        #expect(encoder == "libx264")
    }

    /// Returns how many numbers can be left so that each is larger than the one before.
    private func rising(_ numbers: [Int]) -> Int {
        var longest: [Int] = []
        for (index, number) in numbers.enumerated() {
            let before = numbers[..<index].indices.filter { numbers[$0] < number }
            longest.append(1 + (before.map { longest[$0] }.max() ?? 0))
        }
        return longest.max() ?? 0
    }

    /// Returns the samples as they lie in the file.
    private func samples(of path: String) throws -> [[UInt8]] {
        let probe = try Program.run(
            "ffprobe",
            ["-v", "error", "-show_entries", "packet=pos,size", "-of", "csv=p=0", path])
        let file = try Array(Data(contentsOf: URL(filePath: path)))
        return probe.output.split(separator: "\n").compactMap { line in
            let numbers = line.split(separator: ",").compactMap { Int($0) }
            guard numbers.count == 2 else { return nil }
            return Array(file[numbers[1]..<numbers[1] + numbers[0]])
        }
    }

    /// Decodes the file with the kernel's decoder, through v4l2-ctl.
    private func decode(
        _ path: String, _ folder: TemporaryFolder, _ count: Int
    ) throws -> [[UInt8]] {
        let nodes = try FileTree.names(in: "/sys/class/video4linux")
        let decoder = try nodes.first { node in
            try String(contentsOfFile: "/sys/class/video4linux/\(node)/name", encoding: .utf8)
                .hasPrefix("stateful-decoder")
        }
        let device = "/dev/\(try #require(decoder))"
        let output = folder.path(of: "clip.yuv")
        let outcome = try Program.run(
            "v4l2-ctl",
            [
                "-d", device, "-x", "width=640,height=480,pixelformat=FWHT",
                "-v", "pixelformat=NV12", "--stream-mmap", "--stream-out-mmap",
                "--stream-from", path, "--stream-to", output,
            ])
        #expect(outcome.status == 0, "\(outcome.text)")
        let pixels = Self.size.width * Self.size.height
        let file = try Array(Data(contentsOf: URL(filePath: output)))
        #expect(file.count == count * pixels * 3 / 2)
        return stride(from: 0, to: file.count, by: pixels * 3 / 2).map {
            Array(file[$0..<min($0 + pixels, file.count)])
        }
    }

    /// Returns the frame most similar to a picture, and their mean difference of luma.
    private func nearest(
        to picture: [UInt8], in frames: [[UInt8]]
    ) -> (place: Int, error: Double) {
        let errors = frames.map { frame in
            guard frame.count == picture.count else { return Double.infinity }
            var sum = 0
            for index in picture.indices {
                sum += abs(Int(picture[index]) - Int(frame[index]))
            }
            return Double(sum) / Double(picture.count)
        }
        let place = errors.indices.min { errors[$0] < errors[$1] } ?? 0
        return (place, errors.isEmpty ? .infinity : errors[place])
    }
}
