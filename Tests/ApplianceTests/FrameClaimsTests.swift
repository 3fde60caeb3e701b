// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Kiosk
import LinuxIO
import Media
import Photography
import Recording
import Synchronization
import Testing
import TestSupport

@Suite("claims on frames", .timeLimit(.common))
struct FrameClaimsTests {
    @Test("a claim has the board's rotation at the photo's moment, even if made ahead")
    func turning() async {
        let asked = Mutex<[Int64]>([])
        let claims = FrameClaims(
            PhotoOutput(),
            orientation: {
                asked.withLock { $0.append(Clock.monotonic) }
                return .quarter
            }, lifetime: .max)
        let ahead = Clock.monotonic + 400_000_000
        #expect(await claims.take(ahead, exposedAfter: nil).rotation == .quarter)
        let past = Clock.monotonic - 50_000_000
        #expect(await claims.take(past, exposedAfter: past).rotation == .quarter)
        let times = asked.withLock(\.self)
        #expect(times.count == 2 && times[0] >= ahead)
    }

    @Test(
        "a burst and a loop begin with the frame that their press's edge claimed",
        arguments: [true, false])
    func burstFromEdge(_ isLoop: Bool) async throws {
        let output = PhotoOutput()
        let claims = FrameClaims(output, orientation: nil, lifetime: .max)
        let frame = try #require(FrameDescription(.xrgb, Dimensions(width: 16, height: 16)))
        let buffers = try (0..<8).map { _ in [try FrameBuffer.memory(1024)] }
        let pool = FramePool(description: frame, buffers: buffers, wake: try WakeSignal())
        output.streamDidStart(
            StreamDescription(frame: frame, frameInterval: 33_000_000),
            on: CaptureConnection(output: output))
        let begin = Clock.monotonic
        func deliver(_ number: Int) {
            let info = FrameInfo(
                timestamp: begin + Int64(number) * 33_000_000, sequence: UInt32(number),
                bytesUsed: 1024)
            output.receive(pool.lend(number, info), from: StillStream(exposure: nil))
        }
        deliver(0)
        claims.hold(begin)
        // The three newest frames no longer include that frame.
        for number in 1...3 { deliver(number) }
        let kind: ShotKind = isLoop ? .loop(seconds: 0.09) : .burst(3)
        guard case .burst(let held) = claims.take(kind, begin, exposedAfter: nil) else {
            Issue.record("no burst")
            return
        }
        deliver(4)
        output.streamDidStop(willRestart: false)
        var numbers: [UInt32] = []
        for await frame in held.claim.frames { numbers.append(frame.info.sequence) }
        #expect(numbers.prefix(3) == [0, 1, 2])
    }
}
