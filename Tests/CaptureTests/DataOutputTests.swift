// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Dispatch
import Glibc
import LinuxIO
import Media
import Synchronization
import TestSupport
import Testing

/// Closes an output. Who finds that it has begun knows that only the receiver is waited for by now: the actor
/// lets nobody in before.
private actor Closer {
    private(set) var hasBegun = false
    private(set) var hasEnded = false

    func close(_ output: VideoDataOutput) async {
        hasBegun = true
        await output.close()
        hasEnded = true
    }
}

/// What a program's own code saw.
private final class Receiver: Sendable {
    private let seen = Mutex<[UInt32]>([])
    private let mustStand = Mutex(false)
    private let way = DispatchSemaphore(value: 0)

    var sequences: [UInt32] { seen.withLock { $0 } }
    /// It does not return from the next frame before it is told to.
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

    /// The camera delivers these; each has reached the outputs before the next comes.
    private func play(_ sequences: ClosedRange<UInt32>) async throws {
        for sequence in sequences {
            script.play(.frame(sequence: sequence, timestamp: 0))
            try await other.wait(for: Int(sequence) + 1)
        }
    }

    @Test("a receiver sees the frames in their order, and gives each back")
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
        "a receiver that sleeps stalls nobody, and each of its frames is accounted for",
        arguments: [true, false])
    func sleeping(discardsLate: Bool) async throws {
        let output = try VideoDataOutput(alwaysDiscardsLateVideoFrames: discardsLate) {
            [receiver] in receiver.receive($0)
        }
        receiver.stand()
        try await start(output)
        try await waitUntil { receiver.sequences.count == 1 }
        try await play(1...30)
        // Of thirty one waits, or four do.
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

    /// A frame that is full of its number.
    private func filled(_ sequence: UInt32) -> CameraScript.Step {
        .frame(
            sequence: sequence, timestamp: 0,
            picture: [UInt8](repeating: UInt8(truncatingIfNeeded: sequence), count: 1024))
    }

    /// Whether it is full of its number still; the first one, 0, nobody has filled.
    private func isFilled(_ frame: borrowing FrameLease) throws -> Bool {
        let bytes: Set<UInt8> = try unsafe frame.withPixels { pixels in
            unsafe Set(UnsafeMutableBufferPointer(start: pixels.plane(0), count: 1024))
        }
        return bytes == [UInt8(truncatingIfNeeded: frame.info.sequence)]
    }

    /// The next ones that are kept are these, and as they were.
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

    @Test(
        "frames that a receiver keeps stay as they are while the camera fills the others, and are filled again when they are let go"
    )
    func kept() async throws {
        // All but one of those that there are.
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
            // The camera has those that are not kept.
            try await waitUntil { script.queued == max(6 - Int(sequence), 1) }
            script.play(filled(sequence))
            try await waitUntil { receiver.sequences.last == sequence }
        }
        #expect(receiver.sequences == Array(0...20) && other.sequences == Array(0...20))
        #expect(script.opens == 1 && script.pauses == 0 && output.framesDropped == 0)
        try expect(kept, 0...4)
        // A camera that has one alone is told at once, else it hears of them with its next frame.
        try await waitUntil { script.queued >= 2 }
        script.play(filled(21))
        try await waitUntil { receiver.sequences.last == 21 }
        script.play(filled(22))
        // These two are kept.
        try await waitUntil { script.queued == 4 }
        await session.close()
        await output.close()
    }

    @Test("frames that a receiver keeps outlive their stream, and the next one does not get them")
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
        // Given one that it has already, the camera would trap.
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

    @Test("a camera that fails after outputs have come is told of, and comes back to all")
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
        "what comes to an output that is closed goes back to the camera, and is accounted for",
        arguments: [true, false])
    func closed(discardsLate: Bool) async throws {
        let output = try VideoDataOutput(alwaysDiscardsLateVideoFrames: discardsLate) {
            [receiver] in receiver.receive($0)
        }
        try await start(output)
        try await play(1...5)
        await output.close()
        // More than the stream has frames.
        try await play(6...30)
        try await waitUntil { output.framesDelivered + output.framesDropped == 31 }
        #expect(output.framesDelivered == receiver.sequences.count)
        await session.close()
        let audio = try AudioDataOutput { _ in }
        await audio.close()
        audio.soundSourceDidChange(try Microphone(.automatic))
        #expect(audio.format == nil)
    }

    @Test("frames that wait when the stream stops are delivered, before those of the next one")
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
        // What the former stream lent is no business of this one's; what this one lent has come back.
        try await play(5...40)
        try await waitUntil { output.framesDelivered + output.framesDropped == 41 }
        await session.close()
        await output.close()
    }

    @Test(
        "an output closes when its receiver has returned; frames that wait then go back to the camera, as dropped ones"
    )
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
        // Long enough for whoever would not wait.
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
        "an output that is dropped without being closed ends its thread, also while the camera is away",
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
        // Without the camera having to be opened anew for it.
        #expect(script.opens == 1 && script.pauses == 0)
        await session.close()
    }

    @Test("where memory is short, as many outputs as before need no new stream")
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

    @Test("an output for whose frames there is no memory gets it, by a new stream")
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

    /// Something that would be spoiled.
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

    @Test("while something is recorded an output is added without a new stream in any case")
    func recording() async throws {
        let recording = Recording()
        try await start(recording)
        let output = try VideoDataOutput { [receiver] in receiver.receive($0) }
        try await session.configure { try $0.addOutput(output) }
        try await session.waitUntilRunning()
        try await play(1...5)
        #expect(script.opens == 1 && recording.starts.load(ordering: .relaxed) == 1)
        // Displays are looked at anew, too.
        await session.renegotiate()
        try await session.waitUntilRunning()
        try await play(6...8)
        #expect(script.opens == 1 && recording.starts.load(ordering: .relaxed) == 1)
        // What the camera has to do with is agreed anew all the same.
        script.play(.frame(sequence: 9, timestamp: 0))
        try await session.configure { $0.preset = .low }
        try await waitUntil { script.opens == 2 }
        await session.close()
        await output.close()
    }

    @Test(
        "a running session runs while it is configured: outputs come and go, and nobody finds it starting"
    )
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
        // The control: another camera is another stream.
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

    @Test("who is turned otherwise is told, and nobody else")
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
