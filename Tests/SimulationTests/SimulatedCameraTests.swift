// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Foundation
import Imaging
import LinuxIO
import Media
import Simulation
import Synchronization
import TestSupport
import Testing

/// Records the brightness in the middle of every frame.
private final class ColorOutput: CaptureOutput {
    let heldFrames = 1
    private let greens = Mutex<[Int]>([])
    private let decoder = Mutex(try? JPEGDecoder())

    var seen: [Int] { greens.withLock { $0 } }

    func streamDidStart(_ stream: StreamDescription, on connection: CaptureConnection) {}
    func streamDidStop(willRestart: Bool) {}
    func receive(_ frame: borrowing FrameLease, from camera: any CameraStream) {
        let green = try? unsafe frame.withPixels { pixels in
            if !frame.description.pixelFormat.isCompressed {
                // Luma is enough to tell the pictures apart.
                let row = unsafe pixels.plane(0) + pixels.bytesPerRow(0) * 360
                return unsafe Int(row[640])
            }
            let bytes = unsafe Array(
                UnsafeRawBufferPointer(start: pixels.plane(0), count: frame.info.bytesUsed))
            return decoder.withLock { decoder in
                guard let picture = try? decoder?.picture(of: bytes, scale: .full) else {
                    return -1
                }
                return unsafe picture.withPixels { pixels in
                    let row = unsafe pixels.plane(0) + pixels.bytesPerRow(0) * 360
                    return unsafe Int(row[640 * 4 + 1])
                }
            }
        }
        greens.withLock { $0.append(green ?? -2) }
    }

    func wait(for condition: ([Int]) -> Bool) async throws {
        try await waitUntil { condition(seen) }
    }
}

/// Keeps the bytes of the first frame.
private final class FrameOutput: CaptureOutput {
    let heldFrames = 1
    private let kept = Mutex<[UInt8]?>(nil)

    var bytes: [UInt8]? { kept.withLock { $0 } }

    func streamDidStart(_ stream: StreamDescription, on connection: CaptureConnection) {}
    func streamDidStop(willRestart: Bool) {}
    func receive(_ frame: borrowing FrameLease, from camera: any CameraStream) {
        let bytes = try? unsafe frame.withPixels { pixels in
            unsafe Array(
                UnsafeRawBufferPointer(start: pixels.plane(0), count: frame.info.bytesUsed))
        }
        kept.withLock { kept in kept = kept ?? bytes }
    }
}

@Suite("Simulated cameras", .serialized, .timeLimit(.common))
struct SimulatedCameraTests {
    private let folder: TemporaryFolder
    private let output = ColorOutput()

    init() throws { folder = try TemporaryFolder() }

    private func session(
        _ source: String, _ output: (any CaptureOutput)? = nil
    ) async throws -> CaptureSession {
        let session = try CaptureSession()
        let device = CaptureDevice(uniqueID: "test") { () throws(CaptureError) in
            try SimulatedCamera.showing(source)
        }
        let output = output ?? self.output
        try await session.configure { configuration in
            try configuration.addInput(CaptureDeviceInput(device: device))
            try configuration.addOutput(output)
        }
        return session
    }

    /// Writes a grey photo of 400x300.
    private func writePhoto(_ name: String, _ grey: UInt8) throws {
        var picture = try PixelStorage(
            .xrgb, Dimensions(width: 400, height: 300), color: .jpeg)
        unsafe picture.withMutablePixels { pixels in
            let plane = unsafe pixels.plane(0)
            for offset in unsafe 0..<pixels.bytesPerRow(0) * 300 { unsafe plane[offset] = grey }
        }
        let bytes = try unsafe picture.withPixels {
            try unsafe JPEGEncoder().encode($0, quality: 95)
        }
        try folder.write(bytes, to: name)
    }

    @Test("a folder's photos follow each other, and other files are left out")
    func photos() async throws {
        try writePhoto("b.jpg", 200)
        try writePhoto("a.JPEG", 60)
        try folder.write("no picture".utf8, to: "c.jpg")
        try folder.write("no photo".utf8, to: "notes.txt")
        let session = try await session(folder.path)
        let stream = try await session.startRunning().stream
        #expect(stream.frame.pixelFormat == .mjpeg)
        #expect(stream.frame.dimensions == Dimensions(width: 1280, height: 720))
        try await output.wait { seen in
            seen.contains { abs($0 - 60) < 4 } && seen.contains { abs($0 - 200) < 4 }
        }
        #expect(output.seen.allSatisfy { abs($0 - 60) < 4 || abs($0 - 200) < 4 })
        await session.close()
    }

    /// Returns the corners of the upright source, which lies in the middle of the camera's picture.
    private func corners(_ source: String, height: Int, width: Int) async throws -> String {
        let output = FrameOutput()
        let session = try await session(source, output)
        let stream = try await session.startRunning().stream
        try await waitUntil { output.bytes != nil }
        await session.close()
        let isJPEG = stream.frame.pixelFormat == .mjpeg
        let file = try folder.write(output.bytes ?? [], to: isJPEG ? "frame.jpg" : "frame.nv12")
        let raw = "-f rawvideo -pixel_format nv12 -video_size 1280x720"
        return try CornerPicture.read(
            file, options: isJPEG ? "" : raw, filter: "crop=\(width):\(height)"
        ).corners
    }

    @Test(
        "photos and videos are upright in the camera's picture, whatever turns them",
        arguments: 1...8)
    func upright(orientation: Int) async throws {
        let width = orientation < 5 ? 960 : 540
        let photos = folder.path(of: "photos")
        try FileManager.default.createDirectory(atPath: photos, withIntermediateDirectories: true)
        try CornerPicture.write("a.jpg", orientation: orientation, in: photos)
        let expected = CornerPicture.upright(orientation: orientation)
        #expect(try await corners(photos, height: 720, width: width) == expected)
        try CornerPicture.write(movie: "a.mp4", orientation: orientation, in: folder.path)
        #expect(
            try await corners(folder.path(of: "a.mp4"), height: 720, width: width) == expected)
    }

    @Test("a video of pixels that are not square has its intended width")
    func anamorphic() async throws {
        try CornerPicture.write(movie: "a.mp4", orientation: 1, aspect: "4/3", in: folder.path)
        #expect(
            try await corners(folder.path(of: "a.mp4"), height: 720, width: 1280) == "RGBW")
    }

    @Test("a folder without photos is no camera, and the error names it")
    func emptyFolder() async throws {
        let session = try await session(folder.path)
        let error = await #expect(throws: CaptureError.self) { try await session.startRunning() }
        #expect(error?.code == .noDevice && error?.message.contains(folder.path) == true)
        await session.close()
    }

    @Test("a video plays in a loop, and its decoder ends with the session")
    func video() async throws {
        let file = folder.path(of: "clip.mkv")
        // One second: black, then white.
        let ffmpeg = try Program.run(
            "/usr/bin/ffmpeg",
            [
                "-nostdin", "-loglevel", "error",
                "-f", "lavfi", "-i", "color=black:s=320x180:r=30:d=0.5",
                "-f", "lavfi", "-i", "color=white:s=320x180:r=30:d=0.5",
                "-filter_complex", "concat", "-c:v", "mjpeg", file,
            ])
        try #require(ffmpeg.status == 0, "\(ffmpeg.errors)")
        let session = try await session(file)
        try await session.startRunning()
        // Black after white shows that the video has started again.
        try await output.wait { seen in
            guard let white = seen.firstIndex(where: { $0 > 200 }) else { return false }
            return seen[white...].contains { $0 < 40 }
        }
        #expect(try decoders() == 1)
        await session.stopRunning()
        #expect(try decoders() == 0)
        try await session.startRunning()
        await session.close()
        #expect(try decoders() == 0)
    }

    @Test("a video that cannot be decoded interrupts the session")
    func brokenVideo() async throws {
        let file = try folder.write("no video".utf8, to: "clip.mp4")
        let session = try await session(file)
        await #expect(throws: CaptureError.self) { try await session.startRunning() }
        #expect(await session.state == .interrupted)
        await session.close()
    }

    /// Returns how many of this process's children decode a file of this test. Other tests run
    /// `ffmpeg` too.
    private func decoders() throws -> Int {
        let children = try FileManager.default.contentsOfDirectory(atPath: "/proc")
            .compactMap(Int.init)
        return children.count { process in
            let status = (try? readSmallFile("/proc/\(process)/status")) ?? ""
            let arguments = (try? readSmallFile("/proc/\(process)/cmdline")) ?? ""
            return status.contains("PPid:\t\(ProcessInfo.processInfo.processIdentifier)\n")
                && arguments.hasPrefix("/usr/bin/ffmpeg\0") && arguments.contains(folder.path)
        }
    }
}
