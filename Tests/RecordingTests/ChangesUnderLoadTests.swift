// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Foundation
import LinuxIO
import Media
import Recording
import Synchronization
import TestSupport
import Testing

/// Keeps every processor busy until its end.
private final class Load: Sendable {
    private let isOver = Atomic(false)

    init() {
        for number in 0..<ProcessInfo.processInfo.activeProcessorCount {
            _ = NamedThread("load-\(number)") { [self] in
                while !isOver.load(ordering: .relaxed) {}
            }
        }
    }
    func end() { isOver.store(true, ordering: .relaxed) }
}

/// Runs on the virtual board, where vivid makes every picture with the processor.
extension TogetherTests {
    private static let changes: [(format: PixelFormat, preset: Preset)] = [
        (.xrgb, .vga640x480), (.yuyv, .vga640x480), (.yuyv, .low), (.rgb24, .medium),
        (.xrgb, .hd1280x720), (.xrgb, .low), (.nv12, .vga640x480), (.nv12, .hd1280x720),
        (.grey, .vga640x480), (.yuyv, .hd1280x720), (.rgb565, .vga640x480), (.xrgb, .medium),
    ]

    private func running(_ session: CaptureSession) async throws -> RunningStream {
        var running: RunningStream?
        try await waitUntil {
            running = await session.running
            return running != nil
        }
        return try #require(running)
    }

    @Test("photos, movies and frame counts survive changes of preset and format under load")
    func changed() async throws {
        let folder = try TemporaryFolder()
        let session = try CaptureSession()
        var settings = MovieSettings()
        settings.preset = "ultrafast"
        let (photos, movies) = (PhotoOutput(), try MovieFileOutput(settings))
        let video = try VideoDataOutput { _ in }
        let device = try camera().device
        try await session.configure { configuration in
            for output in [photos, movies, video] as [any CaptureOutput] {
                try configuration.addOutput(output)
            }
        }
        let events = Task {
            var told: [MovieEvent] = []
            for await event in movies.events { told.append(event) }
            return told
        }
        let load = Load()
        defer { load.end() }
        var orders = 0
        for (number, change) in Self.changes.enumerated() {
            try await session.configure { configuration in
                configuration.removeInput()
                configuration.preset = change.preset
                try configuration.addInput(
                    CaptureDeviceInput(
                        device: device, pixelFormat: change.format, frameRate: 15))
            }
            if number == 0 { try await session.startRunning() }
            let format = try await running(session).activeFormat
            #expect(format.pixelFormat == change.format)
            if let exactly = change.preset.dimensions { #expect(format.dimensions == exactly) }
            let photo = try await photos.hold(Clock.monotonic).frame()
            #expect(photo.description.dimensions == format.dimensions)
            #expect(photo.description.pixelFormat == format.pixelFormat)
            try await waitUntil { !movies.isRecording }
            // The next change comes in the middle of this movie.
            try movies.startRecording(
                MovieOrder(
                    id: UUID(), path: folder.path(of: "\(number).mp4"), moment: Clock.monotonic))
            orders += 1
            // A movie that fails has already ended; the loop over the events reports it.
            try await waitUntil { movies.recordedDuration > 300_000_000 || !movies.isRecording }
            if number % 3 == 2 {
                movies.stopRecording()
                try await waitUntil { !movies.isRecording }
            }
        }
        await session.close()
        load.end()
        await movies.close()
        await video.close()

        let statistics = session.statistics
        let came = statistics.framesCaptured - statistics.framesDropped(.damaged)
        #expect(video.framesDelivered + video.framesDropped == came)
        var reasons: [MovieStopReason] = []
        for event in await events.value {
            if case .failed(_, let error) = event { Issue.record("\(error)") }
            guard case .finished(let movie) = event else { continue }
            reasons.append(movie.stopReason)
            // Use the movie's own times: two pictures under load may be closer than a frame rate
            // can express.
            let decoded = try Program.run(
                "ffmpeg",
                [
                    "-v", "error", "-i", movie.path, "-fps_mode", "passthrough", "-enc_time_base",
                    "-1", "-f", "null", "-",
                ])
            #expect(decoded.status == 0 && decoded.text.isEmpty, "\(decoded.text)")
            #expect(movie.duration > 300_000_000)
        }
        #expect(reasons.count == orders)
        #expect(reasons.count { $0 == .cameraLost } == orders - orders / 3)
    }
}
