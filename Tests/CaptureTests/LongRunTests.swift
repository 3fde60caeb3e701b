// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import LinuxIO
import Media
import Synchronization
import TestSupport
import Testing

/// Makes the camera deliver the next frame as soon as one has come, up to the last.
private final class FeedingOutput: CaptureOutput {
    private let script: CameraScript
    private let last: UInt32
    private let newest = Atomic<UInt32>(0)
    private let missing = Atomic(0)
    let heldFrames = 0

    init(_ script: CameraScript, last: UInt32) {
        self.script = script
        self.last = last
    }

    var isDone: Bool { newest.load(ordering: .acquiring) == last }
    /// Whether a frame came out of sequence.
    var hasMissed: Bool { missing.load(ordering: .relaxed) > 0 }

    func play(_ sequence: UInt32) {
        script.play(.frame(sequence: sequence, timestamp: Clock.monotonic))
    }

    func streamDidStart(_ stream: StreamDescription, on connection: CaptureConnection) {}
    func streamDidStop(willRestart: Bool) {}
    func receive(_ frame: borrowing FrameLease, from camera: any CameraStream) {
        let sequence = frame.info.sequence
        if sequence != newest.load(ordering: .relaxed) + 1 { missing.add(1, ordering: .relaxed) }
        newest.store(sequence, ordering: .releasing)
        if sequence < last { play(sequence + 1) }
    }
}

@Suite("CaptureSession: long runs", .timeLimit(.common))
struct LongRunTests {
    @Test(
        "100,000 frames are each counted once, in order, as delivered or dropped",
        arguments: [true, false])
    func run(discardsLate: Bool) async throws {
        let frames = 100_000
        let (script, session) = (try CameraScript(), try CaptureSession())
        let feeding = FeedingOutput(script, last: UInt32(frames))
        let newest = Mutex<UInt32>(0)
        let disorder = Atomic(0)
        let output = try VideoDataOutput(alwaysDiscardsLateVideoFrames: discardsLate) { frame in
            let sequence = frame.info.sequence
            let isLater = newest.withLock { newest in
                defer { newest = sequence }
                return sequence > newest
            }
            if !isLater { disorder.add(1, ordering: .relaxed) }
        }
        let input = CaptureDeviceInput(device: ScriptedCamera(script: script).device)
        try await session.configure { configuration in
            try configuration.addInput(input)
            try configuration.addOutput(feeding)
            try configuration.addOutput(output)
        }
        feeding.play(1)
        try await session.startRunning()
        try await waitUntil { feeding.isDone }
        await session.close()
        await output.close()
        #expect(!feeding.hasMissed)
        #expect(output.framesDelivered + output.framesDropped == frames)
        #expect(disorder.load(ordering: .relaxed) == 0)
        let statistics = session.statistics
        #expect(statistics.framesCaptured == frames)
        #expect(DropCause.allCases.allSatisfy { statistics.framesDropped($0) == 0 })
        #expect(statistics.framesRestamped == 0)
        #expect(script.opens == 1 && script.openNow == 0)
    }
}
