// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Codecs
import Foundation
import Imaging
import LinuxIO
import Media
import Recording
import TestSupport
import Testing

@Suite("FrameMovie", .ownThread, .timeLimit(.common))
struct FrameMovieTests {
    private static let size = Dimensions(width: 64, height: 48)
    private static let interval: Int64 = 40_000_000

    private let folder: TemporaryFolder
    private let output = PhotoOutput()
    private let camera = StillStream()

    init() throws { folder = try TemporaryFolder() }

    /// Returns the frames of a stream; the grey level of each encodes its number.
    private func frames(
        _ count: Int, _ size: Dimensions = size, rotation: Int = 0
    ) async throws -> [CapturedFrame] {
        try await framesAndPool(count, size, rotation: rotation).frames
    }

    private func framesAndPool(
        _ count: Int, _ size: Dimensions = size, rotation: Int = 0
    ) async throws -> (frames: [CapturedFrame], pool: FramePool) {
        let description = try #require(FrameDescription(.nv12, size))
        let buffers = try (0..<count).map { _ in
            [try FrameBuffer.memory(description.bufferSizes[0])]
        }
        let pool = FramePool(description: description, buffers: buffers, wake: try WakeSignal())
        var connection = CaptureConnection(output: output)
        try connection.setVideoRotationAngle(rotation)
        output.streamDidStart(
            StreamDescription(frame: description, frameInterval: Self.interval), on: connection)
        let burst = output.holdBurst(Self.interval, count: count)
        for number in 0..<count {
            try unsafe pool.slots[number].withPixels(.write) { pixels in
                for place in 0..<size.width * size.height {
                    unsafe pixels.plane(0)[place] = UInt8(20 + number * 10)
                }
                for place in 0..<size.width * size.height / 2 {
                    unsafe pixels.plane(1)[place] = 128
                }
            }
            let info = FrameInfo(
                timestamp: Int64(number + 1) * Self.interval, sequence: UInt32(number),
                bytesUsed: 0)
            output.receive(pool.lend(number, info), from: camera)
        }
        var frames: [CapturedFrame] = []
        for await frame in burst.frames { frames.append(frame) }
        output.streamDidStop(willRestart: false)
        return (frames, pool)
    }

    private func order(_ name: String = "movie.mp4") -> MovieOrder {
        MovieOrder(id: UUID(), path: folder.path(of: name), moment: Self.interval)
    }

    private func movie(_ order: MovieOrder, frameInterval: Int64 = interval) -> FrameMovie {
        FrameMovie(order, MovieSettings(), frameInterval: frameInterval)
    }

    /// Returns a movie of at most three frames, and four frames for it.
    private func movieOfThree(_ order: MovieOrder) async throws -> (FrameMovie, [CapturedFrame]) {
        let movie = FrameMovie(
            order, MovieSettings(), frameInterval: Self.interval, mostFrames: 3)
        return (movie, try await frames(4))
    }

    /// Returns the numbers of a file's frames, decoded by ffmpeg.
    private func numbers(_ path: String) throws -> [Int] {
        let raw = folder.path(of: "raw")
        let outcome = try Program.run(
            "ffmpeg",
            [
                "-v", "error", "-y", "-noautorotate", "-i", path, "-fps_mode", "passthrough",
                "-f", "rawvideo", raw,
            ])
        try #require(outcome.status == 0 && outcome.text.isEmpty, "\(outcome.text)")
        let bytes = try folder.contents(of: "raw")
        return stride(from: 24 * 64 + 32, to: bytes.count, by: 64 * 72).map { offset in
            (Int(bytes[offset]) - 20 + 5) / 10
        }
    }

    private func times(_ path: String) throws -> [Double] {
        try Program.run(
            "ffprobe",
            ["-v", "error", "-show_entries", "packet=pts_time", "-of", "csv=p=0", path]
        ).output.split(separator: "\n").compactMap { Double($0.filter { $0 != "," }) }
    }

    @Test("a loop runs forward and backward, and each round begins where the last ended")
    func loop() async throws {
        var order = order()
        order.metadata.location = Location(latitude: 48.25, longitude: -16.5)
        let movie = movie(order)
        #expect(try await movie.appendLoop(frames(5), rounds: 2) == nil)
        let finished = try await movie.finish(.requested)
        #expect(try numbers(order.path) == [0, 1, 2, 3, 4, 3, 2, 1, 0, 1, 2, 3, 4, 3, 2, 1])
        #expect(finished.duration == 16 * Self.interval && finished.thumbnail != nil)
        let times = try times(order.path)
        #expect(times == times.indices.map { Double($0) * 0.04 })
        let facts = try #require(try MovieFile.mend(order.path))
        #expect(facts.duration == finished.duration && facts.location == order.metadata.location)
    }

    @Test("an undecodable frame is left out")
    func garbage() async throws {
        let picture = try PixelStorage(.yuv422, Self.size, color: .jpeg)
        let jpeg = try unsafe picture.withPixels {
            try unsafe JPEGEncoder().encode($0, quality: 80)
        }
        let description = FrameDescription(
            pixelFormat: .mjpeg, dimensions: Self.size,
            planes: [PlaneLayout(offset: 0, bytesPerRow: 0, rows: 0)], bufferSizes: [1 << 16],
            color: .jpeg)
        let files = [jpeg, [UInt8](repeating: 7, count: 100), jpeg]
        let pool = FramePool(
            description: description,
            buffers: try files.map { _ in [try FrameBuffer.memory(1 << 16)] },
            wake: try WakeSignal())
        output.streamDidStart(
            StreamDescription(frame: description, frameInterval: Self.interval),
            on: CaptureConnection(output: output))
        let burst = output.holdBurst(Self.interval, count: files.count)
        for (number, file) in files.enumerated() {
            try unsafe pool.slots[number].withPixels(.write) { pixels in
                for (index, byte) in file.enumerated() { unsafe pixels.plane(0)[index] = byte }
            }
            let info = FrameInfo(
                timestamp: Int64(number + 1) * Self.interval, sequence: UInt32(number),
                bytesUsed: file.count)
            output.receive(pool.lend(number, info), from: camera)
        }
        let order = order()
        let movie = movie(order)
        var counts: [Int] = []
        for await frame in burst.frames {
            #expect(try await movie.append(frame) == nil)
            counts.append(await movie.frameCount)
        }
        output.streamDidStop(willRestart: false)
        #expect(counts == [1, 1, 2])
        #expect(try await movie.finish(.requested).duration == 2 * Self.interval)
    }

    @Test("a movie at its frame limit takes no other frame, and is complete")
    func mostFrames() async throws {
        let order = order()
        let (movie, frames) = try await movieOfThree(order)
        for frame in frames.dropLast() { #expect(try await movie.append(frame) == nil) }
        #expect(try await movie.append(frames[3]) == .maximumFileSize)
        #expect(await movie.frameCount == 3)
        _ = try await movie.finish(.maximumFileSize)
        #expect(try numbers(order.path) == [0, 1, 2])
    }

    @Test("a loop has all requested rounds, even beyond the frame limit")
    func mostFramesOfLoop() async throws {
        let order = order()
        let (movie, frames) = try await movieOfThree(order)
        #expect(try await movie.appendLoop(Array(frames.prefix(3)), rounds: 2) == nil)
        #expect(await movie.frameCount == 8)
        // The control: the limit exists.
        #expect(try await movie.append(frames[3]) == .maximumFileSize)
        #expect(try await movie.finish(.requested).duration == 8 * Self.interval)
        #expect(try numbers(order.path) == [0, 1, 2, 1, 0, 1, 2, 1])
    }

    @Test("an appended frame returns to the camera, although its claim is still held")
    func givesBack() async throws {
        let movie = movie(order())
        let (frames, pool) = try await framesAndPool(1)
        #expect(pool.takeReturned(starving: false) == 0)
        #expect(try await movie.append(frames[0]) == nil)
        #expect(pool.takeReturned(starving: false) == 1)
        withExtendedLifetime(frames) {}
        #expect(try await movie.finish(.requested).duration == Self.interval)
    }

    @Test("a frame interval too short for an encoder still makes a movie")
    func shortInterval() async throws {
        let movie = movie(order(), frameInterval: 100)
        #expect(try await movie.append(frames(1)[0]) == nil)
        #expect(try await movie.finish(.requested).thumbnail != nil)
    }

    @Test("a loop keeps the intervals between its frames")
    func unevenLoop() async throws {
        let order = order()
        let movie = movie(order)
        var frames = try await frames(4)
        frames.remove(at: 1)
        _ = try await movie.appendLoop(frames, rounds: 1)
        _ = try await movie.finish(.requested)
        #expect(try numbers(order.path) == [0, 2, 3, 2])
        #expect(try times(order.path) == [0, 0.08, 0.12, 0.16])
        await #expect(throws: MovieError.self) {
            try await self.movie(self.order("none.mp4")).appendLoop(
                Array(frames.prefix(1)), rounds: 1)
        }
    }

    @Test("each frame of a timelapse is shown equally long, and is in the file at once")
    func timelapse() async throws {
        let order = order()
        let movie = movie(order, frameInterval: 100_000_000)
        for (index, frame) in try await frames(7, rotation: 90).enumerated() {
            #expect(try await movie.append(frame) == nil)
            #expect(await movie.frameCount == index + 1)
            // A reader of the file sees all frames so far.
            #expect(try times(order.path).count == index + 1)
        }
        let finished = try await movie.finish(.requested)
        #expect(try numbers(order.path) == Array(0..<7))
        #expect(try times(order.path) == (0..<7).map { Double($0) / 10 })
        #expect(finished.orientation.rotation == .quarter && finished.duration == 700_000_000)
    }

    @Test("a timelapse that is cut off is mended with every appended picture")
    func cutOff() async throws {
        let order = order()
        var movie: FrameMovie? = movie(order)
        for frame in try await frames(4) { _ = try await movie?.append(frame) }
        movie = nil
        let facts = try #require(try MovieFile.mend(order.path))
        #expect(facts.duration == 4 * Self.interval)
        #expect(try numbers(order.path) == Array(0..<4))
    }

    @Test("another frame size or a full disk ends a movie, and its frames are kept")
    func ends() async throws {
        var order = order()
        let movie = movie(order)
        for frame in try await frames(2) { _ = try await movie.append(frame) }
        let other = try await frames(1, Dimensions(width: 32, height: 32))
        #expect(try await movie.append(other[0]) == .cameraLost)
        _ = try await movie.finish(.cameraLost)
        #expect(try numbers(order.path) == [0, 1])
        order = self.order("full.mp4")
        order.minimumFreeBytes = .max
        let full = self.movie(order)
        #expect(try await full.append(try await frames(1)[0]) == .storageFull)
        await #expect(throws: MovieError.self) { try await full.finish(.storageFull) }
    }

    @Test("a movie without a folder fails, and so does a movie without a frame")
    func failures() async throws {
        let lost = movie(order("missing/movie.mp4"))
        let frame = try await frames(1)[0]
        let error = await #expect(throws: MovieError.self) { try await lost.append(frame) }
        #expect(error?.code == .storage)
        await #expect(throws: MovieError.self) {
            try await movie(order()).finish(.requested)
        }
    }
}
