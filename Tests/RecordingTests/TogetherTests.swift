// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Detection
import Foundation
import Glibc
import LinuxIO
import Media
import Recording
import Synchronization
import TestSupport
import Testing

/// Photos, a movie with sound, receivers of frames and sound, and metadata, all from one camera and
/// one microphone at the same time: vivid and snd-aloop on the virtual board.
@Suite(
    "Outputs together on V4L2 and ALSA", .serialized, .enabled(if: isVirtualBoard),
    .timeLimit(.common))
struct TogetherTests {
    /// How long the outputs run together.
    private let seconds = byTier(usual: 10, day: 60, full: 600)

    func camera() throws -> CaptureDeviceInput {
        let found = V4L2Camera.discover { $0.driver == "vivid" }.cameras
        let camera = try #require(found.first)
        return CaptureDeviceInput(
            device: CaptureDevice(uniqueID: "vivid", match: .init(path: camera.identity.path)),
            pixelFormat: .xrgb, dimensions: Dimensions(width: 640, height: 360), frameRate: 15)
    }

    /// Counts what is received, and how often it is out of order.
    private final class Seen: Sendable {
        let count = Atomic(0)
        let disorder = Atomic(0)
        let samples = Atomic(0)
        private let times = Mutex<(last: Int64, longestStep: Int64)>((0, 0))
        /// The longest time from one frame to the next, in nanoseconds.
        var longestStep: Int64 { times.withLock(\.longestStep) }
        func see(_ time: Int64) {
            count.add(1, ordering: .relaxed)
            let isLater = times.withLock { times in
                defer { times.last = time }
                if times.last > 0 {
                    times.longestStep = max(times.longestStep, time - times.last)
                }
                return time > times.last
            }
            if !isLater { disorder.add(1, ordering: .relaxed) }
        }
    }

    private final class Flag: Sendable {
        let value = Atomic(false)
    }

    @Test("all outputs run together, account for every frame and do not stall each other")
    func together() async throws {
        let folder = try TemporaryFolder()
        let session = try CaptureSession()
        let microphone = try Microphone(.named("Loopback,1"))
        var settings = MovieSettings()
        settings.preset = "ultrafast"
        settings.preRoll = 1_000_000_000
        let (photos, movies) = (PhotoOutput(), try MovieFileOutput(settings))
        let (frames, sound) = (Seen(), Seen())
        let video = try VideoDataOutput { lease in frames.see(lease.info.timestamp) }
        let isOver = Flag()
        let sleeper = try VideoDataOutput { _ in
            while !isOver.value.load(ordering: .acquiring) { usleep(10_000) }
        }
        let audio = try AudioDataOutput { chunk in
            sound.see(chunk.time)
            sound.samples.add(chunk.samples.count, ordering: .relaxed)
        }
        let told = Seen()
        let metadata = try MetadataOutput([.motion, .machineReadableCode], interval: 500_000_000) {
            _, time in told.see(time)
        }
        let input = try camera()
        try await session.configure { configuration in
            try configuration.addInput(input)
            try configuration.addInput(
                CaptureDeviceInput(device: CaptureDevice(microphone: microphone)))
            for output in [photos, movies, video, sleeper, audio, metadata] as [any CaptureOutput] {
                try configuration.addOutput(output)
            }
        }
        try await session.startRunning()
        let begin = Clock.monotonic
        let order = MovieOrder(id: UUID(), path: folder.path(of: "clip.mp4"), moment: begin)
        try movies.startRecording(order)
        var offsets: [Int64] = []
        for _ in 0..<seconds {
            try await Task.sleep(for: .seconds(1))
            offsets.append(try await photos.hold(Clock.monotonic).frame().offset)
        }
        movies.stopRecording()
        var events = movies.events.makeAsyncIterator()
        var finished: FinishedMovie?
        while finished == nil, let event = await events.next(isolation: #isolation) {
            if case .failed(_, let error) = event { throw error }
            if case .finished(let movie) = event { finished = movie }
        }
        await session.stopRunning()
        let lasted = Double(Clock.monotonic - begin) / 1e9
        await session.close()
        let slept = (sleeper.framesDelivered, sleeper.framesDropped)
        // Closing drops the chunk that waits.
        let overflowed = audio.chunksDropped
        isOver.value.store(true, ordering: .releasing)
        await sleeper.close()
        await video.close()
        await audio.close()
        await metadata.close()
        await movies.close()
        await microphone.close()

        let statistics = session.statistics
        let came = statistics.framesCaptured - statistics.framesDropped(.damaged)
        print(
            "together: \(came) frames in \(lasted) s; movie: \(movies.framesEncoded) and",
            "\(movies.framesDropped) dropped; data: \(video.framesDelivered) and",
            "\(video.framesDropped) dropped; sound: \(audio.chunksDelivered) and",
            "\(audio.chunksDropped) dropped")
        #expect(came > seconds * 5)
        #expect(movies.framesEncoded + movies.framesDropped + movies.framesUndecodable == came)
        #expect(video.framesDelivered + video.framesDropped == came)
        #expect(frames.count.load(ordering: .relaxed) == video.framesDelivered)
        #expect(frames.disorder.load(ordering: .relaxed) == 0)
        // The sleeper holds one frame, and one waits.
        #expect(slept == (1, came - 2))
        #expect(sleeper.framesDelivered + sleeper.framesDropped == came)
        #expect(
            metadata.framesExamined + metadata.framesPassedOver + metadata.framesDropped == came)
        #expect(metadata.framesExamined > 3 && told.disorder.load(ordering: .relaxed) == 0)
        #expect(overflowed == 0 && sound.disorder.load(ordering: .relaxed) == 0)
        // The microphone reports its losses.
        let heard = Double(sound.samples.load(ordering: .relaxed)) / 48_000
        #expect(microphone.status.overruns > 0 || abs(heard - lasted) < 1.5, "\(heard) \(lasted)")
        // The offset is at most the distance between frames, which were not all delivered.
        let farthest = max(500_000_000, frames.longestStep)
        #expect(offsets.count == seconds && offsets.allSatisfy { abs($0) < farthest })
        #expect(finished.map { $0.duration > Int64(seconds - 2) * 1_000_000_000 } == true)
        let probe = try Program.run(
            "ffprobe",
            ["-v", "error", "-show_entries", "stream=codec_name", "-of", "csv=p=0"]
                + [order.path])
        #expect(probe.text.contains("h264") && probe.text.contains("aac"))
    }

    @Test("an output added during a recording costs the movie no frame")
    func added() async throws {
        let folder = try TemporaryFolder()
        let session = try CaptureSession()
        var settings = MovieSettings()
        settings.preset = "ultrafast"
        settings.preRoll = 1_000_000_000
        let movies = try MovieFileOutput(settings)
        let input = try camera()
        try await session.configure { configuration in
            try configuration.addInput(input)
            try configuration.addOutput(movies)
        }
        try await session.startRunning()
        let begin = await session.running?.begin
        try movies.startRecording(
            MovieOrder(
                id: UUID(), path: folder.path(of: "clip.mp4"), moment: Clock.monotonic))
        let seen = Seen()
        let video = try VideoDataOutput { lease in seen.see(lease.info.timestamp) }
        // Measure what a shared machine loses anyway.
        try await Task.sleep(for: .seconds(6))
        let before = session.statistics
        for _ in 0..<3 {
            try await Task.sleep(for: .seconds(1))
            try await session.configure { try $0.addOutput(video) }
            try await Task.sleep(for: .seconds(1))
            try await session.configure { $0.removeOutput(video) }
        }
        // All of it was one stream.
        let end = try await session.startRunning().begin
        movies.stopRecording()
        await session.stopRunning()
        let statistics = session.statistics
        let came = statistics.framesCaptured - statistics.framesDropped(.damaged)
        await session.close()
        await movies.close()
        await video.close()
        #expect(begin == end && statistics.streamRestarts == 0)
        #expect(seen.count.load(ordering: .relaxed) > 0)
        #expect(seen.count.load(ordering: .relaxed) < came)
        #expect(movies.framesEncoded + movies.framesDropped == came)
        let usual = before.framesDropped(.driver)
        #expect(statistics.framesDropped(.driver) - usual <= came / 4 + 2 * usual)
    }
}
