// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Display
import LinuxIO
import Media
import Simulation
import TestSupport
import Testing

/// Runs on the virtual board: vivid, vkms, and a screen in memory.
@Suite(
    "A camera on two displays", .serialized, .enabled(if: isVirtualBoard), .timeLimit(.common))
struct TwoDisplaysTests {
    @Test("both displays show one stream, and one continues when the other is removed")
    func both() async throws {
        let first = try Screen { () throws(DisplayError) in
            try KMSDevice(KMSDevice.Selection(driver: "vkms"))
        }
        let second = try Screen { () throws(DisplayError) in
            try MemoryScreen(size: Dimensions(width: 800, height: 480))
        }
        // Wait until both displays are ready.
        for screen in [first, second] {
            for await event in screen.events { if case .ready = event { break } }
        }
        let session = try CaptureSession()
        let outputs = [PreviewOutput(target: first), PreviewOutput(target: second)]
        let camera = CaptureDevice(uniqueID: "vivid", match: .init(driver: "vivid"))
        try await session.configure { configuration in
            try configuration.addInput(
                CaptureDeviceInput(
                    device: camera, dimensions: Dimensions(width: 640, height: 360), frameRate: 15))
            for output in outputs { try configuration.addOutput(output) }
        }
        let running = try await session.startRunning()
        #expect(running.previewPaths.count == 2 && !running.previewPaths.contains(nil))
        try await shows(first, 10)
        try await shows(second, 10)
        let last = outputs[1]
        try await session.configure { $0.removeOutput(last) }
        try await shows(first, 10)
        #expect(await session.running?.previewPaths.count == 1)
        await session.close()
        await first.close()
        await second.close()
    }

    private func shows(_ screen: Screen, _ frames: Int) async throws {
        let goal = screen.statistics.framesShown + frames
        try await waitUntil { screen.statistics.framesShown >= goal }
    }
}
