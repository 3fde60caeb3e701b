// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Dispatch
import Glibc
import LinuxIO
import Media
import Synchronization
import TestSupport
import Testing

/// Closes an output. Once a caller sees `hasBegun`, only the receiver is awaited: the actor lets no
/// caller in before.
private actor Closer {
    private(set) var hasBegun = false
    private(set) var hasEnded = false

    func close(_ output: VideoDataOutput) async {
        hasBegun = true
        await output.close()
        hasEnded = true
    }
}

/// A program's receiver, which records the frames that it gets.
private final class Receiver: Sendable {
    private let seen = Mutex<[UInt32]>([])
    private let mustStand = Mutex(false)
    private let way = DispatchSemaphore(value: 0)

    var sequences: [UInt32] { seen.withLock { $0 } }
    /// Makes `receive` block at the next frame until ``goOn()``.
    func stand() { mustStand.withLock { $0 = true } }
    func goOn() {
        mustStand.withLock { $0 = false }
        way.signal()
    }

    func receive(_ frame: borrowing FrameLease) {
        let sequence = frame.info.sequence
        seen.withLock { $0.append(sequence) }
        if mustStand.withLock({ $0 }) { way.wait() }
    }
}

@Suite("Data outputs and reconfiguration", .timeLimit(.common))
struct DataOutputTests {
    private let script: CameraScript
    private let session: CaptureSession
    private let other = CountingOutput()
    private let receiver = Receiver()

    init() throws {
        script = try CameraScript()
        session = try CaptureSession()
    }

    private func start(_ outputs: any CaptureOutput..., buffers: Int? = nil) async throws {
        let (script, other) = (script, other)
        try await session.configure { configuration in
            try configuration.addInput(
                CaptureDeviceInput(
                    device: ScriptedCamera(script: script).device, bufferCount: buffers))
            try configuration.addOutput(other)
            for output in outputs { try configuration.addOutput(output) }
        }
        script.play(.frame(sequence: 0, timestamp: 0))
        try await session.startRunning()
    }

    /// Plays these frames one at a time; each reaches the outputs before the next comes.
    private func play(_ sequences: ClosedRange<UInt32>) async throws {
        for sequence in sequences {
            script.play(.frame(sequence: sequence, timestamp: 0))
            try await other.wait(for: Int(sequence) + 1)
        }
    }

    @Test("a receiver gets every frame in order and gives each back")
    func inOrder() async throws {
        let output = try VideoDataOutput { [receiver] in receiver.receive($0) }
        try await start(output)
        try await waitUntil { output.framesDelivered == 1 }
        for sequence: UInt32 in 1...20 {
            try await play(sequence...sequence)
            try await waitUntil { output.framesDelivered == Int(sequence) + 1 }
        }
        try await waitUntil { receiver.sequences.count == 21 }
        #expect(receiver.sequences == Array(0...20))
        #expect(output.framesDropped == 0)
        await session.close()
        await output.close()
    }

    @Test(
        "a blocked receiver stalls no other output, and each frame is accounted for",
        arguments: [true, false])
    func sleeping(discardsLate: Bool) async throws {
        let output = try VideoDataOutput(alwaysDiscardsLateVideoFrames: discardsLate) {
            [receiver] in receiver.receive($0)
        }
        receiver.stand()
        try await start(output)
        try await waitUntil { receiver.sequences.count == 1 }
        try await play(1...30)
        // Only one of the thirty frames waits if late frames are discarded, otherwise four.
        try await waitUntil { output.framesDropped == (discardsLate ? 29 : 26) }
        #expect(output.framesDelivered == 1)
        receiver.goOn()
        try await waitUntil { receiver.sequences.count == (discardsLate ? 2 : 5) }
        #expect(receiver.sequences == (discardsLate ? [0, 30] : [0, 1, 2, 3, 4]))
        await session.close()
        await output.close()
        #expect(output.framesDelivered + output.framesDropped == 31)
        #expect(script.openNow == 0)
    }

    /// Returns a frame whose bytes all hold its number.
    private func filled(_ sequence: UInt32) -> CameraScript.Step {
        .frame(
            sequence: sequence, timestamp: 0,
            picture: [UInt8](repeating: UInt8(truncatingIfNeeded: sequence), count: 1024))
    }

    /// Returns whether the bytes still hold the frame's number. Frame 0 holds zeros, unfilled.
    private func isFilled(_ frame: borrowing FrameLease) throws -> Bool {
        let bytes: Set<UInt8> = try unsafe frame.withPixels { pixels in
            unsafe Set(UnsafeMutableBufferPointer(start: pixels.plane(0), count: 1024))
        }
        return bytes == [UInt8(truncatingIfNeeded: frame.info.sequence)]
    }

    /// Expects these frames next in `kept`, unchanged.
    private func expect(_ kept: FrameQueue, _ sequences: ClosedRange<UInt32>) throws {
        for sequence in sequences {
            guard let frame = kept.take() else {
                Issue.record("frame \(sequence) is not kept")
                return
            }
            let (number, isAsItWas) = (frame.info.sequence, try isFilled(frame))
            #expect(number == sequence && isAsItWas)
        }
    }

    @Test("frames that a receiver keeps stay unchanged, and are filled again once released")
    func kept() async throws {
        // All frames but one.
        let kept = FrameQueue(capacity: 5)
        let output = try VideoDataOutput { [receiver] in
            _ = kept.put($0.another())
            receiver.receive($0)
        }
        try await start(output, buffers: 6)
        let frames = await session.running?.stream.frameCount
        try #require(frames == 6)
        try await waitUntil { receiver.sequences == [0] }
        for sequence: UInt32 in 1...20 {
            // The camera holds the frames that are not kept.
            try await waitUntil { script.queued == max(6 - Int(sequence), 1) }
            script.play(filled(sequence))
            try await waitUntil { receiver.sequences.last == sequence }
        }
        #expect(receiver.sequences == Array(0...20) && other.sequences == Array(0...20))
        #expect(script.opens == 1 && script.pauses == 0 && output.framesDropped == 0)
        try expect(kept, 0...4)
        // A camera with a single frame learns of returned frames at once, otherwise with its next
        // frame.
        try await waitUntil { script.queued >= 2 }
        script.play(filled(21))
        try await waitUntil { receiver.sequences.last == 21 }
        script.play(filled(22))
        // Frames 21 and 22 are kept.
        try await waitUntil { script.queued == 4 }
        await session.close()
        await output.close()
    }

    @Test("kept frames outlive their stream, and the next stream does not fill them")
    func keptBeyondStream() async throws {
        let kept = FrameQueue(capacity: 2)
        let output = try VideoDataOutput { [receiver] in
            _ = kept.put($0.another())
            receiver.receive($0)
        }
        try await start(output)
        try await waitUntil { receiver.sequences == [0] }
        script.play(filled(1))
        try await waitUntil { receiver.sequences == [0, 1] }
        await session.stopRunning()
        #expect(script.openNow == 0)
        script.play(filled(2))
        try await session.startRunning()
        for sequence: UInt32 in 3...40 {
            script.play(filled(sequence))
            try await other.wait(for: Int(sequence) + 1)
        }
        try expect(kept, 0...1)
        // The camera would trap on a frame that it already has.
        try await play(41...80)
        #expect(other.sequences == Array(0...80))
        await session.close()
        await output.close()
    }

    @Test("outputs come and go while a session runs, and the others miss no frame")
    func comeAndGo() async throws {
        try await start(buffers: 8)
        let output = try VideoDataOutput { [receiver] in receiver.receive($0) }
        try await play(1...3)
        try await session.configure { try $0.addOutput(output) }
        try await waitUntil { receiver.sequences.isEmpty && script.opens == 1 }
        try await session.waitUntilRunning()
        try await play(4...6)
        try await waitUntil { receiver.sequences.last == 6 }
        try await session.configure { $0.removeOutput(output) }
        try await session.waitUntilRunning()
        try await play(7...9)
        #expect(other.sequences == Array(0...9) && other.restartsSaid == [])
        #expect(receiver.sequences.allSatisfy { (4...6).contains($0) })
        #expect(script.opens == 1)
        await session.close()
        await output.close()
    }

    @Test("a camera failure after an output was added is reported, and all outputs recover")
    func failing() async throws {
        try await start(buffers: 8)
        let output = try VideoDataOutput { [receiver] in receiver.receive($0) }
        try await play(1...2)
        try await session.configure { try $0.addOutput(output) }
        try await session.waitUntilRunning()
        var notifications = await session.notifications().makeAsyncIterator()
        script.play(.fail(EIO))
        guard case .wasInterrupted = await notifications.next(isolation: #isolation) else {
            Issue.record("nobody is told")
            return
        }
        script.play(.frame(sequence: 3, timestamp: 0))
        guard case .interruptionEnded = await notifications.next(isolation: #isolation) else {
            Issue.record("not running again")
            return
        }
        try await waitUntil { receiver.sequences.last == 3 }
        await session.close()
        await output.close()
    }

    @Test(
        "frames for a closed output return to the camera and are accounted for",
        arguments: [true, false])
    func closed(discardsLate: Bool) async throws {
        let output = try VideoDataOutput(alwaysDiscardsLateVideoFrames: discardsLate) {
            [receiver] in receiver.receive($0)
        }
        try await start(output)
        try await play(1...5)
        await output.close()
        // More frames than the stream has buffers.
        try await play(6...30)
        try await waitUntil { output.framesDelivered + output.framesDropped == 31 }
        #expect(output.framesDelivered == receiver.sequences.count)
        await session.close()
        let audio = try AudioDataOutput { _ in }
        await audio.close()
        audio.soundSourceDidChange(try Microphone(.automatic))
        #expect(audio.format == nil)
    }

    @Test("frames that wait when the stream stops are delivered before the next stream's")
    func waitingAtStop() async throws {
        let output = try VideoDataOutput(alwaysDiscardsLateVideoFrames: false) {
            [receiver] in receiver.receive($0)
        }
        receiver.stand()
        try await start(output)
        try await waitUntil { receiver.sequences.count == 1 }
        try await play(1...3)
        await session.stopRunning()
        #expect(receiver.sequences == [0] && script.openNow == 0)
        script.play(.frame(sequence: 4, timestamp: 0))
        try await session.startRunning()
        try await other.wait(for: 5)
        receiver.goOn()
        try await waitUntil { receiver.sequences.count == 5 }
        #expect(receiver.sequences == Array(0...4))
        #expect(output.framesDropped == 0)
        // Leases of the former stream do not count against this one, and this one's have ended.
        try await play(5...40)
        try await waitUntil { output.framesDelivered + output.framesDropped == 41 }
        await session.close()
        await output.close()
    }

    @Test("close() waits for the receiver; frames that still wait return as dropped")
    func waitingAtClose() async throws {
        let output = try VideoDataOutput(alwaysDiscardsLateVideoFrames: false) {
            [receiver] in receiver.receive($0)
        }
        receiver.stand()
        try await start(output)
        let frames = await session.running?.stream.frameCount
        try await waitUntil { receiver.sequences.count == 1 }
        try await play(1...3)
        let closer = Closer()
        async let closed: Void = closer.close(output)
        try await waitUntil { await closer.hasBegun }
        // This is long enough to expose a close() that does not wait.
        try await Task.sleep(for: .milliseconds(100))
        #expect(await !closer.hasEnded)
        receiver.goOn()
        await closed
        #expect(receiver.sequences == [0])
        try await waitUntil { output.framesDropped == 3 }
        #expect(output.framesDelivered == 1)
        try await play(4...4)
        try await waitUntil { script.queued == frames }
        await session.close()
    }

    @Test(
        "an output dropped without close() ends its thread, also without a camera",
        arguments: [false, true])
    func dropped(isAway: Bool) async throws {
        let thread = Mutex("")
        func runOnce() async throws {
            let output = try VideoDataOutput { _ in thread.withLock { $0 = threadFolder() } }
            try await start(output)
            try await waitUntil { thread.withLock { !$0.isEmpty } }
            if isAway {
                script.refuse(ENODEV)
                script.play(.fail(ENODEV))
                try await waitUntil { await session.state == .interrupted }
            }
            try await session.configure { $0.removeOutput(output) }
            if !isAway { try await session.waitUntilRunning() }
        }
        try await runOnce()
        let folder = thread.withLock(\.self)
        try await waitUntil { unsafe access(folder, F_OK) != 0 }
        // The camera was not opened again for this.
        #expect(script.opens == 1 && script.pauses == 0)
        await session.close()
    }

    @Test("an output that replaces another needs no new stream, even if memory is short")
    func shortOfMemory() async throws {
        script.grant(4)
        let first = try VideoDataOutput { [receiver] in receiver.receive($0) }
        try await start(first)
        let second = try VideoDataOutput { [receiver] in receiver.receive($0) }
        try await session.configure { configuration in
            configuration.removeOutput(first)
            try configuration.addOutput(second)
        }
        try await session.waitUntilRunning()
        try await play(1...5)
        #expect(script.opens == 1 && other.restartsSaid == [])
        await session.close()
        await first.close()
        await second.close()
    }

    @Test("an output that lacks buffers gets them through a new stream")
    func moreMemory() async throws {
        try await start()
        let output = try VideoDataOutput { [receiver] in receiver.receive($0) }
        script.play(.frame(sequence: 1, timestamp: 0))
        try await session.configure { try $0.addOutput(output) }
        try await waitUntil { script.opens == 2 }
        await session.close()
        await output.close()
        #expect(other.restartsSaid.first == true)
    }

    /// An output that must not be interrupted.
    private final class Recording: CaptureOutput {
        let starts = Atomic(0)
        let heldFrames = 1
        let mustNotBeInterrupted = true
        func streamDidStart(_ stream: StreamDescription, on connection: CaptureConnection) {
            starts.add(1, ordering: .relaxed)
        }
        func receive(_ frame: borrowing FrameLease, from camera: any CameraStream) {}
        func streamDidStop(willRestart: Bool) {}
        func isVideoRotationAngleSupported(_ degrees: Int) -> Bool { true }
    }

    @Test("adding an output during a recording never starts a new stream")
    func recording() async throws {
        let recording = Recording()
        try await start(recording)
        let output = try VideoDataOutput { [receiver] in receiver.receive($0) }
        try await session.configure { try $0.addOutput(output) }
        try await session.waitUntilRunning()
        try await play(1...5)
        #expect(script.opens == 1 && recording.starts.load(ordering: .relaxed) == 1)
        // Displays are negotiated again without a new stream too.
        await session.renegotiate()
        try await session.waitUntilRunning()
        try await play(6...8)
        #expect(script.opens == 1 && recording.starts.load(ordering: .relaxed) == 1)
        // A change that concerns the camera starts a new stream all the same.
        script.play(.frame(sequence: 9, timestamp: 0))
        try await session.configure { $0.preset = .low }
        try await waitUntil { script.opens == 2 }
        await session.close()
        await output.close()
    }

    @Test("a running session stays running while outputs are added and removed")
    func staysRunning() async throws {
        try await start(buffers: 8)
        let output = try VideoDataOutput { _ in }
        for change in [
            { try $0.addOutput(output) }, { $0.removeOutput(output) },
        ] as [@Sendable (inout CaptureSession.Configuration) throws -> Void] {
            try await session.configure(change)
            #expect(await session.state == .running)
            #expect(await session.running != nil)
            try await session.waitUntilRunning()
        }
        // The control: another camera needs another stream.
        let another = ScriptedCamera(script: try CameraScript()).device
        try await session.configure { configuration in
            configuration.removeInput()
            try configuration.addInput(CaptureDeviceInput(device: another))
        }
        #expect(await session.state == .starting)
        #expect(await session.running == nil)
        await session.close()
        await output.close()
    }

    @Test("a changed rotation is announced to its output alone")
    func turned() async throws {
        let recording = Recording()
        try await start(recording, buffers: 8)
        try await session.configure { configuration in
            try configuration.withConnection(to: recording) { connection throws(CaptureError) in
                try connection.setVideoRotationAngle(90)
            }
        }
        try await session.waitUntilRunning()
        #expect(recording.starts.load(ordering: .relaxed) == 2)
        #expect(script.opens == 1 && other.restartsSaid == [])
        await session.close()
    }
}
