// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Codecs
import Foundation
import Media
import Recording
import TestSupport
import Testing

@Suite("Files and events of movies", .ownThread, .timeLimit(.common))
struct MovieEventsTests {
    /// What happens until nothing does any more.
    private func story(of camera: GreyCamera, _ orders: [MovieOrder]) async -> [String] {
        let names = Dictionary(
            uniqueKeysWithValues: zip(orders.map(\.id), ["first", "second", "third"]))
        var story: [String] = []
        while let event = await camera.nextEvent() {
            switch event {
            case .started(let id): story.append("\(names[id] ?? "another") started")
            case .finished(let movie):
                story.append("\(names[movie.id] ?? "another") \(movie.stopReason.rawValue)")
            case .failed(let id, _): story.append("\(names[id] ?? "another") failed")
            }
        }
        return story
    }

    @Test(
        "a movie starts before it finishes, and has finished before the one starts in which it goes on"
    )
    func order() async throws {
        let camera = try GreyCamera()
        let orders = [camera.order(0), camera.order(20, name: "second.mp4")]
        try camera.output.startRecording(orders[0])
        try await camera.deliver(0..<20)
        try camera.output.continueRecording(in: orders[1])
        try await camera.deliver(20..<40)
        camera.output.stopRecording()
        await camera.output.close()
        #expect(
            await story(of: camera, orders) == [
                "first started", "first continued", "second started", "second requested",
            ])
    }

    @Test(
        "a movie that has no picture yet is of the stream that begins next, whatever its pictures are",
        arguments: [0.0, 1.0])
    func orderedBetweenStreams(preRoll: Double) async throws {
        var settings = MovieSettings()
        settings.preRoll = Int64(preRoll * 1e9)
        let camera = try GreyCamera(settings)
        try await camera.deliver(0..<30)
        camera.output.streamDidStop(willRestart: true)
        try camera.output.startRecording(camera.order(30))
        let size = Dimensions(width: 96, height: 64)
        try camera.start(try #require(FrameDescription(.nv12, size)), port: 1)
        try await camera.deliver(30..<45)
        camera.output.stopRecording()
        let movie = try await camera.end().get()
        #expect(movie.stopReason == .requested && movie.dimensions == size)
        // A stream that does not come ends it.
        camera.output.streamDidStop(willRestart: true)
        try camera.output.startRecording(camera.order(45, name: "second.mp4"))
        camera.output.streamDidStop(willRestart: false)
        let error = await #expect(throws: MovieError.self) { try await camera.end().get() }
        #expect(error?.code == .noFrames)
        await camera.output.close()
    }

    @Test("where no movie comes of an order, nobody wants the microphone any more")
    func microphone() async throws {
        var settings = MovieSettings()
        // Of frames in memory of their own there is none.
        settings.encoder = .v4l2
        let camera = try GreyCamera(settings)
        // One that cannot be had, which is a problem for as long as anybody wants it.
        let microphone = try Microphone(.named("Nobody,0"))
        camera.output.soundSourceDidChange(microphone)
        #expect(camera.output.encoderProblem == nil)
        try camera.output.startRecording(camera.order(0))
        try await waitUntil { microphone.status.problem != nil }
        try await camera.deliver(0)
        await #expect(throws: MovieError.self) { try await camera.end().get() }
        #expect(camera.output.encoderProblem?.code == .noEncoder)
        try await waitUntil { microphone.status.problem == nil }
        await camera.output.close()
        await microphone.close()
    }

    @Test("a movie begins with the frame of its very moment, to the nanosecond")
    func moment() async throws {
        let camera = try GreyCamera()
        let moment: Int64 = 5_000_000_999
        try camera.output.startRecording(
            MovieOrder(id: UUID(), path: camera.folder.path(of: "clip.mp4"), moment: moment))
        for number in 0..<5 {
            try await camera.deliver(number, at: moment + Int64(number) * GreyCamera.interval)
        }
        camera.output.stopRecording()
        #expect(try camera.frames(of: try await camera.end().get()) == Array(0..<5))
        await camera.output.close()
    }

    @Test("of two files in which a movie is to go on with the same key frame, the first one fails")
    func replaced() async throws {
        let camera = try GreyCamera()
        let orders = [
            camera.order(0), camera.order(20, name: "second.mp4"),
            camera.order(20, name: "third.mp4"),
        ]
        try camera.output.startRecording(orders[0])
        try await camera.deliver(0..<20)
        try camera.output.continueRecording(in: orders[1])
        try camera.output.continueRecording(in: orders[2])
        try await camera.deliver(20..<40)
        camera.output.stopRecording()
        await camera.output.close()
        let story = await story(of: camera, orders)
        #expect(story.filter { $0.hasPrefix("second") } == ["second failed"])
        #expect(
            story.filter { !$0.hasPrefix("second") } == [
                "first started", "first continued", "third started", "third requested",
            ])
    }

    @Test("after the output is closed no movie goes on: who asks for it is told")
    func closed() async throws {
        let camera = try GreyCamera()
        let orders = [camera.order(0), camera.order(5, name: "second.mp4")]
        try camera.output.startRecording(orders[0])
        try await camera.deliver(0..<5)
        await camera.output.close()
        #expect {
            try camera.output.continueRecording(in: orders[1])
        } throws: {
            ($0 as? MovieError)?.code == .closed
        }
        #expect(await story(of: camera, orders) == ["first started", "first stopping"])
    }

    @Test("where there is a file already no movie is written, and the file stays as it is")
    func occupied() async throws {
        let camera = try GreyCamera()
        try camera.folder.write([1, 2, 3], to: "clip.mp4")
        try camera.output.startRecording(camera.order(0))
        try await camera.deliver(0..<5)
        guard case .failure(let error) = try await camera.end() else {
            Issue.record("a movie over another file")
            return
        }
        #expect(error.code == .storage && "\(error)".contains("File exists"))
        #expect(try camera.folder.contents(of: "clip.mp4") == [1, 2, 3])
        await camera.output.close()
    }

    @Test(
        "a movie that is to go on where there is a file already is kept up to there, and so is the file"
    )
    func occupiedLater() async throws {
        let camera = try GreyCamera()
        try camera.folder.write([1, 2, 3], to: "second.mp4")
        try camera.output.startRecording(camera.order(0))
        try await camera.deliver(0..<20)
        try camera.output.continueRecording(in: camera.order(20, name: "second.mp4"))
        try await camera.deliver(20..<25)
        let movie = try await camera.end().get()
        #expect(movie.stopReason == .continued)
        #expect(try camera.frames(of: movie) == Array(0..<20))
        let error = await #expect(throws: MovieError.self) { try await camera.end().get() }
        #expect(error?.code == .storage)
        #expect(try camera.folder.contents(of: "second.mp4") == [1, 2, 3])
        await camera.output.close()
    }

    /// Records five frames in another program (Bench/main.swift).
    ///
    /// - Parameter error: how its file's first fdatasync(2) fails, by strace; `nil`: it does not.
    /// - Returns: what the program said, and how often fdatasync(2) was called.
    private func recordElsewhere(
        _ path: String, in folder: TemporaryFolder, failing error: String? = nil
    ) throws -> (outcome: Program.Outcome, calls: Int) {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let bench = URL(filePath: tests).deletingLastPathComponent().path + "/movie-bench"
        let raw = try folder.write([UInt8](repeating: 128, count: 64 * 48 * 3 / 2), to: "raw")
        let trace = folder.path(of: "trace")
        let injection = error.map { ["-e", "inject=fdatasync:error=\($0):when=1"] } ?? []
        let outcome = try Program.run(
            "strace",
            ["-f", "--seccomp-bpf", "-E", "SWIFT_BACKTRACE=enable=no", "-o", trace]
                + ["-e", "trace=fdatasync"] + injection + [bench, raw, "64", "48", "5", path])
        let calls = String(decoding: try folder.contents(of: "trace"), as: UTF8.self)
            .split(separator: "\n").count { $0.contains("fdatasync(") }
        return (outcome, calls)
    }

    @Test(
        "a movie that could not be made durable is given up, whatever the disk says; nothing more is tried, and what is in its file can be mended",
        arguments: ["EIO", "ENOSPC", "EDQUOT", "EFBIG"])
    func notDurable(error: String) throws {
        let folder = try TemporaryFolder()
        let (whole, cut) = (folder.path(of: "whole.mp4"), folder.path(of: "cut.mp4"))
        let usual = try recordElsewhere(whole, in: folder)
        try #require(usual.outcome.status == 0, "\(usual.outcome.text)")
        #expect(try MovieFile.facts(whole) != nil && usual.calls > 1)
        let failed = try recordElsewhere(cut, in: folder, failing: error)
        #expect(failed.outcome.status != 0 && failed.calls == 1)
        #expect(failed.outcome.errors.contains("fdatasync \(cut): "), "\(failed.outcome.text)")
        #expect(try MovieFile.facts(cut) == nil)
        let duration = try MovieFile.mend(cut)?.duration ?? 0
        #expect(duration > 4 * 33_333_333)
    }

    @Test("a movie says which camera it is of, which program's, and where it was taken")
    func origin() async throws {
        let camera = try GreyCamera()
        var order = camera.order(0)
        order.metadata.make = "Maker"
        order.metadata.model = "Größe"
        order.metadata.software = "Vitrine 1"
        order.metadata.location = Location(latitude: 48.25, longitude: -16.5)
        try camera.output.startRecording(order)
        try await camera.deliver(0..<5)
        camera.output.stopRecording()
        let movie = try await camera.end().get()
        let told = try ["Make", "Model", "SoftwareVersion", "GPSCoordinates#"].map { tag in
            try Program.run("exiftool", ["-s", "-s", "-s", "-\(tag)", movie.path]).text
        }
        #expect(told == ["Maker\n", "Größe\n", "Vitrine 1\n", "48.25 -16.5\n"])
        await camera.output.close()
    }
}
