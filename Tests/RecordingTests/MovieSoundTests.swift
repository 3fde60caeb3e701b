// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Foundation
import LinuxIO
import Media
import Recording
import Synchronization
import TestSupport
import Testing

/// What follows a movie's microphone.
enum NextMicrophone: CaseIterable, Sendable {
    case ofSameFormat, ofOtherFormat, missing

    /// Of what it delivers; `nil` where there is no other one.
    var format: AudioFormat? {
        switch self {
        case .ofSameFormat: AudioFormat(sampleRate: 48_000, channels: 1)
        case .ofOtherFormat: AudioFormat(sampleRate: 48_000, channels: 2)
        case .missing: nil
        }
    }
}

/// An open microphone, and when somebody beside the movie heard it last.
private final class HeardMicrophone: Sendable {
    let microphone: Microphone
    private let time = Atomic<Int64>(0)
    /// How often what was heard did not follow what was before it.
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

    /// A movie that begins before its microphone is open begins without sound.
    func waitUntilHeard() async throws { try await waitUntil { hasHeard(after: 0) } }

    func close() async {
        listener.withLock { $0 = nil }
        await microphone.close()
    }
}

/// On the virtual board: snd-aloop's sound, which is silence as long as nobody plays any.
extension TogetherTests {
    /// Films in the sound's own time.
    ///
    /// - Parameter delay: of a frame on its way here, nanoseconds.
    /// - Returns: the number of the next frame.
    private func film(
        _ camera: GreyCamera, from first: Int, delay: Int64 = 0, until isOver: () -> Bool
    ) async throws -> Int {
        var number = first
        while !isOver() {
            try await camera.deliver(number, at: Clock.monotonic - delay)
            number += 1
            // Until the next frame.
            try await Task.sleep(for: .nanoseconds(GreyCamera.interval))
        }
        return number
    }

    /// Seconds from a movie's beginning, of each packet of sound.
    private func soundTimes(_ path: String) throws -> [Double] {
        try Program.run(
            "ffprobe",
            [
                "-v", "error", "-select_streams", "a", "-show_entries", "packet=pts_time", "-of",
                "csv=p=0", path,
            ]
        ).output.split(separator: "\n").compactMap { Double($0.filter { $0 != "," }) }
    }

    /// The camera has the sound of a microphone that is heard by then.
    private func connect(_ camera: GreyCamera, _ microphone: HeardMicrophone) async throws {
        try await microphone.waitUntilHeard()
        camera.output.soundSourceDidChange(microphone.microphone)
    }

    /// Begins `clip.mp4`, and answers when that was.
    private func record(_ camera: GreyCamera) throws -> Int64 {
        let begin = Clock.monotonic
        try camera.output.startRecording(
            MovieOrder(id: UUID(), path: camera.folder.path(of: "clip.mp4"), moment: begin))
        return begin
    }

    @Test(
        "a movie goes on with another microphone's sound if it is of the same format, else without any",
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
        // However long the machine stood still before.
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

    @Test(
        "a movie without a pre-roll has sound from its beginning, also where the microphone was open all the time"
    )
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
            // Sound goes on meanwhile.
            let pause = Clock.monotonic + 300_000_000
            try await waitUntil { microphone.hasHeard(after: pause) }
            while let event = await camera.nextEvent() {
                if case .finished = event { break }
            }
            beginnings.append(try soundTimes(path).first ?? 1)
        }
        #expect(beginnings.count == 7)
        // A machine that stands still may take some of a clip's; not of each.
        #expect(beginnings.sorted()[3] < 0.04, "\(beginnings)")
        await camera.output.close()
        await microphone.close()
    }

    @Test("a pre-roll has sound from its first picture on, however far apart its pictures are")
    func besideFewPictures() async throws {
        var settings = MovieSettings()
        settings.preRoll = 1_000_000_000
        let camera = try GreyCamera(settings)
        let microphone = try HeardMicrophone()
        try await connect(camera, microphone)
        let begin = Clock.monotonic
        // As an encoder delivers them that is far behind.
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
        "what is heard during a pause is left out, and nothing of what is heard around it, whether pictures or sound come first",
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
        // A packet lasts 21 ms; where the parts join one may be missing, and none comes in the midst of another. Where
        // the microphone itself lost samples there is a gap more.
        let lost = microphone.losses.load(ordering: .relaxed) - losses
        #expect((gaps.min() ?? 0) > 0.01 && gaps.count { $0 >= 0.06 } <= lost, "\(gaps.sorted())")
        #expect(length - (sound.last ?? 0) < 0.1, "of \(length) s")
        // What it lost at the beginning is no gap.
        #expect((sound.first ?? 1) < 0.1 || lost > 0, "\(sound.first ?? 1) s, \(lost) lost")
        await camera.output.close()
        await microphone.close()
    }

    @Test("sound that nobody takes is counted, and missing in the movie; nobody else misses any")
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
        // The control: the encoder's thread takes it.
        #expect(camera.output.soundChunksDropped == 0)
        let said = camera.folder.path(of: "said")
        let freezer = try ChildProcess(
            "/usr/bin/env", ["freeze-thread", "\(getpid())", "movie-encoder"], output: said)
        defer { freezer.terminate() }
        try await waitUntil {
            try #require(freezer.isRunning)
            return try readSmallFile(said) == "frozen\n"
        }
        // It stands still, and as no frame comes nobody gives it up: behind some seconds of sound the oldest makes way.
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
        // A packet lasts 21 ms, ten chunks far longer.
        #expect((gaps.max() ?? 0) > 0.1, "\(dropped) dropped, \(gaps.sorted().suffix(3))")
        #expect(camera.output.soundChunksDropped == dropped)
        #expect(camera.output.framesDropped == 0 && audio.chunksDropped == 0)
        await camera.output.close()
        await audio.close()
        await microphone.close()
    }
}
