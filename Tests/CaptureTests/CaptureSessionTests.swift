// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Dispatch
import Glibc
import LinuxIO
import Media
import Synchronization
import TestSupport
import Testing

/// Records the frames, starts and stops that it receives.
final class CountingOutput: CaptureOutput {
    private let frames = Mutex<[UInt32]>([])
    private let starts = Mutex(0)
    private let stops = Mutex<[Bool]>([])
    let heldFrames = 2

    var sequences: [UInt32] { frames.withLock { $0 } }
    var isBalanced: Bool { starts.withLock { $0 } == restartsSaid.count }

    func streamDidStart(_ stream: StreamDescription, on connection: CaptureConnection) {
        starts.withLock { $0 += 1 }
    }
    func streamDidStop(willRestart: Bool) { stops.withLock { $0.append(willRestart) } }
    /// Whether each stop announced another stream, in order.
    var restartsSaid: [Bool] { stops.withLock { $0 } }
    func receive(_ frame: borrowing FrameLease, from camera: any CameraStream) {
        let sequence = frame.info.sequence
        frames.withLock { $0.append(sequence) }
    }

    /// Waits until at least `count` frames have come.
    func wait(for count: Int) async throws {
        try await waitUntil { sequences.count >= count }
    }
}

/// An output that blocks in the middle of its work when told to.
final class StandingOutput: CaptureOutput {
    private let state = Mutex((mustStand: false, isStanding: false))
    private let way = DispatchSemaphore(value: 0)
    let heldFrames = 0

    func stand() { state.withLock { $0.mustStand = true } }
    var isStanding: Bool { state.withLock { $0.isStanding } }
    func goOn() { way.signal() }

    func streamDidStart(_ stream: StreamDescription, on connection: CaptureConnection) {}
    func streamDidStop(willRestart: Bool) {}
    func receive(_ frame: borrowing FrameLease, from camera: any CameraStream) {
        let mustStand = state.withLock { state in
            defer { state = (false, state.mustStand) }
            return state.mustStand
        }
        if mustStand { way.wait() }
    }
}

extension CaptureSession {
    /// The number of notification sequences that the session serves.
    fileprivate var observerCount: Int {
        get throws {
            let property = Mirror(reflecting: self).children.first { $0.label == "observers" }
            let observers = property?.value as? [Int: AsyncStream<Notification>.Continuation]
            return try #require(observers).count
        }
    }
}

@Suite("CaptureSession", .timeLimit(.common))
struct CaptureSessionTests {
    let script: CameraScript
    let session: CaptureSession
    let output = CountingOutput()

    init() throws {
        script = try CameraScript()
        session = try CaptureSession()
    }

    /// - Parameter frameInterval: The camera's interval in nanoseconds. The default lets the camera
    ///   be silent for a minute.
    private func configured(frameInterval: Int64? = nil) async throws {
        var camera = ScriptedCamera(script: script)
        if let frameInterval { camera.frameInterval = frameInterval }
        let (device, output) = (camera.device, output)
        try await session.configure { configuration in
            try configuration.addInput(CaptureDeviceInput(device: device))
            try configuration.addOutput(output)
        }
    }

    /// Starts the session with a first frame.
    private func start(sequence: UInt32 = 0) async throws {
        script.play(.frame(sequence: sequence, timestamp: 0))
        try await session.startRunning()
    }

    @Test("frames reach the outputs in order, damaged ones do not, and gaps are counted")
    func frames() async throws {
        try await configured()
        try await start()
        script.play(
            .frame(sequence: 1, timestamp: 1), .frame(sequence: 2, timestamp: 2),
            .frame(sequence: 3, timestamp: 3, isDamaged: true), .frame(sequence: 7, timestamp: 4))
        try await output.wait(for: 4)
        #expect(output.sequences == [0, 1, 2, 7])
        #expect(session.statistics.framesDropped(.damaged) == 1)
        #expect(session.statistics.framesDropped(.driver) == 3)
        #expect(session.statistics.framesCaptured == 5)
        await session.close()
        #expect(script.openNow == 0)
        #expect(output.isBalanced)
    }

    @Test("a wrap of the sequence number counts no drop")
    func wrap() async throws {
        try await configured()
        try await start(sequence: .max - 1)
        script.play(.frame(sequence: .max, timestamp: 1), .frame(sequence: 0, timestamp: 2))
        try await output.wait(for: 3)
        #expect(session.statistics.framesDropped(.driver) == 0)
        await session.close()
    }

    @Test("a sequence step of 999 counts 998 drops, and a step of 1000 counts none")
    func largeSteps() async throws {
        try await configured()
        try await start()
        script.play(.frame(sequence: 999, timestamp: 1))
        try await output.wait(for: 2)
        #expect(session.statistics.framesDropped(.driver) == 998)
        // A step of 1000, a step back to 0, and a step over one missing frame.
        script.play(
            .frame(sequence: 1999, timestamp: 2), .frame(sequence: 0, timestamp: 3),
            .frame(sequence: 2, timestamp: 4))
        try await output.wait(for: 5)
        #expect(session.statistics.framesDropped(.driver) == 998 + 1)
        await session.close()
    }

    @Test("an unplugged camera interrupts the session, which recovers by itself")
    func unplugged() async throws {
        try await configured()
        let notifications = await session.notifications()
        try await start()
        script.refuse(ENODEV)
        script.play(.fail(ENODEV))
        var seen: [String] = []
        for await notification in notifications {
            switch notification {
            case .didStartRunning: seen.append("started")
            case .wasInterrupted(let error):
                seen.append("interrupted \(error.code)")
                script.refuse(nil)
                script.play(.frame(sequence: 0, timestamp: 0))
            case .interruptionEnded: seen.append("ended")
            case .didStopRunning, .runtimeError: seen.append("other")
            }
            if seen.last == "ended" { break }
        }
        #expect(seen == ["started", "interrupted disconnected", "ended"])
        script.play(.frame(sequence: 1, timestamp: 1))
        try await output.wait(for: 3)
        await session.close()
        #expect(script.openNow == 0)
    }

    @Test("a session is running only after its first undamaged frame")
    func firstFrame() async throws {
        try await configured()
        let session = session
        let started = Task { try await session.startRunning() }
        try await waitUntil { script.queued > 0 }
        #expect(await session.state == .starting)
        script.play(.frame(sequence: 1, timestamp: 1, isDamaged: true))
        try await waitUntil { session.statistics.framesCaptured >= 1 }
        #expect(await session.state == .starting)
        script.play(.frame(sequence: 2, timestamp: 1))
        _ = try await started.value
        #expect(await session.state == .running)
        await session.close()
    }

    @Test("a changed reason of an interruption is announced again")
    func changedReason() async throws {
        try await configured()
        let notifications = await session.notifications()
        try await start()
        script.refuse(EBUSY)
        script.play(.fail(ENODEV))
        var codes: [CaptureError.Code] = []
        for await notification in notifications {
            guard case .wasInterrupted(let error) = notification else { continue }
            codes.append(error.code)
            if error.code == .busy { script.refuse(EACCES) }
            if codes.count == 3 { break }
        }
        #expect(codes == [.disconnected, .busy, .notPermitted])
        await session.close()
    }

    @Test("timestamps of another clock are replaced by the arrival time, and counted")
    func foreignClock() async throws {
        try await configured()
        try await start()
        script.play(.frame(sequence: 1, timestamp: .max), .frame(sequence: 2, timestamp: .min))
        try await output.wait(for: 3)
        // Those two and the first frame.
        #expect(session.statistics.framesRestamped == 3)
        script.play(.frame(sequence: 3, timestamp: Clock.monotonic))
        try await output.wait(for: 4)
        #expect(session.statistics.framesRestamped == 3)
        await session.close()
    }

    @Test("a closed session ends its notifications and opens no camera")
    func closedForGood() async throws {
        try await configured()
        let before = await session.notifications()
        try await start()
        await session.close()
        var last: CaptureSession.Notification?
        for await notification in before { last = notification }
        guard case .didStopRunning? = last else {
            Issue.record("the last was \(String(describing: last))")
            return
        }
        for await _ in await session.notifications() { Issue.record("told after its end") }
        await #expect(throws: CaptureError.self) { try await session.startRunning() }
        try await session.configure { $0.preset = .low }
        await session.renegotiate()
        await session.stopRunning()
        await session.close()
        #expect(script.attempts == 1 && script.openNow == 0)
    }

    @Test("a dropped notification sequence is forgotten, and the others continue")
    func droppedNotifications() async throws {
        try await configured()
        let others = await session.notifications()
        func listen() async throws {
            let unread = await session.notifications()
            var notifications = await session.notifications().makeAsyncIterator()
            #expect(try await session.observerCount == 3)
            try await start()
            guard case .didStartRunning = await notifications.next(isolation: #isolation) else {
                Issue.record("not started")
                return
            }
            withExtendedLifetime(unread) {}
        }
        try await listen()
        try await waitUntil { try await session.observerCount <= 1 }
        #expect(try await session.observerCount == 1)
        await session.stopRunning()
        var seen: [String] = []
        for await notification in others {
            switch notification {
            case .didStartRunning: seen.append("started")
            case .didStopRunning: seen.append("stopped")
            case .wasInterrupted, .interruptionEnded, .runtimeError: seen.append("other")
            }
            if seen.last == "stopped" { break }
        }
        #expect(seen == ["started", "stopped"])
        await session.close()
    }

    @Test("a silent camera is streamed off and on, and not opened again")
    func stall() async throws {
        try await configured(frameInterval: ScriptedCamera.promptInterval)
        script.play(.frame(sequence: 1, timestamp: 1), atPause: 1)
        try await start()
        try await output.wait(for: 2)
        #expect(script.opens == 1)
        #expect(await session.state == .running)
        await session.close()
    }

    @Test("a frame that comes while the thread is blocked ends the silence")
    func away() async throws {
        try await configured(frameInterval: ScriptedCamera.promptInterval)
        let slow = StandingOutput()
        try await session.configure { try $0.addOutput(slow) }
        try await start()
        let first = script.lastFrame
        slow.stand()
        script.play(.frame(sequence: 1, timestamp: 1))
        try await waitUntil { slow.isStanding }
        let pauses = script.pauses
        // Block for longer than the session waits for frames that are this far apart.
        let patience = max(1_000_000_000, 3 * (script.lastFrame - first))
        try await Task.sleep(for: .nanoseconds(patience + 300_000_000))
        script.play(.frame(sequence: 2, timestamp: 2))
        slow.goOn()
        try await output.wait(for: 3)
        #expect(script.pauses == pauses)
        await session.close()
    }

    @Test("each wait for a slow camera's first frame is longer than the last")
    func slow() async throws {
        try await configured(frameInterval: ScriptedCamera.promptInterval)
        script.play(.frame(sequence: 1, timestamp: 1), atPause: 2)
        try await session.startRunning()
        // The first wait lasts one second, the second two.
        #expect(script.pauseTimes[1] - script.pauseTimes[0] >= 2_000_000_000)
        #expect(script.opens == 1)
        await session.close()
    }

    @Test("a camera that sends only damaged frames interrupts the session")
    func onlyDamaged() async throws {
        try await configured(frameInterval: ScriptedCamera.promptInterval)
        let notifications = await session.notifications()
        try await start()
        let script = script
        let damage = Task {
            while !Task.isCancelled {
                script.play(.frame(sequence: 1, timestamp: 1, isDamaged: true))
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        for await notification in notifications {
            if case .wasInterrupted = notification { break }
        }
        damage.cancel()
        #expect(script.pauses >= 3)
        await session.close()
    }

    /// Makes the driver block, and waits until it blocks `count` threads in all.
    private func hang(_ count: Int) async throws {
        script.play(.hang)
        try await waitUntil { script.hanging >= count }
    }

    /// Waits until the session replaces the camera's thread.
    private func giveUp() async throws {
        try await waitUntil { await session.replaceHangingThread(after: .milliseconds(50)) }
    }

    @Test("a thread stuck in its driver is replaced, and does nothing once it returns")
    func hangingDriver() async throws {
        try await configured()
        var notifications = await session.notifications().makeAsyncIterator()
        try await start()
        guard case .didStartRunning = await notifications.next(isolation: #isolation) else {
            Issue.record("not started")
            return
        }
        try await hang(1)
        try await giveUp()
        guard case .wasInterrupted(let error) = await notifications.next(isolation: #isolation)
        else {
            Issue.record("not interrupted")
            return
        }
        #expect(error.code == .stalled)
        script.play(.frame(sequence: 5, timestamp: 0))
        guard case .interruptionEnded = await notifications.next(isolation: #isolation) else {
            Issue.record("not running again")
            return
        }
        #expect(script.opens == 2 && script.openNow == 2)
        #expect(output.restartsSaid == [true])
        script.release()
        try await waitUntil { script.openNow <= 1 }
        script.play(.frame(sequence: 6, timestamp: 0))
        try await output.wait(for: 3)
        #expect(output.sequences == [0, 5, 6])
        #expect(output.restartsSaid == [true])
        await session.stopRunning()
        #expect(script.openNow == 0 && output.isBalanced)
    }

    @Test("a start that is called during a stop opens the camera again")
    func startWhileStopping() async throws {
        try await configured()
        let slow = StandingOutput()
        try await session.configure { try $0.addOutput(slow) }
        try await start()
        slow.stand()
        script.play(.frame(sequence: 1, timestamp: 0))
        try await waitUntil { slow.isStanding }
        let (stop, start) = (Sign(), Sign())
        let stopping = Task { await session.stopRunning(saying: stop) }
        try await waitUntil { stop.isGiven }
        let starting = Task { try await session.startRunning(saying: start) }
        try await waitUntil { start.isGiven }
        // The session lets no caller in before both wait for the thread.
        _ = await session.state
        slow.goOn()
        script.play(.frame(sequence: 2, timestamp: 0))
        _ = try await starting.value
        await stopping.value
        #expect(await session.state == .running)
        #expect(script.opens == 2)
        await session.close()
        await #expect(throws: CaptureError.self) { try await session.startRunning() }
    }

    @Test("startRunning() throws without an input, and a later input starts the session")
    func noInput() async throws {
        let error = await #expect(throws: CaptureError.self) { try await session.startRunning() }
        #expect(error?.code == .invalidConfiguration)
        script.play(.frame(sequence: 0, timestamp: 0))
        try await configured()
        try await waitUntil { await session.state == .running }
        await session.close()
    }

    @Test("a session without references closes its camera")
    func dropped() async throws {
        var another: CaptureSession? = try CaptureSession()
        let device = ScriptedCamera(script: script).device
        try await another?.configure { try $0.addInput(CaptureDeviceInput(device: device)) }
        script.play(.frame(sequence: 0, timestamp: 0))
        _ = try await another?.startRunning()
        #expect(script.openNow == 1)
        another = nil
        try await waitUntil { script.openNow == 0 }
    }

    @Test("a preset can be set if the input's pixel format and size allow it")
    func presets() async throws {
        let formats = [(PixelFormat.yuyv, 640, 480), (.mjpeg, 1920, 1080)].map {
            CaptureFormat(
                pixelFormat: $0, dimensions: Dimensions(width: $1, height: $2),
                maximumFrameRate: 30)
        }
        let device = ScriptedCamera(script: script, formats: formats).device
        for (pixelFormat, isThere) in [(PixelFormat?.none, true), (.mjpeg, true), (.yuyv, false)] {
            try await session.configure { configuration in
                configuration.removeInput()
                try configuration.addInput(
                    CaptureDeviceInput(device: device, pixelFormat: pixelFormat))
            }
            #expect(await session.canSetSessionPreset(.hd1920x1080) == isThere)
        }
        // The input's own size takes precedence over the preset's.
        try await session.configure { configuration in
            configuration.removeInput()
            try configuration.addInput(
                CaptureDeviceInput(device: device, dimensions: Dimensions(width: 640, height: 480)))
        }
        for (preset, isThere) in [
            (Preset.hd1920x1080, false), (.vga640x480, true), (.high, true), (.inputPriority, true),
        ] {
            #expect(await session.canSetSessionPreset(preset) == isThere)
        }
        await session.close()
    }

    @Test("the session answers other calls while it searches a camera for a preset")
    func slowSearch() async throws {
        let camera = ScriptedCamera(script: script)
        let isAsked = Mutex(false)
        let mayAnswer = DispatchSemaphore(value: 0)
        let device = CaptureDevice(uniqueID: "slow") { () throws(CaptureError) in
            isAsked.withLock { $0 = true }
            guard mayAnswer.wait(timeout: .now() + .seconds(60)) == .success else {
                throw CaptureError(.noDevice, "nobody came by")
            }
            return camera
        }
        try await session.configure { try $0.addInput(CaptureDeviceInput(device: device)) }
        async let isThere = session.canSetSessionPreset(.high)
        try await waitUntil { isAsked.withLock({ $0 }) }
        #expect(await session.state == .stopped)
        mayAnswer.signal()
        #expect(await isThere)
        await session.close()
    }

    @Test("each failing configuration reports its error, also after another failure")
    func failedTwice() async throws {
        let notifications = await session.notifications()
        let device = ScriptedCamera(script: script).device
        for pixelFormat in [PixelFormat.mjpeg, .nv12] {
            try await session.configure { configuration in
                configuration.removeInput()
                try configuration.addInput(
                    CaptureDeviceInput(device: device, pixelFormat: pixelFormat))
            }
            await #expect(throws: CaptureError.self) { try await session.startRunning() }
        }
        await session.stopRunning()
        var told: [CaptureError.Code] = []
        for await notification in notifications {
            if case .runtimeError(let error) = notification { told.append(error.code) }
            if case .didStopRunning = notification { break }
        }
        #expect(told == [.unsupported, .unsupported])
        await session.close()
    }

    @Test("notifications report each start, one stop and an unusable configuration")
    func notified() async throws {
        try await configured()
        let notifications = await session.notifications()
        try await start()
        await session.stopRunning()
        await session.stopRunning()
        let device = ScriptedCamera(script: script).device
        try await session.configure { configuration in
            configuration.removeInput()
            try configuration.addInput(CaptureDeviceInput(device: device, pixelFormat: .mjpeg))
        }
        let error = await #expect(throws: CaptureError.self) {
            try await self.session.startRunning()
        }
        #expect(error?.code == .unsupported)
        script.play(.frame(sequence: 0, timestamp: 0))
        try await session.configure { configuration in
            configuration.removeInput()
            try configuration.addInput(CaptureDeviceInput(device: device))
        }
        var seen: [String] = []
        for await notification in notifications {
            switch notification {
            case .didStartRunning: seen.append("started")
            case .didStopRunning: seen.append("stopped")
            case .wasInterrupted: seen.append("interrupted")
            case .interruptionEnded: seen.append("ended")
            case .runtimeError(let error): seen.append("\(error.code)")
            }
            if seen.count == 4 { break }
        }
        #expect(seen == ["started", "stopped", "unsupported", "started"])
        await session.close()
    }

    @Test("a thread that makes progress, or is blocked in an output, is not replaced")
    func notGivenUp() async throws {
        try await configured()
        let slow = StandingOutput()
        try await session.configure { try $0.addOutput(slow) }
        #expect(await !session.replaceHangingThread(after: .zero))  // nothing to do
        slow.stand()
        script.play(.frame(sequence: 0, timestamp: 0))
        async let running = session.startRunning()
        try await waitUntil { slow.isStanding }
        try await Task.sleep(for: .milliseconds(50))
        #expect(await !session.replaceHangingThread(after: .milliseconds(1)))
        slow.goOn()
        _ = try await running
        #expect(script.opens == 1)
        // The thread makes progress without frames too.
        for _ in 0..<2 {
            let last = try #require(session.statistics.lastHeartbeat)
            try await waitUntil { session.statistics.lastHeartbeat ?? 0 > last }
        }
        #expect(await !session.replaceHangingThread(after: .seconds(600)))
        await session.stopRunning()
    }

    @Test("a session closes although its driver blocks the camera's thread")
    func closeHanging() async throws {
        try await configured()
        try await start()
        try await hang(1)
        async let closed: Void = session.close()
        try await giveUp()
        await closed
        // The first stop announced another stream.
        #expect(output.restartsSaid == [true, false])
        script.release()
        await session.close()
    }

    @Test("the number of replaced threads is limited")
    func alwaysHanging() async throws {
        try await configured()
        try await start()
        for count in 1...3 {
            try await hang(count)
            try await giveUp()
            script.play(.frame(sequence: 1, timestamp: 0))
            try await waitUntil { await session.state == .running }
        }
        try await hang(4)
        try await Task.sleep(for: .milliseconds(100))
        #expect(await !session.replaceHangingThread(after: .milliseconds(50)))
        // Threads that return make room for more.
        for _ in 0..<4 { script.release() }
        try await waitUntil { script.openNow <= 1 }
        try await hang(1)
        try await giveUp()
        script.release()
        await session.stopRunning()
    }

    @Test("a configuration that throws changes nothing")
    func rollback() async throws {
        try await configured()
        let script = script
        await #expect(throws: CaptureError.self) {
            try await session.configure { configuration in
                configuration.preset = .low
                try configuration.addInput(
                    CaptureDeviceInput(device: ScriptedCamera(script: script).device))
            }
        }
        #expect(await session.configuration.preset == .high)
        #expect(await session.configuration.input != nil)
    }

    @Test("an input or output can be added once, and again after its removal")
    func adding() async throws {
        var configuration = CaptureSession.Configuration()
        let input = CaptureDeviceInput(device: ScriptedCamera(script: script).device)
        #expect(configuration.canAddInput(input))
        try configuration.addInput(input)
        #expect(!configuration.canAddInput(input))
        #expect(throws: CaptureError.self) { try configuration.addInput(input) }
        try configuration.addOutput(output)
        #expect(!configuration.canAddOutput(output))
        #expect(throws: CaptureError.self) { try configuration.addOutput(output) }
        configuration.removeOutput(output)
        configuration.removeInput()
        #expect(configuration.canAddInput(input) && configuration.canAddOutput(output))
    }

    @Test("a configuration with an unsupported connection change throws and changes nothing")
    func connections() async throws {
        try await configured()
        let output = output
        #expect(await session.configuration.connection(with: output)?.isVideoMirrored == false)
        await #expect(throws: CaptureError.self) {
            try await session.configure { configuration in
                configuration.preset = .low
                try configuration.withConnection(to: output) { connection throws(CaptureError) in
                    try connection.setVideoMirrored(true)
                }
            }
        }
        #expect(await session.configuration.preset == .high)
        await #expect(throws: CaptureError.self) {
            try await session.configure { configuration in
                configuration.removeOutput(output)
                try configuration.withConnection(to: output) { _ in }
            }
        }
        #expect(await session.configuration.outputs.count == 1)
        await session.close()
    }

    @Test("a connection refuses unsupported changes, and accepts switching them off")
    func unsupported() throws {
        var connection = CaptureConnection(output: output)
        #expect(!connection.isVideoMirroringSupported && !connection.isVideoStabilizationSupported)
        #expect(!connection.isVideoRotationAngleSupported(90))
        var error = #expect(throws: CaptureError.self) { try connection.setVideoMirrored(true) }
        #expect(error?.code == .unsupported)
        error = #expect(throws: CaptureError.self) { try connection.setVideoRotationAngle(90) }
        #expect(error?.code == .unsupported)
        error = #expect(throws: CaptureError.self) {
            try connection.setPreferredVideoStabilizationMode(.auto)
        }
        #expect(error?.code == .unsupported)
        #expect(!connection.isVideoMirrored && connection.videoRotationAngle == 0)
        #expect(connection.preferredVideoStabilizationMode == .off)
        try connection.setVideoMirrored(false)
        try connection.setVideoRotationAngle(0)
        try connection.setPreferredVideoStabilizationMode(.off)
    }

    @Test("each start opens the camera, and each stop closes it")
    func restart() async throws {
        try await configured()
        for round in 1...5 {
            try await start()
            #expect(script.openNow == 1)
            await session.stopRunning()
            #expect(script.openNow == 0)
            #expect(script.opens == round)
        }
        await session.close()
    }

    @Test("outputs are told whether another stream follows, and later if it does not")
    func restarts() async throws {
        try await configured()
        try await start()
        await session.renegotiate()
        script.play(.frame(sequence: 1, timestamp: 0))
        try await output.wait(for: 2)
        #expect(output.restartsSaid == [true])
        script.refuse(ENODEV)
        await session.renegotiate()
        try await waitUntil { await session.state == .interrupted }
        #expect(output.restartsSaid == [true, true, false])
        await session.stopRunning()
        #expect(output.restartsSaid == [true, true, false])
        await session.close()
    }
}
