// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import LinuxIO
import Media
import Synchronization
import TestSupport
import Testing

/// A display that shows each frame at once and records all other calls.
private final class ShowingTarget: PreviewTarget {
    private struct State {
        var calls: [String] = []
        var shown: [UInt32] = []
        var frames: FrameHandoff?
        var refuses = false
    }
    private let state = Mutex(State())

    /// Makes the display refuse every later connection.
    func refuse() { state.withLock { $0.refuses = true } }

    /// All calls except frames.
    var calls: [String] { state.withLock { $0.calls } }
    /// The sequence numbers of the shown frames.
    var shown: [UInt32] { state.withLock { $0.shown } }

    var isAvailable: Bool { true }
    func canScanOut(_ pixelFormat: PixelFormat) -> Bool { true }
    func allocate(_ description: FrameDescription) throws -> [FrameBuffer]? { nil }

    func connect(
        _ pool: FramePool, frames: FrameHandoff, by memoryPath: PreviewMemoryPath,
        layout: VideoLayout
    ) throws -> PreviewPath {
        try state.withLock { state in
            if state.refuses { throw CaptureError(.unsupported, "no") }
            state.calls.append(layout.orientation == .mirrored ? "connect mirrored" : "connect")
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

@Suite("CaptureSession: reconfiguration", .timeLimit(.common))
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

    /// Starts with a preview, another output and a first frame.
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

    /// Plays these frames one at a time; each is shown before the next comes.
    private func show(_ sequences: ClosedRange<UInt32>) async throws {
        for sequence in sequences {
            script.play(.frame(sequence: sequence, timestamp: 0))
            try await waitUntil { target.shown.last == sequence }
        }
    }

    @Test("a preview keeps showing every frame while other outputs come and go")
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

    /// An output that a gap would spoil.
    private final class Recording: CaptureOutput {
        let heldFrames = 1
        let mustNotBeInterrupted = true
        func streamDidStart(_ stream: StreamDescription, on connection: CaptureConnection) {}
        func receive(_ frame: borrowing FrameLease, from camera: any CameraStream) {}
        func streamDidStop(willRestart: Bool) {}
    }

    @Test("displays come and go during a recording without a new stream or missed frame")
    func displaysBesideRecording() async throws {
        let recording = Recording()
        try await start()
        try await session.configure { try $0.addOutput(recording) }
        try await session.waitUntilRunning()
        let opens = script.opens
        let begin = await session.running?.begin
        let otherTarget = ShowingTarget()
        let other = PreviewOutput(target: otherTarget)
        try await session.configure { try $0.addOutput(other) }
        try await session.waitUntilRunning()
        #expect(await session.running?.previewPaths == [.exported, .exported])
        #expect(await session.running?.begin == begin)
        try await show(1...3)
        try await waitUntil { otherTarget.shown == [1, 2, 3] }
        // A display is connected again only if it, or every display, is renegotiated.
        #expect(target.calls == ["connect"] && otherTarget.calls == ["connect"])
        await session.renegotiate(for: other)
        try await session.waitUntilRunning()
        try await show(4...4)
        #expect(target.calls == ["connect"] && otherTarget.calls == ["connect", "connect"])
        await session.renegotiate()
        try await session.waitUntilRunning()
        try await show(5...5)
        #expect(target.calls == ["connect", "connect"])
        try await session.configure { $0.removeOutput(other) }
        try await session.waitUntilRunning()
        try await show(6...6)
        let preview = preview
        try await session.configure { configuration in
            try configuration.withConnection(to: preview) { connection throws(CaptureError) in
                try connection.setVideoMirrored(true)
            }
        }
        try await session.waitUntilRunning()
        try await show(7...7)
        #expect(target.calls == ["connect", "connect", "connect mirrored"])
        // The removed display keeps none of the camera's frames.
        #expect(
            otherTarget.calls == ["connect", "connect", "connect", "suspend", "disconnect"])
        #expect(otherTarget.shown == [1, 2, 3, 4, 5])
        #expect(target.shown == Array(0...7) && script.opens == opens)
        await session.close()
    }

    @Test(
        "a removed preview disconnects its display, whether the session runs or not",
        arguments: [true, false])
    func previewRemoved(isRunning: Bool) async throws {
        let other = ShowingTarget()
        let second = PreviewOutput(target: other)
        try await session.configure { try $0.addOutput(second) }
        try await start()
        if !isRunning { await session.stopRunning() }
        try await session.configure { $0.removeOutput(second) }
        if isRunning {
            try await waitUntil { script.opens == 2 }
            script.play(.frame(sequence: 1, timestamp: 0))
            try await session.waitUntilRunning()
        }
        try await waitUntil { other.calls == ["connect", "suspend", "disconnect"] }
        #expect(!target.calls.contains("disconnect"))
        await session.close()
    }

    @Test("a session without a camera does not start, even with frames in flight")
    func startWithoutInput() async throws {
        let standing = StandingOutput()
        try await start()
        try await session.configure { try $0.addOutput(standing) }
        script.play(.frame(sequence: 1, timestamp: 0))
        try await session.waitUntilRunning()
        standing.stand()
        script.play(.frame(sequence: 2, timestamp: 0))
        try await waitUntil { standing.isStanding }
        try await session.configure { $0.removeInput() }
        let error = await #expect(throws: CaptureError.self) { try await session.startRunning() }
        #expect(error?.code == .invalidConfiguration)
        #expect(await session.running == nil)
        standing.goOn()
        await session.close()
    }

    @Test(
        "setActiveFormat() sets format and rate, and refuses those the camera lacks",
        arguments: [nil, PixelFormat.h264])
    func activeFormat(compressed: PixelFormat?) async throws {
        var small = CaptureFormat(
            pixelFormat: .xrgb, dimensions: Dimensions(width: 8, height: 8), maximumFrameRate: 30,
            frameRateRanges: [5...30])
        small.converted = compressed
        var camera = ScriptedCamera(script: script)
        camera.formats.append(small)
        try await start(camera.device)
        await #expect(throws: CaptureError.self) {
            try await session.configure { configuration in
                try configuration.setActiveFormat(
                    small, minFrameDuration: MediaTime(value: 1, timescale: 60))
            }
        }
        #expect(await session.running?.activeFormat.dimensions != small.dimensions)
        // Another camera's format is refused, and the stream continues.
        let foreign = CaptureFormat(
            pixelFormat: .xrgb, dimensions: Dimensions(width: 24, height: 8), maximumFrameRate: 30)
        await #expect(throws: CaptureError.self) {
            try await session.configure { configuration in
                try configuration.setActiveFormat(foreign)
            }
        }
        #expect(script.opens == 1)
        #expect(await session.configuration.input?.dimensions == nil)
        try await session.configure { configuration in
            try configuration.setActiveFormat(
                small, minFrameDuration: MediaTime(value: 1, timescale: 30))
        }
        #expect(await session.configuration.input?.frameRate == 30)
        try await waitUntil { script.opens == 2 }
        try await show(1...1)
        try await session.waitUntilRunning()
        #expect(await session.running?.activeFormat == small)
        await session.close()
        var empty = CaptureSession.Configuration()
        #expect(throws: CaptureError.self) { try empty.setActiveFormat(small) }
    }

    @Test("a running session keeps its last picture while its format or preset changes")
    func pictureStays() async throws {
        let small = CaptureFormat(
            pixelFormat: .xrgb, dimensions: Dimensions(width: 8, height: 8), maximumFrameRate: 30)
        var camera = ScriptedCamera(script: script)
        camera.formats.append(small)
        let device = camera.device
        try await start(device)
        let changes: [@Sendable (inout CaptureSession.Configuration) throws -> Void] = [
            { configuration in
                configuration.removeInput()
                try configuration.addInput(
                    CaptureDeviceInput(device: device, dimensions: small.dimensions))
            },
            { $0.preset = .low },
        ]
        for (number, change) in changes.enumerated() {
            try await session.configure(change)
            try await waitUntil { script.opens == number + 2 }
            let sequence = UInt32(number + 1)
            try await show(sequence...sequence)
            try await session.waitUntilRunning()
        }
        #expect(target.shown == [0, 1, 2])
        // A suspended display keeps its picture; a disconnected one would be black.
        #expect(target.calls == ["connect", "suspend", "connect", "suspend", "connect"])
        await session.close()
    }

    @Test("a preview that is mirrored while the session runs is connected again, mirrored")
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
        // The display is not disconnected, so its last picture stays.
        #expect(target.calls == ["connect", "suspend", "connect mirrored"])
        #expect(target.shown == [0, 1, 2])
        await session.close()
    }

    @Test("a session takes at most two previews, each on its own display")
    func thirdPreview() throws {
        var configuration = CaptureSession.Configuration()
        try configuration.addOutput(preview)
        #expect(!configuration.canAddOutput(PreviewOutput(target: target)))
        try configuration.addOutput(PreviewOutput(target: ShowingTarget()))
        let third = PreviewOutput(target: ShowingTarget())
        #expect(!configuration.canAddOutput(third))
        let error = #expect(throws: CaptureError.self) { try configuration.addOutput(third) }
        #expect(error?.code == .invalidConfiguration)
        #expect(configuration.outputs.count == 2 && configuration.preview === preview)
        configuration.removeOutput(preview)
        try configuration.addOutput(third)
        #expect(configuration.previews.last === third)
    }

    @Test("two displays show every frame of one stream, and the first does if one refuses")
    func twoDisplays() async throws {
        let other = ShowingTarget()
        let second = PreviewOutput(target: other)
        try await session.configure { try $0.addOutput(second) }
        try await start()
        // The session's first output is `second`.
        #expect(await session.running?.previewPaths == [.exported, .exported])
        try await show(1...3)
        try await waitUntil { other.shown.last == 3 }
        #expect(other.shown == target.shown)
        #expect(other.calls == ["connect"] && target.calls == ["connect"])

        // `target`, the second one, refuses from now on.
        target.refuse()
        await session.renegotiate()
        try await waitUntil { script.opens == 2 }
        script.play(.frame(sequence: 4, timestamp: 0))
        try await waitUntil { other.shown.last == 4 }
        try await session.waitUntilRunning()
        #expect(await session.running?.previewPaths == [.exported, nil])
        #expect(target.shown.last == 3)
        await session.close()
        #expect(other.calls.last == "disconnect" && target.calls.last == "disconnect")
    }

    @Test(
        "a removed input closes the camera, and a new input starts the stream again",
        arguments: [true, false])
    func cameraTaken(isGivenTheSame: Bool) async throws {
        let device = ScriptedCamera(script: script).device
        try await start(device)
        try await session.configure { $0.removeInput() }
        try await waitUntil { script.openNow == 0 }
        try await waitUntil { await session.running == nil }

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
