// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Codecs
import Foundation
import LinuxIO
import Media
import Recording
import TestSupport
import Testing

@Suite("MovieFileOutput", .ownThread, .timeLimit(.common))
struct MovieFileOutputTests {
    @Test("a movie holds every frame from its moment to its end, with its own time")
    func whole() async throws {
        let camera = try GreyCamera()
        try await camera.deliver(0..<5)
        #expect(camera.output.framesEncoded == 0)
        var wanted = camera.order(10)
        wanted.rotation = .quarter
        try camera.output.startRecording(wanted)
        #expect(camera.output.isRecording)
        try await camera.deliver(5..<70)
        camera.output.stopRecording()
        let movie = try await camera.end().get()
        #expect(try camera.frames(of: movie) == Array(10..<70))
        #expect(movie.id == wanted.id && movie.stopReason == .requested)
        #expect(movie.duration == 60 * GreyCamera.interval)
        #expect(movie.orientation.rotation == .quarter && movie.thumbnail != nil)
        #expect(movie.dimensions == Dimensions(width: 64, height: 48))
        #expect(try FileTree.entry(movie.path)?.bytes == movie.bytes)
        #expect(!camera.output.isRecording && camera.output.framesDropped == 0)
        #expect(try MovieFile.mend(movie.path)?.duration == movie.duration)
        await camera.output.close()
    }

    @Test("the pre-roll begins at a key frame, at most a second earlier than asked for")
    func preRoll() async throws {
        var settings = MovieSettings()
        settings.preRoll = 2_000_000_000
        let camera = try GreyCamera(settings)
        try await camera.deliver(0..<108)
        #expect((2_000_000_000...3_000_000_000).contains(camera.output.preRoll.duration))
        #expect(camera.output.preRoll.bytes > 0)
        try camera.output.startRecording(camera.order(108))
        try await camera.deliver(108..<118)
        camera.output.stopRecording()
        let movie = try await camera.end().get()
        let frames = try camera.frames(of: movie)
        let first = try #require(frames.first)
        // The numbers start again at 70.
        #expect((108 - 75...108 - 50).contains(first) && (first * 40) % 1000 == 0)
        #expect(frames == (first..<118).map { $0 % 70 })
        #expect(movie.duration == Int64(118 - first) * GreyCamera.interval)
        await camera.output.close()
    }

    @Test(
        "the pre-roll counts from the press, however late the order comes",
        arguments: [(1.2, MovieSettings().orderDelay), (4.2, 5_000_000_000)])
    func lateOrder(_ seconds: Double, _ delay: Int64) async throws {
        var settings = MovieSettings()
        settings.preRoll = 1_000_000_000
        settings.orderDelay = delay
        let camera = try GreyCamera(settings)
        let now = 30 + Int(seconds * 25)
        try await camera.deliver(0..<now)
        #expect((1_000_000_000...2_000_000_000).contains(camera.output.preRoll.duration))
        // The press is at frame 30. A gesture or a library entry delays the order.
        try camera.output.startRecording(camera.order(30))
        try await camera.deliver(now..<now + 5)
        camera.output.stopRecording()
        let frames = try camera.frames(of: try await camera.end().get())
        #expect(frames.first.map { (0...5).contains($0) } == true, "\(frames)")
        await camera.output.close()
    }

    @Test(
        "a pre-roll continues over a restart, and never comes from another camera",
        arguments: [0, 1])
    func preRollOfAnother(port: Int) async throws {
        var settings = MovieSettings()
        settings.preRoll = 1_000_000_000
        let camera = try GreyCamera(settings)
        try await camera.deliver(0..<60)
        camera.output.streamDidStop(willRestart: true)
        try camera.start(port: port)
        try await camera.deliver(60..<70)
        try camera.output.startRecording(camera.order(70))
        try await camera.deliver(70..<90)
        camera.output.stopRecording()
        let frames = try camera.frames(of: try await camera.end().get())
        // Frames may come before the output knows that the camera is another.
        #expect(port == 0 ? frames[0] < 50 : (60...62).contains(frames[0]), "\(frames)")
        // The numbers start again at 70.
        #expect(frames.last == 19)
        await camera.output.close()
    }

    @Test("a pre-roll uses its memory limit and does not exceed it")
    func boundedPreRoll() async throws {
        var settings = MovieSettings()
        settings.preRoll = 20_000_000_000
        settings.largestPreRollBytes = 60_000
        var random = Seeded(5)
        let noise = (0..<GreyCamera.size.width).map { _ in
            UInt8.random(in: 20...200, using: &random)
        }
        let camera = try GreyCamera(settings) { number, x, y in
            noise[(x &* y &+ number) % noise.count]
        }
        var most = 0
        for second in 0..<10 {
            try await camera.deliver(25 * second..<25 * (second + 1))
            most = max(most, camera.output.preRoll.bytes)
        }
        #expect(most <= 60_000 && most > 30_000, "\(most) bytes")
        let length = camera.output.preRoll.duration
        #expect(length > 0 && length < 9_000_000_000, "\(length) ns of 10 s")
        await camera.output.close()
    }

    @Test("a memory limit that is too small shortens the pre-roll")
    func smallPreRoll() async throws {
        var settings = MovieSettings()
        settings.preRoll = 3_000_000_000
        settings.largestPreRollBytes = 1
        let camera = try GreyCamera(settings)
        try await camera.deliver(0..<90)
        #expect(camera.output.preRoll.duration < 1_000_000_000)
        await camera.output.close()
    }

    @Test("a second start throws, an idle stop does nothing, and the next movie is separate")
    func oneAtATime() async throws {
        let camera = try GreyCamera()
        camera.output.stopRecording()
        try camera.output.startRecording(camera.order(0))
        #expect {
            try camera.output.startRecording(camera.order(0, name: "second.mp4"))
        } throws: {
            ($0 as? MovieError)?.code == .alreadyRecording
        }
        try await camera.deliver(0..<30)
        camera.output.stopRecording()
        camera.output.stopRecording()
        let first = try await camera.end().get()
        try camera.output.startRecording(camera.order(40, name: "second.mp4"))
        try await camera.deliver(30..<60)
        camera.output.stopRecording()
        let second = try await camera.end().get()
        #expect(try camera.frames(of: first) == Array(0..<30))
        #expect(try camera.frames(of: second) == Array(40..<60))
        await camera.output.close()
    }

    @Test("a movie that is stopped before its first picture still holds that picture")
    func shortest() async throws {
        let camera = try GreyCamera()
        try camera.output.startRecording(camera.order(0))
        camera.output.stopRecording()
        try await camera.deliver(0..<5)
        #expect(try await camera.end().get().duration == GreyCamera.interval)
        await camera.output.close()
    }

    @Test("a movie ends by itself at its longest duration, largest size or a full disk")
    func limits() async throws {
        let camera = try GreyCamera()
        var long = camera.order(0)
        long.maximumDuration = 30 * GreyCamera.interval
        try camera.output.startRecording(long)
        try await camera.deliver(0..<40)
        let first = try await camera.end().get()
        #expect(first.stopReason == .maximumDuration)
        #expect(first.duration == 30 * GreyCamera.interval)
        #expect(try camera.frames(of: first) == Array(0..<30))
        var large = camera.order(40, name: "large.mp4")
        large.maximumFileSize = 2000
        try camera.output.startRecording(large)
        try await camera.deliver(40..<400)
        let second = try await camera.end().get()
        #expect(second.stopReason == .maximumFileSize && second.bytes < 12_000)
        var full = camera.order(400, name: "full.mp4")
        full.minimumFreeBytes = .max
        try camera.output.startRecording(full)
        try await camera.deliver(400..<460)
        let third = try await camera.end().get()
        #expect(third.stopReason == .storageFull && third.duration > 0)
        await camera.output.close()
    }

    @Test("a movie continues over a restart of the stream, and is kept if the camera goes")
    func cameraGoes() async throws {
        let camera = try GreyCamera(rotation: 90)
        try camera.output.startRecording(camera.order(0))
        try await camera.deliver(0..<20)
        camera.output.streamDidStop(willRestart: true)
        try camera.start(rotation: 90)
        try await camera.deliver(25..<40)
        camera.output.streamDidStop(willRestart: false)
        let movie = try await camera.end().get()
        #expect(movie.stopReason == .cameraLost && movie.orientation.rotation == .quarter)
        #expect(try camera.frames(of: movie) == Array(0..<20) + Array(25..<40))
        // The picture before the gap stays.
        #expect(movie.duration == 40 * GreyCamera.interval)
        try camera.output.startRecording(camera.order(40, name: "none.mp4"))
        guard case .failure(let error) = try await camera.end() else {
            Issue.record("a movie without a camera")
            return
        }
        #expect(error.code == .noFrames && !camera.output.isRecording)
        await camera.output.close()
    }

    @Test("pictures of another size end a movie, and the next movie has them")
    func otherPictures() async throws {
        let camera = try GreyCamera()
        try camera.output.startRecording(camera.order(0))
        try await camera.deliver(0..<20)
        camera.output.streamDidStop(willRestart: true)
        try camera.start(#require(FrameDescription(.nv12, Dimensions(width: 66, height: 50))))
        #expect(try await camera.end().get().stopReason == .cameraLost)
        try camera.output.startRecording(camera.order(0, name: "second.mp4"))
        try await camera.deliver(0..<20)
        camera.output.stopRecording()
        #expect(try await camera.end().get().dimensions == Dimensions(width: 66, height: 50))
        await camera.output.close()
    }

    @Test("a recording without a written picture is no movie")
    func nothingToShow() async throws {
        let camera = try GreyCamera()
        try camera.start(
            FrameDescription(
                pixelFormat: .mjpeg, dimensions: GreyCamera.size,
                planes: [PlaneLayout(offset: 0, bytesPerRow: 0, rows: 0)], bufferSizes: [4096],
                color: .jpeg))
        try camera.output.startRecording(camera.order(0))
        try await camera.deliverGarbage(0..<5)
        camera.output.stopRecording()
        guard case .failure(let error) = try await camera.end() else {
            Issue.record("a movie without a picture")
            return
        }
        #expect(error.code == .noFrames && !camera.output.isRecording)
        await camera.output.close()
    }

    @Test("a movie continues in other files without a missing or repeated frame")
    func continued() async throws {
        let camera = try GreyCamera()
        var lengths: [Int64] = []
        func deliver(_ numbers: Range<Int>) async throws {
            for number in numbers {
                try await camera.deliver(number)
                lengths.append(camera.output.recordedInAll.duration)
            }
        }
        try camera.output.startRecording(camera.order(0))
        try await deliver(0..<20)
        var second = camera.order(20, name: "second.mp4")
        second.rotation = .quarter
        try camera.output.continueRecording(in: second)
        // The next key frame is the next frame.
        try await deliver(20..<40)
        let first = try await camera.end().get()
        try camera.output.continueRecording(in: camera.order(40, name: "third.mp4"))
        try await deliver(40..<60)
        #expect(camera.output.isRecording)
        // The total duration does not fall back when another file begins.
        try await waitUntil { camera.output.recordedInAll.duration == 59 * GreyCamera.interval }
        #expect(camera.output.recordedDuration == 19 * GreyCamera.interval)
        // The recordable duration is known from the files before.
        #expect(camera.output.recordableDuration != nil)
        #expect(lengths == lengths.sorted(), "\(lengths)")
        camera.output.stopRecording()
        let others = [try await camera.end().get(), try await camera.end().get()]
        #expect(
            first.stopReason == .continued && others.map(\.stopReason) == [.continued, .requested])
        #expect(others[0].id == second.id && others[0].orientation.rotation == .quarter)
        for (movie, numbers) in zip([first] + others, [0..<20, 20..<40, 40..<60]) {
            #expect(try camera.frames(of: movie) == Array(numbers))
            #expect(movie.duration == 20 * GreyCamera.interval && movie.thumbnail != nil)
        }
        let apart = others[0].wallTime - first.wallTime - 20 * GreyCamera.interval
        #expect(abs(apart) < 5_000_000)
        await camera.output.close()
    }

    @Test("a movie that has ended does not continue, and the file for it fails")
    func notContinued() async throws {
        let camera = try GreyCamera()
        let orphan = camera.order(0, name: "orphan.mp4")
        try camera.output.continueRecording(in: orphan)
        await #expect(throws: MovieError.self) { try await camera.end().get() }
        try camera.output.startRecording(camera.order(0))
        try await camera.deliver(0..<5)
        camera.output.pauseRecording()
        try await waitUntil { camera.output.isRecordingPaused }
        try camera.output.continueRecording(in: camera.order(5, name: "second.mp4"))
        try await camera.deliver(5..<10)
        camera.output.stopRecording()
        await #expect(throws: MovieError.self) { try await camera.end().get() }
        #expect(try camera.frames(of: try await camera.end().get()) == Array(0..<5))
        #expect(try FileTree.entry(orphan.path) == nil)
        await camera.output.close()
    }

    @Test("a movie continues in another file after its first picture, and after a pause")
    func continuedLater() async throws {
        let camera = try GreyCamera()
        try camera.output.startRecording(camera.order(0))
        try camera.output.continueRecording(in: camera.order(1, name: "second.mp4"))
        // The encoder makes key frames at its own rhythm.
        try await camera.deliver(0..<60)
        let first = try await camera.end().get()
        camera.output.pauseRecording()
        try await waitUntil { camera.output.isRecordingPaused }
        try camera.output.continueRecording(in: camera.order(60, name: "third.mp4"))
        try await camera.deliver(60..<65)
        camera.output.resumeRecording()
        try await waitUntil { !camera.output.isRecordingPaused }
        try await camera.deliver(65..<70)
        camera.output.stopRecording()
        let others = [try await camera.end().get(), try await camera.end().get()]
        #expect(
            [first.stopReason] + others.map(\.stopReason) == [.continued, .continued, .requested])
        let early = try camera.frames(of: first) + camera.frames(of: others[0])
        #expect(early == Array(0..<60))
        #expect(try camera.frames(of: others[1]) == Array(65..<70))
        await camera.output.close()
    }

    @Test("frames during a pause are left out, and the times join")
    func paused() async throws {
        let camera = try GreyCamera()
        try camera.output.startRecording(camera.order(0))
        try await camera.deliver(0..<20)
        camera.output.pauseRecording()
        try await waitUntil { camera.output.isRecordingPaused }
        try await camera.deliver(20..<45)
        camera.output.resumeRecording()
        try await waitUntil { !camera.output.isRecordingPaused }
        try await camera.deliver(45..<60)
        camera.output.stopRecording()
        let movie = try await camera.end().get()
        #expect(try camera.frames(of: movie) == Array(0..<20) + Array(45..<60))
        #expect(movie.duration == 35 * GreyCamera.interval)
        await camera.output.close()
    }

    @Test("frames for which the encoder has no time are counted and returned")
    func behind() async throws {
        let camera = try GreyCamera()
        try camera.output.startRecording(camera.order(0))
        try await camera.deliver(0..<1)
        // These are more frames at once than the queue has places.
        for number in 1..<8 { try camera.throwIn(number) }
        try await waitUntil {
            camera.output.framesEncoded + camera.output.framesDropped == 8
        }
        camera.output.stopRecording()
        let movie = try await camera.end().get()
        #expect(try camera.frames(of: movie).count == 8 - camera.output.framesDropped)
        await camera.output.close()
    }

    @Test("a file that cannot be written is reported, and the next movie succeeds")
    func unwritable() async throws {
        let camera = try GreyCamera()
        try camera.output.startRecording(camera.order(0, name: "missing/clip.mp4"))
        try await camera.deliver(0..<5)
        guard case .failure(let error) = try await camera.end() else {
            Issue.record("a movie in no folder")
            return
        }
        #expect(error.code == .storage && "\(error)".contains("No such file"))
        try await waitUntil { !camera.output.isRecording }
        try camera.output.startRecording(camera.order(5))
        try await camera.deliver(5..<20)
        camera.output.stopRecording()
        let movie = try await camera.end().get()
        #expect(try camera.frames(of: movie) == Array(5..<20))
        await camera.output.close()
    }

    @Test("close() ends the movie, which is kept")
    func closed() async throws {
        var settings = MovieSettings()
        settings.preRoll = 1_000_000_000
        let camera = try GreyCamera(settings)
        try camera.output.startRecording(camera.order(0))
        try await camera.deliver(0..<20)
        await camera.output.close()
        let movie = try await camera.end().get()
        #expect(movie.stopReason == .stopping)
        #expect(try camera.frames(of: movie) == Array(0..<20))
        #expect {
            try camera.output.startRecording(camera.order(20, name: "second.mp4"))
        } throws: {
            ($0 as? MovieError)?.code == .closed
        }
        // Every frame that comes now returns to the camera.
        try await camera.deliver(20..<40)
        #expect(!camera.output.isRecording && camera.output.framesEncoded == 20)
    }
}
