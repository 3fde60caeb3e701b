// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Codecs
import Media
import Recording
import TestSupport
import Testing

@Suite("Connections of movies", .ownThread, .timeLimit(.common))
struct MovieConnectionTests {
    /// Returns a camera with a trembling pattern that repeats after six frames.
    private func tremblingCamera() throws -> GreyCamera {
        var settings = MovieSettings()
        settings.quality = 10
        return try GreyCamera(settings, size: Dimensions(width: 160, height: 120)) { number, x, y in
            let (right, down) = (x + number % 2 * 5, y + number % 3 * 3)
            return (right / 20 * 7 + down / 20 * 3) % 5 < 2 ? 200 : 40
        }
    }

    /// Returns the mean difference of luma between successive frames of a movie.
    private func restlessness(
        _ movie: FinishedMovie, _ numbers: Range<Int>, _ camera: GreyCamera
    ) throws -> Double {
        let raw = camera.folder.path(of: "raw")
        let decoded = try Program.run(
            "ffmpeg",
            [
                "-v", "error", "-y", "-i", movie.path, "-vf", "extractplanes=y,crop=96:72",
                "-fps_mode", "passthrough", "-f", "rawvideo", raw,
            ])
        try #require(decoded.status == 0, "\(decoded.text)")
        let bytes = try camera.folder.contents(of: "raw")
        let pixels = 96 * 72
        try #require(bytes.count >= numbers.upperBound * pixels)
        var sum = 0
        for index in (numbers.lowerBound + 1) * pixels..<numbers.upperBound * pixels {
            sum += abs(Int(bytes[index]) - Int(bytes[index - pixels]))
        }
        return Double(sum) / Double((numbers.count - 1) * pixels)
    }

    /// Expects the first 24 frames of `steady` to move much less than these frames of `shaking`.
    private func expectSteadied(
        _ shaking: FinishedMovie, _ numbers: Range<Int>, _ steady: FinishedMovie,
        _ camera: GreyCamera
    ) throws {
        let before = try restlessness(shaking, numbers, camera)
        let after = try restlessness(steady, 0..<24, camera)
        #expect(before > 10 && after < before / 3, "\(before) becomes \(after)")
    }

    /// Records a movie of these frames.
    ///
    /// - Parameter change: Called after half of them.
    private func record(
        _ numbers: Range<Int>, _ camera: GreyCamera, change: () throws -> Void = {}
    ) async throws -> FinishedMovie {
        let name = "\(numbers.lowerBound).mp4"
        let middle = numbers.lowerBound + numbers.count / 2
        try camera.output.startRecording(camera.order(numbers.lowerBound, name: name))
        try await camera.deliver(numbers.lowerBound..<middle)
        try change()
        try await camera.deliver(middle..<numbers.upperBound)
        camera.output.stopRecording()
        return try await camera.end().get()
    }

    @Test("only a movie whose connection asks for stabilization is stabilized")
    func stabilized() async throws {
        let camera = try tremblingCamera()
        let shaking = try await record(0..<24, camera)
        try camera.change(stabilization: .auto)
        let steady = try await record(24..<48, camera)
        try expectSteadied(shaking, 0..<24, steady, camera)
        await camera.output.close()
    }

    @Test("a stabilized movie does not depend on the movie before it")
    func steadiedAnew() async throws {
        let (one, other) = (try tremblingCamera(), try tremblingCamera())
        for camera in [one, other] { try camera.change(stabilization: .auto) }
        _ = try await record(0..<24, one)
        var pictures: [[UInt8]] = []
        for camera in [one, other] {
            let raw = camera.folder.path(of: "raw")
            let decoded = try Program.run(
                "ffmpeg",
                [
                    "-v", "error", "-y", "-i", try await record(49..<61, camera).path, "-f",
                    "rawvideo", raw,
                ])
            #expect(decoded.status == 0, "\(decoded.text)")
            pictures.append(try camera.folder.contents(of: "raw"))
            await camera.output.close()
        }
        let (sizes, dropped) = (pictures.map(\.count), [one, other].map(\.output.framesDropped))
        let equal = zip(pictures[0], pictures[1]).prefix { $0 == $1 }.count
        #expect(
            !pictures[0].isEmpty && pictures[0] == pictures[1],
            "\(sizes) bytes, of which \(equal) are equal; frames dropped: \(dropped)")
    }

    @Test("a running movie keeps its stabilization mode when its connection changes")
    func keepsMode() async throws {
        let camera = try tremblingCamera()
        let shaking = try await record(0..<24, camera) { try camera.change(stabilization: .auto) }
        let steady = try await record(24..<48, camera) { try camera.change() }
        try expectSteadied(shaking, 12..<24, steady, camera)
        await camera.output.close()
    }

    @Test("a stabilization mode set during one movie applies to the next")
    func nextHasMode() async throws {
        let camera = try tremblingCamera()
        let shaking = try await record(0..<24, camera) { try camera.change(stabilization: .auto) }
        let steady = try await record(24..<48, camera)
        try expectSteadied(shaking, 0..<12, steady, camera)
        await camera.output.close()
    }

    @Test("a mirrored connection mirrors the next movie, and not the running one")
    func mirrored() async throws {
        let camera = try GreyCamera()
        let first = try await record(0..<20, camera) { try camera.change(isMirrored: true) }
        let second = try await record(20..<40, camera)
        #expect(first.orientation == .upright)
        #expect(second.orientation == ExifOrientation(rotation: .none, isMirrored: true))
        #expect(try MovieFile.mend(second.path)?.orientation == second.orientation)
        await camera.output.close()
    }

    @Test("a rotated connection rotates the next movie, and not the running one")
    func turned() async throws {
        let camera = try GreyCamera()
        let first = try await record(0..<20, camera) { try camera.change(rotation: 90) }
        let second = try await record(20..<40, camera)
        #expect(first.orientation == .upright && second.orientation.rotation == .quarter)
        await camera.output.close()
    }
}
