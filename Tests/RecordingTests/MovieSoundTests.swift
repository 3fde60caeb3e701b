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

/// When a microphone was heard last, by somebody beside the movie.
private final class Witness: Sendable {
    private let time = Atomic<Int64>(0)
    /// How often what it heard did not follow what was before it.
    let losses = Atomic<Int>(0)

    func hear(_ chunk: AudioChunk) {
        time.store(chunk.time, ordering: .relaxed)
        if chunk.isFirst { losses.add(1, ordering: .relaxed) }
    }
    func hasHeard(after moment: Int64) -> Bool { time.load(ordering: .relaxed) > moment }
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

    /// A movie that begins before its microphone is open begins without sound.
    private func waitUntilHeard(_ witness: Witness) async throws {
        try await waitUntil { witness.hasHeard(after: 0) }
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

    @Test(
        "a movie goes on with another microphone's sound if it is of the same format, else without any",
        arguments: NextMicrophone.allCases)
    func soundChanges(_ kind: NextMicrophone) async throws {
        let camera = try GreyCamera()
        let first = try Microphone(.named("Loopback,1"))
        let second = try kind.format.map { try Microphone(.named("Loopback,1"), $0) }
        let (witness, later) = (Witness(), Witness())
        let listeners = [first.listen { witness.hear($0) }, second?.listen { later.hear($0) }]
        for listener in listeners { listener?.setWanted(true) }
        try await waitUntilHeard(witness)
        camera.output.soundSourceDidChange(first)
        let begin = Clock.monotonic
        try camera.output.startRecording(
            MovieOrder(id: UUID(), path: camera.folder.path(of: "clip.mp4"), moment: begin))
        let number = try await film(camera, from: 0) {
            witness.hasHeard(after: begin + 2_000_000_000)
        }
        let change = Clock.monotonic
        camera.output.soundSourceDidChange(second)
        let end = change + 2_000_000_000
        let next = try await film(camera, from: number) {
            Clock.monotonic > end && (second == nil || later.hasHeard(after: end))
        }
        // However long the machine stood still before.
        try await camera.deliver(next, at: Clock.monotonic)
        camera.output.stopRecording()
        let movie = try await camera.end().get()
        withExtendedLifetime(listeners) {}
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
        let microphone = try Microphone(.named("Loopback,1"))
        let witness = Witness()
        let listener = microphone.listen { witness.hear($0) }
        listener.setWanted(true)
        try await waitUntilHeard(witness)
        camera.output.soundSourceDidChange(microphone)
        var (number, beginnings) = (0, [Double]())
        for clip in 0..<7 {
            let path = camera.folder.path(of: "\(clip).mp4")
            let begin = Clock.monotonic
            try camera.output.startRecording(MovieOrder(id: UUID(), path: path, moment: begin))
            number = try await film(camera, from: number) {
                witness.hasHeard(after: begin + 500_000_000)
            }
            camera.output.stopRecording()
            try await waitUntil { !camera.output.isRecording }
            // Sound goes on meanwhile.
            let pause = Clock.monotonic + 300_000_000
            try await waitUntil { witness.hasHeard(after: pause) }
            while let event = await camera.nextEvent() {
                if case .finished = event { break }
            }
            beginnings.append(try soundTimes(path).first ?? 1)
        }
        withExtendedLifetime(listener) {}
        #expect(beginnings.count == 7)
        // A machine that stands still may take some of a clip's; not of each.
        #expect(beginnings.sorted()[3] < 0.04, "\(beginnings)")
        await camera.output.close()
        await microphone.close()
    }

    @Test(
        "what is heard during a pause is left out, and nothing of what is heard around it, whether pictures or sound come first",
        arguments: [(0, 0), (150, 60), (60, 150)])
    func paused(before: Int64, after: Int64) async throws {
        let camera = try GreyCamera()
        let microphone = try Microphone(.named("Loopback,1"))
        let witness = Witness()
        let listener = microphone.listen { witness.hear($0) }
        listener.setWanted(true)
        try await waitUntilHeard(witness)
        camera.output.soundSourceDidChange(microphone)
        let begin = Clock.monotonic
        let losses = witness.losses.load(ordering: .relaxed)
        try camera.output.startRecording(
            MovieOrder(id: UUID(), path: camera.folder.path(of: "clip.mp4"), moment: begin))
        func film(from first: Int, _ seconds: Double, delay: Int64) async throws -> Int {
            let end = Clock.monotonic + Int64(seconds * 1e9)
            return try await self.film(camera, from: first, delay: delay * 1_000_000) {
                witness.hasHeard(after: end)
            }
        }
        var number = try await film(from: 0, 2, delay: before)
        camera.output.pauseRecording()
        number = try await film(from: number, 1.5, delay: before)
        camera.output.resumeRecording()
        _ = try await film(from: number, 2, delay: after)
        camera.output.stopRecording()
        let movie = try await camera.end().get()
        withExtendedLifetime(listener) {}
        let (sound, length) = (try soundTimes(movie.path), Double(movie.duration) / 1e9)
        let taken = Double(Clock.monotonic - begin) / 1e9
        #expect(length > 3 && length < taken - 1.2, "\(length) s of \(taken)")
        let gaps = zip(sound.dropFirst(), sound).map { $0 - $1 }
        // A packet lasts 21 ms; where the parts join one may be missing, and none comes in the midst of another. Where
        // the microphone itself lost samples there is a gap more.
        let lost = witness.losses.load(ordering: .relaxed) - losses
        #expect((gaps.min() ?? 0) > 0.01 && gaps.count { $0 >= 0.06 } <= lost, "\(gaps.sorted())")
        #expect(length - (sound.last ?? 0) < 0.1, "of \(length) s")
        #expect((sound.first ?? 1) < 0.1)
        await camera.output.close()
        await microphone.close()
    }
}
