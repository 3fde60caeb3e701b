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
    /// Returns all remaining events, in words.
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

    @Test("a movie's file finishes before the file that continues it starts")
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
        "an order without a picture yet takes the next stream, whatever its pictures",
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
        // The order fails if no stream follows.
        camera.output.streamDidStop(willRestart: true)
        try camera.output.startRecording(camera.order(45, name: "second.mp4"))
        camera.output.streamDidStop(willRestart: false)
        let error = await #expect(throws: MovieError.self) { try await camera.end().get() }
        #expect(error?.code == .noFrames)
        await camera.output.close()
    }

    @Test("an order that yields no movie releases the microphone")
    func microphone() async throws {
        var settings = MovieSettings()
        // No V4L2 encoder takes frames in ordinary memory.
        settings.encoder = .v4l2
        let camera = try GreyCamera(settings)
        // The microphone cannot be opened: it has a problem while any listener wants it.
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

    @Test("a movie begins with the frame of its exact moment, to the nanosecond")
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

    @Test("the first of two continuations at the same key frame fails")
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

    @Test("a movie cannot be continued after close()")
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

    @Test("a movie does not overwrite an existing file")
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

    @Test("a continuation in an existing file fails, and movie and file are kept")
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
    /// - Parameter error: The error that strace injects into the first fdatasync(2); `nil` for
    ///   none.
    /// - Returns: The program's outcome, and its number of fdatasync(2) calls.
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
        "a movie whose fdatasync fails is given up at once, and its file can be mended",
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

    @Test("a movie names its camera, its program and its location")
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
