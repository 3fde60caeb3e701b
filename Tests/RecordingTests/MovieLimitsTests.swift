// SPDX-License-Identifier: GPL-3.0-or-later

import Codecs
import Glibc
import Media
import Recording
import TestSupport
import Testing

@Suite("Limits and progress of movies", .ownThread, .timeLimit(.common))
struct MovieLimitsTests {
    private static let interval = GreyCamera.interval

    @Test("the longest duration applies to each file of a continued movie")
    func durationOfEach() async throws {
        let camera = try GreyCamera()
        var (first, second) = (camera.order(0), camera.order(20, name: "second.mp4"))
        first.maximumDuration = 30 * Self.interval
        second.maximumDuration = 30 * Self.interval
        try camera.output.startRecording(first)
        try await camera.deliver(0..<20)
        try camera.output.continueRecording(in: second)
        try await camera.deliver(20..<60)
        let movies = [try await camera.end().get(), try await camera.end().get()]
        #expect(movies.map(\.stopReason) == [.continued, .maximumDuration])
        #expect(try camera.frames(of: movies[0]) == Array(0..<20))
        #expect(try camera.frames(of: movies[1]) == Array(20..<50))
        await camera.output.close()
    }

    @Test("a disk that is slower than the camera ends the movie, which is kept")
    func slowDisk() async throws {
        var settings = MovieSettings()
        // Unwritten bytes exceed this limit before the first picture.
        settings.mostUnwrittenBytes = -1
        let camera = try GreyCamera(settings)
        try camera.output.startRecording(camera.order(0))
        try await camera.deliver(0..<5)
        let movie = try await camera.end().get()
        #expect(movie.stopReason == .storageTooSlow)
        #expect(try camera.frames(of: movie).first == 0 && !camera.output.isRecording)
        await camera.output.close()
    }

    @Test("the largest size applies to each file of a continued movie")
    func sizeOfEach() async throws {
        let camera = try GreyCamera()
        try camera.output.startRecording(camera.order(0))
        var number = 0
        while camera.output.recordedFileSize < 2000 {
            try await camera.deliver(number)
            number += 1
        }
        var second = camera.order(number, name: "second.mp4")
        second.maximumFileSize = 2000
        try camera.output.continueRecording(in: second)
        try await camera.deliver(number..<number + 400)
        #expect(try await camera.end().get().stopReason == .continued)
        let movie = try await camera.end().get()
        #expect(movie.stopReason == .maximumFileSize)
        // A limit on both files together would leave only the first picture.
        #expect(movie.duration > 5 * Self.interval)
        await camera.output.close()
    }

    @Test("a movie's recordable duration is known from its size limit after one second")
    func recordable() async throws {
        let camera = try GreyCamera()
        #expect(camera.output.recordableDuration == nil)
        var order = camera.order(0)
        order.maximumFileSize = 1 << 20
        try camera.output.startRecording(order)
        try await camera.deliver(0..<24)
        #expect(camera.output.recordableDuration == nil)
        try await camera.deliver(24..<60)
        try await waitUntil {
            camera.output.recordedDuration == 59 * Self.interval
                && camera.output.recordableDuration != nil
        }
        let left = Double(try #require(camera.output.recordableDuration))
        let rate = Double(camera.output.recordedFileSize) / Double(camera.output.recordedDuration)
        let expected = (Double(1 << 20) - Double(camera.output.recordedFileSize)) / rate
        #expect(abs(left / expected - 1) < 0.001)
        camera.output.stopRecording()
        _ = try await camera.end().get()
        #expect(camera.output.recordableDuration == nil)
        await camera.output.close()
    }

    /// Returns a camera that has delivered frames 0 to 59. A movie that starts now has those from
    /// 25 on.
    private func cameraWithPreRoll() async throws -> GreyCamera {
        var settings = MovieSettings()
        settings.preRoll = 1_000_000_000
        let camera = try GreyCamera(settings)
        try await camera.deliver(0..<60)
        return camera
    }

    @Test("the longest duration includes the pre-roll")
    func durationWithPreRoll() async throws {
        let camera = try await cameraWithPreRoll()
        var order = camera.order(60)
        order.maximumDuration = 40 * Self.interval
        try camera.output.startRecording(order)
        try await camera.deliver(60..<68)
        let movie = try await camera.end().get()
        #expect(movie.stopReason == .maximumDuration && movie.duration == 40 * Self.interval)
        #expect(try camera.frames(of: movie) == Array(25..<65))
        await camera.output.close()
    }

    @Test("the largest size includes the pre-roll")
    func sizeWithPreRoll() async throws {
        let camera = try await cameraWithPreRoll()
        var order = camera.order(60)
        // The pre-roll exceeds this limit; its part from the last key frame on does not.
        order.maximumFileSize = camera.output.preRoll.bytes / 6
        try camera.output.startRecording(order)
        try await camera.deliver(60..<80)
        let movie = try await camera.end().get()
        #expect(movie.stopReason == .maximumFileSize)
        let frames = try camera.frames(of: movie)
        #expect(frames.first == 50, "\(frames), \(movie.bytes) of \(order.maximumFileSize ?? 0)")
        await camera.output.close()
    }

    @Test(
        "a movie has as much pre-roll as its longest duration allows, from a key frame on",
        arguments: [(15, 50), (10, 60)])
    func shorterThanPreRoll(_ frames: Int, first: Int) async throws {
        let camera = try await cameraWithPreRoll()
        var order = camera.order(60)
        order.maximumDuration = Int64(frames) * Self.interval
        try camera.output.startRecording(order)
        try await camera.deliver(60..<90)
        let movie = try await camera.end().get()
        #expect(movie.stopReason == .maximumDuration)
        #expect(movie.duration == Int64(frames) * Self.interval)
        let shown = try camera.frames(of: movie)
        #expect(shown == Array(first..<first + frames))
        // The thumbnail is the movie's first picture, and frames of the pre-roll have none.
        #expect((movie.thumbnail != nil) == (first == 60))
        await camera.output.close()
    }

    @Test("a movie that is paused before its first picture begins when it is resumed")
    func pausedAtFirst() async throws {
        let camera = try GreyCamera()
        let output = camera.output
        try output.startRecording(camera.order(0))
        output.pauseRecording()
        try await waitUntil { output.isRecordingPaused }
        try await camera.deliver(0..<10)
        #expect(output.isRecordingPaused && output.recordedDuration == 0)
        output.resumeRecording()
        try await waitUntil { !output.isRecordingPaused }
        try await camera.deliver(10..<20)
        output.stopRecording()
        let movie = try await camera.end().get()
        #expect(try camera.frames(of: movie) == Array(10..<20))
        #expect(movie.duration == 10 * Self.interval)
        await output.close()
    }

    @Test("a movie that is stopped while paused from its beginning leaves nothing")
    func pausedForGood() async throws {
        let camera = try GreyCamera()
        try camera.output.startRecording(camera.order(0))
        camera.output.pauseRecording()
        try await waitUntil { camera.output.isRecordingPaused }
        try await camera.deliver(0..<10)
        camera.output.stopRecording()
        let end = try await camera.end()
        let error = #expect(throws: MovieError.self) { try end.get() }
        #expect(error?.code == .noFrames && !camera.output.isRecordingPaused)
        await camera.output.close()
    }

    @Test("a movie ends, and is whole, at the largest file size, as on FAT")
    func largestFile() async throws {
        await #expect(processExitsWith: .success) {
            // Make this limit fail a write, as a file system does, instead of raising a signal.
            unsafe signal(SIGXFSZ, SIG_IGN)
            let camera = try GreyCamera(size: Dimensions(width: 320, height: 240)) { number, x, y in
                UInt8(truncatingIfNeeded: (number &* 7919 &+ x &* 104_729 &+ y &* 1_299_709) >> 3)
            }
            let most: rlim_t = 1 << 20
            var limit = rlimit(rlim_cur: most, rlim_max: most)
            guard unsafe setrlimit(__rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue)), &limit) == 0
            else { exit(2) }
            try camera.output.startRecording(camera.order(0))
            for number in 0..<600 where camera.output.isRecording {
                try await camera.deliver(number)
            }
            let movie = try await camera.end().get()
            guard movie.stopReason == .maximumFileSize, movie.bytes <= Int(most),
                movie.bytes > Int(most) / 4, try MovieFile.facts(movie.path) != nil
            else { exit(3) }
            // Pictures after the first one that did not fit are missing too.
            let probe = try Program.run(
                "ffprobe",
                ["-v", "error", "-show_entries", "packet=pts_time", "-of", "csv=p=0", movie.path])
            let times = probe.output.split(separator: "\n").compactMap {
                Double($0.filter { $0 != "," })
            }
            let steps = zip(times.dropFirst(), times).map { $0 - $1 }
            guard times.count > 20, steps.allSatisfy({ abs($0 - 0.04) < 0.001 }) else { exit(4) }
            exit(0)
        }
    }

    @Test("duration and size of a movie stand still during a pause, and leave it out")
    func progress() async throws {
        let camera = try GreyCamera()
        let output = camera.output
        try output.startRecording(camera.order(0))
        try await camera.deliver(0..<20)
        try await waitUntil { output.recordedDuration == 19 * Self.interval }
        let size = output.recordedFileSize
        #expect(size > 0)
        output.pauseRecording()
        try await waitUntil { output.isRecordingPaused }
        for number in 20..<45 {
            try await camera.deliver(number)
            #expect(output.recordedDuration == 19 * Self.interval)
            #expect(output.recordedFileSize == size)
        }
        output.resumeRecording()
        try await waitUntil { !output.isRecordingPaused }
        try await camera.deliver(45..<60)
        try await waitUntil { output.recordedDuration >= 34 * Self.interval }
        let (duration, whole) = (output.recordedDuration, output.recordedFileSize)
        #expect(duration == 34 * Self.interval && whole > size)
        output.stopRecording()
        let movie = try await camera.end().get()
        // The last picture is shown for an interval, and the file gets its index.
        #expect(movie.duration == duration + Self.interval && movie.bytes > whole)
        await output.close()
    }
}
