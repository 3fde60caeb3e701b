// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Glibc
import LinuxIO
import Media
import Synchronization
import TestSupport
import Testing

/// The streams negotiated with cameras and displays that have limits.
@Suite("Stream negotiation", .timeLimit(.common))
struct StreamNegotiationTests {
    private let script: CameraScript
    private let session: CaptureSession
    private let output = CountingOutput()

    init() throws {
        script = try CameraScript()
        session = try CaptureSession()
    }

    private func format(
        _ pixelFormat: PixelFormat, _ width: Int = 16, _ height: Int = 16
    ) -> CaptureFormat {
        CaptureFormat(
            pixelFormat: pixelFormat, dimensions: Dimensions(width: width, height: height),
            maximumFrameRate: 30)
    }

    /// Configures a camera with these formats, and a display if there is a target.
    private func configure(
        _ formats: CaptureFormat..., on target: PickyTarget? = nil, busPath: String = "test",
        preset: Preset = .high
    ) async throws {
        var camera = ScriptedCamera(script: script, formats: formats)
        camera.busPath = busPath
        let (input, output) = (CaptureDeviceInput(device: camera.device), output)
        try await session.configure { configuration in
            configuration.preset = preset
            try configuration.addInput(input)
            try configuration.addOutput(output)
            if let target { try configuration.addOutput(PreviewOutput(target: target)) }
        }
    }

    /// Starts the session with a first frame.
    @discardableResult
    private func start() async throws -> RunningStream {
        script.play(.frame(sequence: 0, timestamp: 0))
        return try await session.startRunning()
    }

    // MARK: formats

    @Test("a format that the camera announces but refuses is skipped")
    func refusedFormat() async throws {
        script.refuse(.nv12)
        try await configure(format(.xrgb), format(.nv12))
        let running = try await start()
        #expect(running.stream.frame.pixelFormat == .xrgb)
        // This shows that NV12 was tried and refused.
        #expect(running.refusals.contains { $0.contains("NV12") })
        await session.close()
    }

    @Test("a preset that the camera lacks is reported by the stream that replaces it")
    func missedPreset() async throws {
        try await configure(
            format(.yuyv, 640, 480), format(.grey, 1280, 720), preset: .hd1280x720)
        let running = try await start()
        #expect(running.stream.frame.dimensions == Dimensions(width: 640, height: 480))
        #expect(running.missedPreset == .hd1280x720)
        await session.stopRunning()
        try await session.configure { $0.preset = .vga640x480 }
        #expect(try await start().missedPreset == nil)
        await session.close()
    }

    // MARK: memory

    @Test("a driver that grants too few frames fails the start, and the error says so")
    func tooFewFrames() async throws {
        script.grant(2)
        try await configure(format(.xrgb))
        let error = await #expect(throws: CaptureError.self) { try await session.startRunning() }
        #expect("\(error.map { "\($0)" } ?? "")".contains("2 frames"))
        await session.close()
        #expect(script.openNow == 0)
    }

    @Test(
        "a display short of memory lends no more frames than the stream needs",
        arguments: [(7, 7), (6, 5), (4, 4), (3, 3)])
    func shortMemory(room: Int, lent: Int) async throws {
        // The display can scan out a USB camera's frames only from its own memory.
        let target = PickyTarget(room: room)
        try await configure(format(.xrgb), on: target, busPath: "usb-test")
        let running = try await start()
        #expect(running.previewPath == .imported)
        #expect(running.stream.frameCount == lent)
        await session.close()
    }

    @Test("a display with too little memory gets copies of the camera's frames")
    func noMemory() async throws {
        let target = PickyTarget(room: 2)
        try await configure(format(.xrgb), on: target, busPath: "usb-test")
        let running = try await start()
        #expect(running.previewPath == .copied)
        #expect(running.stream.frameCount == 7)
        await session.close()
    }

    // MARK: the display

    @Test("a display that cannot show the frames gets none, and other outputs do")
    func unshown() async throws {
        let target = PickyTarget(refuses: true)
        try await configure(format(.xrgb), on: target)
        let running = try await start()
        script.play(.frame(sequence: 1, timestamp: 0), .frame(sequence: 2, timestamp: 0))
        try await output.wait(for: 3)
        #expect(running.previewPath == nil)
        #expect(target.calls.contains("connect") && !target.calls.contains("frame"))
        await session.close()
    }

    @Test("an absent or refusing display does not affect the other of two displays")
    func oneOfTwo() async throws {
        for (isFirst, other) in [
            (true, PickyTarget(isAvailable: false)), (false, PickyTarget(isAvailable: false)),
            (true, PickyTarget(refuses: true)), (false, PickyTarget(refuses: true)),
        ] {
            let script = try CameraScript()
            let session = try CaptureSession()
            let target = PickyTarget()
            let camera = ScriptedCamera(script: script, formats: [format(.xrgb)])
            let outputs = (isFirst ? [other, target] : [target, other]).map {
                PreviewOutput(target: $0)
            }
            try await session.configure { configuration in
                try configuration.addInput(CaptureDeviceInput(device: camera.device))
                for output in outputs { try configuration.addOutput(output) }
            }
            script.play(.frame(sequence: 0, timestamp: 0))
            let running = try await session.startRunning()
            #expect(running.previewPaths == (isFirst ? [nil, .exported] : [.exported, nil]))
            // An absent display is not asked for anything.
            #expect(other.isAvailable == other.calls.contains("connect"))
            await session.close()
        }
    }

    @Test("a display that was connected to a stream that fails to start is suspended")
    func failedStart() async throws {
        let target = PickyTarget()
        try await configure(format(.xrgb), on: target)
        script.failStarts(1)
        let running = try await start()
        try await output.wait(for: 1)
        #expect(target.calls.prefix(2) == ["connect", "suspend"])
        #expect(target.calls.contains("frame"))
        // A refusal that happens once does not cost the fastest path.
        #expect(running.previewPath == .exported)
        await session.close()
    }
}

/// A display that records its calls and accepts every stream or none.
private final class PickyTarget: PreviewTarget {
    private let refuses: Bool
    let isAvailable: Bool
    private let noted = Mutex<[String]>([])
    /// The number of frames that it still has memory for.
    private let room: Mutex<Int>

    init(refuses: Bool = false, room: Int = 0, isAvailable: Bool = true) {
        self.refuses = refuses
        self.isAvailable = isAvailable
        self.room = Mutex(room)
    }

    var calls: [String] { noted.withLock { $0 } }
    private func note(_ call: String) { noted.withLock { $0.append(call) } }

    func canScanOut(_ pixelFormat: PixelFormat) -> Bool { true }

    func allocate(_ description: FrameDescription) throws -> [FrameBuffer]? {
        let isShort = room.withLock { room in
            room -= 1
            return room < 0
        }
        if isShort { throw SystemCallError(call: "DRM_IOCTL_MODE_CREATE_DUMB", code: ENOMEM) }
        return [try FrameBuffer.memory(1024)]
    }

    func connect(
        _ pool: FramePool, frames: FrameHandoff, by memoryPath: PreviewMemoryPath,
        layout: VideoLayout
    ) throws -> PreviewPath {
        note("connect")
        if refuses { throw SystemCallError(call: "connect", code: EINVAL) }
        return switch memoryPath {
        case .exported: .exported
        case .imported: .imported
        case .mapped: .copied
        }
    }
    func frameArrived() { note("frame") }
    func suspend() { note("suspend") }
    func disconnect() {}
}
