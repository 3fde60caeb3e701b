// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Foundation
import LinuxIO
import Media
import Recording
import Synchronization
import TestSupport
import Testing

/// The microphone that replaces a movie's first one.
enum NextMicrophone: CaseIterable, Sendable {
    case ofSameFormat, ofOtherFormat, missing

    /// The format of its sound; `nil` if there is no other microphone.
    var format: AudioFormat? {
        switch self {
        case .ofSameFormat: AudioFormat(sampleRate: 48_000, channels: 1)
        case .ofOtherFormat: AudioFormat(sampleRate: 48_000, channels: 2)
        case .missing: nil
        }
    }
}

/// An open microphone, and the time at which a listener other than the movie last heard it.
private final class HeardMicrophone: Sendable {
    let microphone: Microphone
    private let time = Atomic<Int64>(0)
    /// The number of chunks that did not continue the one before.
    let losses = Atomic<Int>(0)
    private let listener = Mutex<Microphone.Listener?>(nil)

    init(_ format: AudioFormat? = nil) throws {
        microphone =
            try format.map { try Microphone(.named("Loopback,1"), $0) }
            ?? Microphone(.named("Loopback,1"))
        let listener = microphone.listen { [weak self] in self?.hear($0) }
        listener.setWanted(true)
        self.listener.withLock { $0 = listener }
    }

    private func hear(_ chunk: AudioChunk) {
        time.store(chunk.time, ordering: .relaxed)
        if chunk.isFirst { losses.add(1, ordering: .relaxed) }
    }

    func hasHeard(after moment: Int64) -> Bool { time.load(ordering: .relaxed) > moment }

    /// Waits for the first sound. A movie that begins before its microphone is open begins without
    /// sound.
    func waitUntilHeard() async throws { try await waitUntil { hasHeard(after: 0) } }

    func close() async {
        listener.withLock { $0 = nil }
        await microphone.close()
    }
}

/// Runs on the virtual board, with snd-aloop's sound: silence while nothing plays.
extension TogetherTests {
    /// Delivers frames in real time, by the clock of the sound, until `isOver`.
    ///
    /// - Parameter delay: The nanoseconds from a frame's exposure to its delivery.
    /// - Returns: The number of the next frame.
    private func film(
        _ camera: GreyCamera, from first: Int, delay: Int64 = 0, until isOver: () -> Bool
    ) async throws -> Int {
        var number = first
        while !isOver() {
            try await camera.deliver(number, at: Clock.monotonic - delay)
            number += 1
            // Wait until the next frame.
            try await Task.sleep(for: .nanoseconds(GreyCamera.interval))
        }
        return number
    }

    /// Returns the time of each packet of sound, in seconds from the movie's beginning.
    private func soundTimes(_ path: String) throws -> [Double] {
        try Program.run(
            "ffprobe",
            [
                "-v", "error", "-select_streams", "a", "-show_entries", "packet=pts_time", "-of",
                "csv=p=0", path,
            ]
        ).output.split(separator: "\n").compactMap { Double($0.filter { $0 != "," }) }
    }

    /// Waits until the microphone is heard, and gives its sound to the camera's output.
    private func connect(_ camera: GreyCamera, _ microphone: HeardMicrophone) async throws {
        try await microphone.waitUntilHeard()
        camera.output.soundSourceDidChange(microphone.microphone)
    }

    /// Starts recording `clip.mp4`, and returns the time of the start.
    private func record(_ camera: GreyCamera) throws -> Int64 {
        let begin = Clock.monotonic
        try camera.output.startRecording(
            MovieOrder(id: UUID(), path: camera.folder.path(of: "clip.mp4"), moment: begin))
        return begin
    }

    @Test(
        "a movie continues with another microphone of the same format, else without sound",
        arguments: NextMicrophone.allCases)
    func soundChanges(_ kind: NextMicrophone) async throws {
        let camera = try GreyCamera()
        let first = try HeardMicrophone()
        let second = try kind.format.map { try HeardMicrophone($0) }
        try await connect(camera, first)
        let begin = try record(camera)
        let number = try await film(camera, from: 0) {
            first.hasHeard(after: begin + 2_000_000_000)
        }
        let change = Clock.monotonic
        camera.output.soundSourceDidChange(second?.microphone)
        let end = change + 2_000_000_000
        let next = try await film(camera, from: number) {
            Clock.monotonic > end && second?.hasHeard(after: end) != false
        }
        // Deliver one frame now, however long the machine stalled before.
        try await camera.deliver(next, at: Clock.monotonic)
        camera.output.stopRecording()
        let movie = try await camera.end().get()
        let sound = try soundTimes(movie.path)
        let (length, changed) = (Double(movie.duration) / 1e9, Double(change - begin) / 1e9)
        let last = try #require(sound.last)
        #expect(length > changed + 1.5)
        #expect(sound.contains { $0 > 1 && $0 < changed })
        if kind == .ofSameFormat {
            #expect(last > length - 0.5, "of \(length) s")
        } else {
            #expect(last < changed + 0.5, "changed at \(changed) s")
        }
        await camera.output.close()
        await first.close()
        await second?.close()
    }

    @Test("every movie without pre-roll has sound from its beginning")
    func again() async throws {
        let camera = try GreyCamera()
        let microphone = try HeardMicrophone()
        try await connect(camera, microphone)
        var (number, beginnings) = (0, [Double]())
        for clip in 0..<7 {
            let path = camera.folder.path(of: "\(clip).mp4")
            let begin = Clock.monotonic
            try camera.output.startRecording(MovieOrder(id: UUID(), path: path, moment: begin))
            number = try await film(camera, from: number) {
                microphone.hasHeard(after: begin + 500_000_000)
            }
            camera.output.stopRecording()
            try await waitUntil { !camera.output.isRecording }
            // Sound continues meanwhile.
            let pause = Clock.monotonic + 300_000_000
            try await waitUntil { microphone.hasHeard(after: pause) }
            while let event = await camera.nextEvent() {
                if case .finished = event { break }
            }
            beginnings.append(try soundTimes(path).first ?? 1)
        }
        #expect(beginnings.count == 7)
        // A stalled machine may cost some movies their first sound, but not most of them.
        #expect(beginnings.sorted()[3] < 0.04, "\(beginnings)")
        await camera.output.close()
        await microphone.close()
    }

    @Test("a pre-roll has sound from its first picture on, however sparse its pictures are")
    func besideFewPictures() async throws {
        var settings = MovieSettings()
        settings.preRoll = 1_000_000_000
        let camera = try GreyCamera(settings)
        let microphone = try HeardMicrophone()
        try await connect(camera, microphone)
        let begin = Clock.monotonic
        // The pictures come as rarely as from an encoder that is far behind.
        for number in 0..<2 {
            let time = begin + Int64(number) * 6_000_000_000
            try await waitUntil { microphone.hasHeard(after: time) }
            try await camera.deliver(number, at: time)
        }
        let moment = begin + 6_500_000_000
        try await waitUntil { microphone.hasHeard(after: moment) }
        try camera.output.startRecording(
            MovieOrder(id: UUID(), path: camera.folder.path(of: "clip.mp4"), moment: moment))
        try await camera.deliver(2, at: moment)
        camera.output.stopRecording()
        let movie = try await camera.end().get()
        #expect(movie.duration >= 6_500_000_000)
        #expect(try soundTimes(movie.path).first ?? 7 < 0.1)
        await camera.output.close()
        await microphone.close()
    }

    @Test(
        "a pause leaves out its own sound and no other, whether pictures or sound lead",
        arguments: [(0, 0), (150, 60), (60, 150)])
    func paused(before: Int64, after: Int64) async throws {
        let camera = try GreyCamera()
        let microphone = try HeardMicrophone()
        try await connect(camera, microphone)
        let losses = microphone.losses.load(ordering: .relaxed)
        let begin = try record(camera)
        func film(from first: Int, _ seconds: Double, delay: Int64) async throws -> Int {
            let end = Clock.monotonic + Int64(seconds * 1e9)
            return try await self.film(camera, from: first, delay: delay * 1_000_000) {
                microphone.hasHeard(after: end)
            }
        }
        var number = try await film(from: 0, 2, delay: before)
        camera.output.pauseRecording()
        number = try await film(from: number, 1.5, delay: before)
        camera.output.resumeRecording()
        _ = try await film(from: number, 2, delay: after)
        camera.output.stopRecording()
        let movie = try await camera.end().get()
        let (sound, length) = (try soundTimes(movie.path), Double(movie.duration) / 1e9)
        let taken = Double(Clock.monotonic - begin) / 1e9
        #expect(length > 3 && length < taken - 1.2, "\(length) s of \(taken)")
        let gaps = zip(sound.dropFirst(), sound).map { $0 - $1 }
        // A packet lasts 21 ms. One may be missing where the parts join, and none overlaps another.
        // Each loss of samples by the microphone adds a gap.
        let lost = microphone.losses.load(ordering: .relaxed) - losses
        #expect((gaps.min() ?? 0) > 0.01 && gaps.count { $0 >= 0.06 } <= lost, "\(gaps.sorted())")
        #expect(length - (sound.last ?? 0) < 0.1, "of \(length) s")
        // Samples lost at the beginning make no gap, but delay the first packet.
        #expect((sound.first ?? 1) < 0.1 || lost > 0, "\(sound.first ?? 1) s, \(lost) lost")
        await camera.output.close()
        await microphone.close()
    }

    @Test("sound that a stalled movie does not take is counted; other outputs miss none")
    func untaken() async throws {
        let camera = try GreyCamera()
        let microphone = try HeardMicrophone()
        let audio = try AudioDataOutput { _ in }
        let frame = try #require(FrameDescription(.xrgb, Dimensions(width: 16, height: 16)))
        audio.soundSourceDidChange(microphone.microphone)
        audio.streamDidStart(
            StreamDescription(frame: frame, frameInterval: 0),
            on: CaptureConnection(output: audio))
        try await connect(camera, microphone)
        let begin = try record(camera)
        var number = try await film(camera, from: 0) {
            microphone.hasHeard(after: begin + 1_000_000_000)
        }
        // The control: the encoder's thread takes all sound.
        #expect(camera.output.soundChunksDropped == 0)
        let said = camera.folder.path(of: "said")
        let freezer = try ChildProcess(
            "/usr/bin/env", ["freeze-thread", "\(getpid())", "movie-encoder"], output: said)
        defer { freezer.terminate() }
        try await waitUntil {
            try #require(freezer.isRunning)
            return try readSmallFile(said) == "frozen\n"
        }
        // The thread is frozen, and no frame comes that would get it replaced. The oldest sound is
        // dropped after some seconds.
        try await waitUntil { camera.output.soundChunksDropped >= 10 }
        freezer.terminate()
        freezer.wait()
        try await camera.deliver(number, at: Clock.monotonic)
        number += 1
        let dropped = camera.output.soundChunksDropped
        let end = Clock.monotonic
        _ = try await film(camera, from: number) { microphone.hasHeard(after: end + 1_000_000_000) }
        camera.output.stopRecording()
        let movie = try await camera.end().get()
        let sound = try soundTimes(movie.path)
        let gaps = zip(sound.dropFirst(), sound).map { $0 - $1 }
        // A packet lasts 21 ms, and ten chunks last far longer.
        #expect((gaps.max() ?? 0) > 0.1, "\(dropped) dropped, \(gaps.sorted().suffix(3))")
        #expect(camera.output.soundChunksDropped == dropped)
        #expect(camera.output.framesDropped == 0 && audio.chunksDropped == 0)
        await camera.output.close()
        await audio.close()
        await microphone.close()
    }
}
