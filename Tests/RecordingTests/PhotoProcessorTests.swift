// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Foundation
import Imaging
import LinuxIO
import Media
import Recording
import TestSupport
import Testing

@Suite("PhotoProcessor", .ownThread, .timeLimit(.common))
struct PhotoProcessorTests {
    private static let size = Dimensions(width: 160, height: 96)
    private static let screen = Dimensions(width: 80, height: 48)

    /// Claims a camera's frame with these bytes for a photo, and returns it with its pool.
    private func captured(_ bytes: [UInt8]) async throws -> (CapturedFrame, FramePool) {
        let description = FrameDescription(
            pixelFormat: .mjpeg, dimensions: Self.size,
            planes: [PlaneLayout(offset: 0, bytesPerRow: 0, rows: 0)], bufferSizes: [1 << 16],
            color: .jpeg)
        let pool = FramePool(
            description: description, buffers: [[try FrameBuffer.memory(1 << 16)]],
            wake: try WakeSignal())
        try unsafe pool.slots[0].withPixels(.write) { pixels in
            for (index, byte) in bytes.enumerated() { unsafe pixels.plane(0)[index] = byte }
        }
        let output = PhotoOutput()
        output.streamDidStart(
            StreamDescription(frame: description, frameInterval: 33_000_000),
            on: CaptureConnection(output: output))
        let shot = output.hold(1)
        let info = FrameInfo(timestamp: 1, sequence: 9, bytesUsed: bytes.count)
        output.receive(pool.lend(0, info), from: StillStream(exposure: 4_000_000))
        output.streamDidStop(willRestart: false)
        return (try await shot.frame(), pool)
    }

    private func processor() async throws -> PhotoProcessor {
        try PhotoProcessor(PhotoProcessor.Settings())
    }

    private func jpeg() throws -> [UInt8] {
        let picture = try PixelStorage(.yuv422, Self.size, color: .jpeg)
        return try unsafe picture.withPixels { try unsafe JPEGEncoder().encode($0, quality: 80) }
    }

    /// Returns the JPEG as most cameras send it.
    private func withoutHuffmanTables(_ jpeg: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [0xff, 0xd8]
        var at = 2
        while jpeg[at + 1] != 0xda {
            let end = at + 2 + Int(jpeg[at + 2]) << 8 + Int(jpeg[at + 3])
            if jpeg[at + 1] != 0xc4 { result += jpeg[at..<end] }
            at = end
        }
        return result + jpeg[at...]
    }

    @Test("a processed frame returns to the camera, although its claim is still held")
    func givesBack() async throws {
        let (frame, pool) = try await captured(withoutHuffmanTables(jpeg()))
        #expect(pool.takeReturned(starving: false) == 0)
        let processor = try await processor()
        let still = try await processor.finish(frame)
        #expect(pool.takeReturned(starving: false) == 1)
        #expect(still.frameSequence == 9)
        #expect(still.warnings.isEmpty)
        let thumbnail = try #require(still.thumbnail)
        #expect(try JPEGDecoder().header(of: thumbnail).dimensions.width == 160)
        let review = try await processor.review(of: still, covering: Self.screen)
        #expect(unsafe review.withPixels { unsafe $0.description.dimensions.width } == 80)
        withExtendedLifetime(frame) {}
    }

    /// Returns the fields that exiftool reads from a photo; an absent field is empty.
    private func read(_ fields: [String], of still: FinishedStill) throws -> [String] {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "photo.jpg")
        try Data(still.chunks.joined()).write(to: URL(filePath: path))
        return try fields.map { field in
            try Program.run("exiftool", ["-s", "-s", "-s", "-\(field)", path]).text
        }
    }

    @Test("a photo names its camera and program, also after the camera changes")
    func origin() async throws {
        var settings = PhotoProcessor.Settings()
        (settings.make, settings.model, settings.software) = ("Maker", "Model 7", "Vitrine 1")
        settings.wantsThumbnail = false
        let processor = try PhotoProcessor(settings)
        let fields = ["Make", "Model", "Software"]
        var still = try await processor.finish(captured(jpeg()).0)
        #expect(try read(fields, of: still) == ["Maker\n", "Model 7\n", "Vitrine 1\n"])
        #expect(still.thumbnail == nil)
        await processor.setCamera(make: "", model: "HD Webcam")
        still = try await processor.finish(captured(jpeg()).0)
        #expect(try read(fields, of: still) == ["", "HD Webcam\n", "Vitrine 1\n"])
    }

    @Test("a frame that was returned before makes no photo, and throws noFrames")
    func givenBack() async throws {
        let processor = try await processor()
        // The movie takes the lease, as the camera's thread would.
        let (frame, _) = try await captured(jpeg())
        let movie = FrameMovie(
            MovieOrder(id: UUID(), path: "/dev/null/none.mp4", moment: 1), MovieSettings(),
            frameInterval: 33_000_000)
        _ = try? await movie.append(frame)
        let error = await #expect(throws: PhotoError.self) {
            _ = try await processor.finish(frame)
        }
        #expect(error?.code == .noFrames)
    }

    @Test("a copied frame makes the same photo")
    func copy() async throws {
        let bytes = try jpeg()
        let (_, pool) = try await captured(bytes)
        let output = PhotoOutput()
        output.streamDidStart(
            StreamDescription(frame: pool.description, frameInterval: 33_000_000),
            on: CaptureConnection(output: output))
        _ = pool.takeReturned(starving: false)
        let claims = [output.hold(1), output.hold(1)]
        output.receive(
            pool.lend(0, FrameInfo(timestamp: 1, sequence: 9, bytesUsed: bytes.count)),
            from: StillStream(exposure: 4_000_000))
        let (own, copied) = (try await claims[0].frame(), try await claims[1].frame())
        let processor = try await processor()
        let (first, second) = (try await processor.finish(own), try await processor.finish(copied))
        #expect(first.chunks.last == second.chunks.last)
        #expect(second.warnings.isEmpty)
    }

    @Test("a camera's JPEG is kept as it is, or encoded again at the requested quality")
    func formats() async throws {
        let bytes = try jpeg()
        let processor = try await processor()
        func photo(_ photo: CapturePhotoSettings) async throws -> [UInt8] {
            let still = try await processor.finish(try await captured(bytes).0, as: photo)
            return Array(still.chunks.joined())
        }
        // A JPEG's quality shows in its quantization tables, which are the same for the same
        // quality. The thumbnail's tables come before them.
        func tables(_ jpeg: [UInt8]) throws -> [UInt8] {
            let start = try #require(
                jpeg.indices.last { jpeg[$0...].starts(with: [0xff, 0xdb]) })
            return Array(jpeg[start..<start + 69])
        }
        let own = try tables(bytes)
        #expect(try tables(await photo(CapturePhotoSettings())) == own)
        // The quality applies only to what is encoded here.
        #expect(try tables(await photo(CapturePhotoSettings(quality: 20))) == own)
        let coarse = try await photo(CapturePhotoSettings(format: .jpeg, quality: 20))
        #expect(try tables(coarse) != own)
        #expect(try JPEGDecoder().header(of: coarse).subsampling == .yuv422)
        // The control: the camera's quality gives the camera's tables.
        #expect(try tables(await photo(CapturePhotoSettings(format: .jpeg, quality: 80))) == own)
        #expect(try tables(await photo(CapturePhotoSettings(format: .jpeg))) != own)
    }

    @Test("a photo without the requested RAW is still a photo, with a warning")
    func noRaw() async throws {
        let still = try await processor().finish(
            try await captured(jpeg()).0, as: CapturePhotoSettings(format: .raw))
        #expect(still.raw == nil && !still.chunks.isEmpty)
        #expect(still.warnings.map(\.message) == ["RAW of frame 9"])
    }

    @Test("an undecodable picture is a photo with warnings, without thumbnail and review")
    func undecodable() async throws {
        // The segments are valid, but there is no quantization table.
        let bytes: [UInt8] =
            [0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 96, 0, 160, 1, 1, 0x11, 0]
            + [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 1, 2, 3, 0xff, 0xd9]
        let (frame, _) = try await captured(bytes)
        let processor = try await processor()
        let still = try await processor.finish(frame)
        let other = try await processor.finish(
            try await captured(bytes).0, as: CapturePhotoSettings(format: .jpeg, quality: 9))
        #expect(Array(other.chunks.joined()).suffix(5) == [1, 2, 3, 0xff, 0xd9])
        #expect(
            other.warnings.map(\.message) == ["another quality of frame 9", "thumbnail of frame 9"])
        #expect(still.thumbnail == nil)
        let error = await #expect(throws: PhotoError.self) {
            try await processor.review(of: still, covering: Self.screen)
        }
        #expect(error?.message == "review of frame 9")
        #expect(still.dimensions == Self.size)
        #expect(still.warnings.map(\.message) == ["thumbnail of frame 9"])
        let file = Array(still.chunks.joined())
        #expect(Array(file.suffix(5)) == [1, 2, 3, 0xff, 0xd9])
    }

    @Test("bytes that are no picture make no photo, and the frame returns to the camera")
    func noPicture() async throws {
        let (frame, pool) = try await captured([1, 2, 3, 4])
        let error = await #expect(throws: PhotoError.self) {
            try await processor().finish(frame)
        }
        #expect(error?.code == .damagedFrame)
        #expect(pool.takeReturned(starving: false) == 1)
    }
}
