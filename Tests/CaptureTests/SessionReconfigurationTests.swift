// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import LinuxIO
import Media
import Synchronization
import Testing

/// A display that shows each frame as soon as it comes, and notes what else is asked of it.
private final class ShowingTarget: PreviewTarget {
    private struct State {
        var calls: [String] = []
        var shown: [UInt32] = []
        var frames: NewestFrame?
    }
    private let state = Mutex(State())

    /// All but the frames.
    var calls: [String] { state.withLock { $0.calls } }
    /// The frames' numbers.
    var shown: [UInt32] { state.withLock { $0.shown } }

    func canScanOut(_ pixelFormat: PixelFormat) -> Bool { true }
    func allocate(_ description: FrameDescription) throws -> [FrameBuffer]? { nil }

    func connect(
        _ pool: FramePool, frames: NewestFrame, by rung: PreviewRung, isMirrored: Bool
    ) throws -> PreviewPath {
        state.withLock { state in
            state.calls.append(isMirrored ? "connect mirrored" : "connect")
            state.frames = frames
        }
        return .exported
    }
    func suspend() { state.withLock { $0.calls.append("suspend") } }
    func disconnect() { state.withLock { $0.calls.append("disconnect") } }
    func frameArrived() {
        guard let frames = state.withLock({ $0.frames }), let lease = frames.take() else { return }
        let sequence = lease.info.sequence
        state.withLock { $0.shown.append(sequence) }
    }
}

@Suite("CaptureSession: reconfiguration", .timeLimit(.minutes(2)))
struct SessionReconfigurationTests {
    private let script: CameraScript
    private let session: CaptureSession
    private let target = ShowingTarget()
    private let preview: PreviewOutput
    private let output = CountingOutput()

    init() throws {
        script = try CameraScript()
        session = try CaptureSession()
        preview = PreviewOutput(target: target)
    }

    /// With a preview, another output and a first frame.
    private func start(_ device: CaptureDevice? = nil) async throws {
        let device = device ?? ScriptedCamera(script: script).device
        let outputs: [any CaptureOutput] = [output, preview]
        try await session.configure { configuration in
            try configuration.addInput(CaptureDeviceInput(device: device, bufferCount: 12))
            for output in outputs { try configuration.addOutput(output) }
        }
        script.play(.frame(sequence: 0, timestamp: 0))
        try await session.startRunning()
    }

    /// The camera delivers these; each is shown before the next comes.
    private func show(_ sequences: ClosedRange<UInt32>) async throws {
        for sequence in sequences {
            script.play(.frame(sequence: sequence, timestamp: 0))
            try await waitUntil { target.shown.last == sequence }
        }
    }

    @Test(
        "a preview goes on while other outputs come and go: it is connected once, and never stops")
    func previewGoesOn() async throws {
        try await start()
        try await show(1...3)
        let guest = CountingOutput()
        try await session.configure { try $0.addOutput(guest) }
        try await session.waitUntilRunning()
        try await show(4...6)
        try await session.configure { $0.removeOutput(guest) }
        try await session.waitUntilRunning()
        try await show(7...9)
        #expect(target.shown == Array(0...9))
        #expect(target.calls == ["connect"])
        #expect(guest.sequences == [4, 5, 6])
        await session.close()
        #expect(target.calls == ["connect", "suspend", "disconnect"])
    }

    @Test("a preview that is mirrored while the session runs is connected anew, mirrored")
    func mirrored() async throws {
        try await start()
        let preview = preview
        try await session.configure { configuration in
            try configuration.withConnection(to: preview) { connection throws(CaptureError) in
                try connection.setVideoMirrored(true)
            }
        }
        try await waitUntil { script.opens == 2 }
        try await show(1...2)
        try await session.waitUntilRunning()
        // It is not disconnected: its last picture stays.
        #expect(target.calls == ["connect", "suspend", "connect mirrored"])
        #expect(target.shown == [0, 1, 2])
        await session.close()
    }

    @Test("a session has one preview: a second one is refused, and changes nothing")
    func secondPreview() throws {
        var configuration = CaptureSession.Configuration()
        try configuration.addOutput(preview)
        let second = PreviewOutput(target: ShowingTarget())
        #expect(!configuration.canAddOutput(second))
        let error = #expect(throws: CaptureError.self) { try configuration.addOutput(second) }
        #expect(error?.code == .invalidConfiguration)
        #expect(configuration.outputs.count == 1 && configuration.preview === preview)
        configuration.removeOutput(preview)
        #expect(configuration.canAddOutput(second))
        try configuration.addOutput(second)
        #expect(configuration.preview === second)
    }

    @Test(
        "a running session closes the camera that is taken away, and streams by itself when given one",
        arguments: [true, false])
    func cameraTaken(isGivenTheSame: Bool) async throws {
        let device = ScriptedCamera(script: script).device
        try await start(device)
        try await session.configure { $0.removeInput() }
        try await waitUntil { script.openNow == 0 }
        while await session.running != nil { try await Task.sleep(for: .milliseconds(1)) }

        let nextScript = try isGivenTheSame ? script : CameraScript()
        let next = isGivenTheSame ? device : ScriptedCamera(script: nextScript).device
        try await session.configure { try $0.addInput(CaptureDeviceInput(device: next)) }
        nextScript.play(.frame(sequence: 7, timestamp: 0))
        try await session.waitUntilRunning()
        #expect(output.sequences == [0, 7])
        #expect(script.opens == (isGivenTheSame ? 2 : 1))
        await session.close()
        #expect(script.openNow == 0 && nextScript.openNow == 0)
    }
}
