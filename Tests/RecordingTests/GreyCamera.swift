// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Foundation
import LinuxIO
import Media
import Recording
import TestSupport
import Testing

/// A stream of 25 frames per second, and its recordings. The grey level of each frame encodes its
/// number, unless the test draws the frames.
final class GreyCamera {
    /// The brightness of a frame's pixel.
    typealias Drawing = (_ number: Int, _ x: Int, _ y: Int) -> UInt8

    static let interval: Int64 = 40_000_000
    static let begin: Int64 = 100_000_000_000
    static let size = Dimensions(width: 64, height: 48)

    let output: MovieFileOutput
    let folder: TemporaryFolder
    private let drawing: Drawing?
    private var pool: FramePool
    private var events: AsyncStream<MovieEvent>.Iterator
    private let camera = StillStream()
    private var delivered = 0

    init(
        _ settings: MovieSettings = MovieSettings(), rotation: Int = 0,
        size: Dimensions = GreyCamera.size, drawing: Drawing? = nil
    ) throws {
        folder = try TemporaryFolder()
        output = try MovieFileOutput(settings)
        events = output.events.makeAsyncIterator()
        self.drawing = drawing
        pool = try Self.pool(#require(FrameDescription(.nv12, size)))
        try start(rotation: rotation)
    }

    private static func pool(_ description: FrameDescription) throws -> FramePool {
        let buffers = try (0..<8).map { _ in
            [try FrameBuffer.memory(description.bufferSizes[0])]
        }
        return FramePool(description: description, buffers: buffers, wake: try WakeSignal())
    }

    /// Starts or restarts the stream, optionally with other pictures or as a camera in another
    /// port.
    func start(
        _ description: FrameDescription? = nil, rotation: Int = 0, isMirrored: Bool = false,
        stabilization: CaptureConnection.VideoStabilizationMode = .off, port: Int = 0
    ) throws {
        if let description { pool = try Self.pool(description) }
        var connection = CaptureConnection(output: output)
        try connection.setVideoRotationAngle(rotation)
        try connection.setVideoMirrored(isMirrored)
        try connection.setPreferredVideoStabilizationMode(stabilization)
        var stream = StreamDescription(frame: pool.description, frameInterval: Self.interval)
        stream.camera = CameraIdentity(
            name: "grey", path: "", driver: "grey", busPath: "\(port)", serial: "",
            deviceType: .simulated)
        output.streamDidStart(stream, on: connection)
    }

    /// Changes the output's connection while the stream runs, as a session does.
    func change(
        rotation: Int = 0, isMirrored: Bool = false,
        stabilization: CaptureConnection.VideoStabilizationMode = .off
    ) throws {
        output.streamDidStop(willRestart: true)
        try start(rotation: rotation, isMirrored: isMirrored, stabilization: stabilization)
    }

    static func time(_ number: Int) -> Int64 { begin + Int64(number) * interval }
    private static func luma(_ number: Int) -> UInt8 { UInt8(20 + number % 70 * 3) }

    /// Delivers undecodable frames of a JPEG stream.
    func deliverGarbage(_ numbers: Range<Int>) async throws {
        for number in numbers {
            let undecodable = output.framesUndecodable
            let info = FrameInfo(
                timestamp: Self.time(number), sequence: UInt32(number), bytesUsed: 100)
            output.receive(pool.lend(number % 8, info), from: camera)
            try await waitUntil { output.framesUndecodable > undecodable }
        }
    }

    /// Delivers one frame without waiting.
    ///
    /// - Parameter time: The time of the exposure; `nil` for the time of frame `number`.
    func throwIn(_ number: Int, at time: Int64? = nil) throws {
        let slot = delivered % 8
        delivered += 1
        let (size, grey) = (pool.description.dimensions, Self.luma(number))
        try unsafe pool.slots[slot].withPixels(.write) { pixels in
            let (luma, chroma) = unsafe (pixels.plane(0), pixels.plane(1))
            let (row, half) = unsafe (pixels.bytesPerRow(0), pixels.bytesPerRow(1))
            for y in 0..<size.height {
                for x in 0..<size.width {
                    unsafe luma[y * row + x] = drawing?(number, x, y) ?? grey
                }
            }
            for y in 0..<size.height / 2 {
                for x in 0..<size.width { unsafe chroma[y * half + x] = 128 }
            }
        }
        let info = FrameInfo(
            timestamp: time ?? Self.time(number), sequence: UInt32(number), bytesUsed: 0)
        output.receive(pool.lend(slot, info), from: camera)
    }

    /// Delivers a frame, and waits until it has been returned.
    ///
    /// - Parameter time: The time of the exposure; `nil` for the time of frame `number`.
    func deliver(_ number: Int, at time: Int64? = nil) async throws {
        try throwIn(number, at: time)
        let slot: UInt64 = 1 << UInt64((delivered - 1) % 8)
        try await waitUntil { self.pool.takeReturned(starving: false) & slot != 0 }
    }

    /// Delivers frames, each after the one before it has been returned.
    func deliver(_ numbers: Range<Int>) async throws {
        for number in numbers { try await deliver(number) }
    }

    func order(_ number: Int, name: String = "clip.mp4") -> MovieOrder {
        MovieOrder(id: UUID(), path: folder.path(of: name), moment: Self.time(number))
    }

    /// Waits for the next event; `nil` if there are no more.
    func nextEvent() async -> MovieEvent? { await events.next(isolation: #isolation) }

    /// Waits for the next end of a recording.
    func end() async throws -> Result<FinishedMovie, MovieError> {
        while let event = await nextEvent() {
            switch event {
            case .started: continue
            case .finished(let movie): return .success(movie)
            case .failed(_, let error): return .failure(error)
            }
        }
        throw MovieError(.noFrames, "no events come any more")
    }

    /// Returns the numbers of a movie's frames modulo 70, decoded by ffmpeg.
    func frames(of movie: FinishedMovie) throws -> [Int] {
        let raw = folder.path(of: "raw")
        let outcome = try Program.run(
            "ffmpeg",
            [
                "-v", "error", "-y", "-noautorotate", "-i", movie.path, "-fps_mode",
                "passthrough", "-f", "rawvideo", raw,
            ])
        try #require(outcome.status == 0, "\(outcome.text)")
        #expect(outcome.text == "")
        let bytes = try folder.contents(of: "raw")
        return stride(from: 24 * 64 + 32, to: bytes.count, by: 64 * 72).map { offset in
            (Int(bytes[offset]) - 20 + 1) / 3
        }
    }
}
