// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import LinuxIO
import Media
import Simulation
import TestSupport
import Testing

@Suite("CaptureDevice and its input", .timeLimit(.common))
struct CaptureDeviceTests {
    @Test("a match describes its criteria, and the error for a missing camera quotes it")
    func match() throws {
        let match = CaptureDevice.Match(serial: "1234", path: "usb-1", driver: "nobody")
        #expect("\(match)" == "serial 1234, path usb-1, driver nobody")
        #expect("\(CaptureDevice.Match())" == "any camera")
        let device = CaptureDevice(uniqueID: "main", match: match)
        let error = #expect(throws: CaptureError.self) { try device.find() }
        #expect(error?.message.hasPrefix("no camera (\(match))") == true)
    }

    @Test("a format without rate ranges reports its highest rate, or none if unknown")
    func ranges() {
        func format(_ rate: Double, _ ranges: [ClosedRange<Double>]? = nil) -> CaptureFormat {
            CaptureFormat(
                pixelFormat: .mjpeg, dimensions: Dimensions(width: 1280, height: 720),
                maximumFrameRate: rate, frameRateRanges: ranges)
        }
        #expect(format(29.97).videoSupportedFrameRateRanges == [29.97...29.97])
        #expect(format(0).videoSupportedFrameRateRanges == [])
        #expect(format(30, [5...30]).videoSupportedFrameRateRanges == [5...30])
        #expect("\(format(29.97))" == "1280x720 MJPG 30/s")
    }

    @Test(
        "the input's frame rate is used if possible, else the nearest, and is reported",
        arguments: [(20.0, Int64(50_000_000)), (1000.0, Int64(16_666_666))])
    func rate(wanted: Double, nanoseconds: Int64) async throws {
        let session = try CaptureSession()
        let device = CaptureDevice(uniqueID: "pattern") { () throws(CaptureError) in
            SimulatedCamera.pattern()
        }
        let input = CaptureDeviceInput(device: device, frameRate: wanted)
        try await session.configure { configuration in
            configuration.preset = .vga640x480
            try configuration.addInput(input)
        }
        let running = try await session.startRunning()
        #expect(running.activeVideoMinFrameDuration == MediaTime(nanoseconds: nanoseconds))
        await session.close()
    }

    /// Returns the identifiers of the threads that listen for hotplug events.
    private func listeningThreads() throws -> Set<String> {
        let folder = "/proc/self/task"
        let threads = try FileTree.names(in: folder).filter { thread in
            (try? readSmallFile("\(folder)/\(thread)/comm")) == "hotplug\n"
        }
        return Set(threads)
    }

    @Test("a dropped or cancelled hotplug sequence ends its thread")
    func droppedNotifications() async throws {
        let before = try listeningThreads()
        /// Returns the threads of three sequences. A thread of a parallel test may be among them;
        /// it ends too.
        func listen() async throws -> Set<String> {
            let unread = try CaptureDevice.notifications()
            let iterator = try CaptureDevice.notifications().makeAsyncIterator()
            let read = try CaptureDevice.notifications()
            let reader = Task { for await _ in read {} }
            var threads: Set<String> = []
            // A new thread is found only once it has set its name.
            try await waitUntil {
                threads = try listeningThreads().subtracting(before)
                return threads.count >= 3
            }
            reader.cancel()
            await reader.value
            withExtendedLifetime((unread, iterator)) {}
            return threads
        }
        let threads = try await listen()
        try await waitUntil { try threads.isDisjoint(with: listeningThreads()) }
    }

    @Test("the frame duration is invalid if the driver does not report its rate")
    func untoldRate() async throws {
        let (script, session) = (try CameraScript(), try CaptureSession())
        let camera = ScriptedCamera(script: script, frameInterval: 0)
        let input = CaptureDeviceInput(device: camera.device)
        try await session.configure { try $0.addInput(input) }
        script.play(.frame(sequence: 0, timestamp: 0))
        let running = try await session.startRunning()
        #expect(!running.activeVideoMinFrameDuration.isValid)
        await session.close()
    }
}
