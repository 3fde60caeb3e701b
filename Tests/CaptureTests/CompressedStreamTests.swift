// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import LinuxIO
import Media
import TestSupport
import Testing

@Suite("CaptureSession: JPEG cameras", .timeLimit(.common))
struct CompressedStreamTests {
    private static let format = CaptureFormat(
        pixelFormat: .mjpeg, dimensions: Dimensions(width: 16, height: 16), maximumFrameRate: 30)

    private func whole(_ sequence: UInt32) -> CameraScript.Step {
        .frame(sequence: sequence, timestamp: 0, picture: [0xff, 0xd8, 1, 2, 3, 0xff, 0xd9])
    }

    private func cutShort(_ sequence: UInt32) -> CameraScript.Step {
        .frame(sequence: sequence, timestamp: 0, picture: [0xff, 0xd8, 1, 2, 3])
    }

    @Test("truncated pictures count as damaged; without others the camera is stalled")
    func cutShort() async throws {
        let script = try CameraScript()
        let session = try CaptureSession()
        let output = CountingOutput()
        var camera = ScriptedCamera(script: script, formats: [Self.format])
        camera.frameInterval = ScriptedCamera.promptInterval
        let device = camera.device
        try await session.configure { configuration in
            try configuration.addInput(CaptureDeviceInput(device: device))
            try configuration.addOutput(output)
        }
        var notifications = await session.notifications().makeAsyncIterator()
        // The first picture is truncated too, before the session can know how this camera ends its
        // pictures.
        script.play(cutShort(0), whole(1))
        try await session.startRunning()
        for sequence in UInt32(2)...20 { script.play(cutShort(sequence)) }
        let statistics = session.statistics
        try await waitUntil { statistics.framesCaptured >= 21 }
        try #require(output.sequences == [1])

        guard case .didStartRunning = await notifications.next(isolation: #isolation) else {
            Issue.record("not started")
            return
        }
        let cut = cutShort(0)
        let shortage = Task {
            while !Task.isCancelled {
                script.play(cut)
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        guard case .wasInterrupted(let error) = await notifications.next(isolation: #isolation)
        else {
            Issue.record("not interrupted")
            return
        }
        #expect(error.code == .stalled)
        shortage.cancel()
        script.play(whole(21))
        guard case .interruptionEnded = await notifications.next(isolation: #isolation) else {
            Issue.record("not running again")
            return
        }
        #expect(output.sequences == [1, 21])
        #expect(statistics.framesDropped(.damaged) >= 20)
        await session.close()
    }
}
