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

@Suite("FrameReserver", .timeLimit(.common))
struct FrameReserverTests {
    @Test("a claim has the board's rotation at the photo's moment, even if made ahead")
    func turning() async {
        let asked = Mutex<[Int64]>([])
        let reserver = FrameReserver(PhotoOutput()) {
            asked.withLock { $0.append(Clock.monotonic) }
            return .quarter
        }
        let ahead = Clock.monotonic + 400_000_000
        let late = reserver.claim(order(.photo, ahead), exposedAfter: nil)
        #expect(await late.frames.rotation == .quarter)
        let past = Clock.monotonic - 50_000_000
        let lit = reserver.claim(order(.photo, past), exposedAfter: past)
        #expect(await lit.frames.rotation == .quarter)
        let times = asked.withLock(\.self)
        #expect(times.count == 2 && times[0] >= ahead)
    }

    private func order(
        _ kind: ShotKind, _ moment: Int64, _ reservation: FrameReservation? = nil
    ) -> CaptureOrder {
        CaptureOrder(
            ShotIdentifier(number: 1), kind, moment: moment, session: SessionNumber(number: 1),
            reservation: reservation)
    }

    @Test("a photo takes the reserved frame, and the last copy of a reservation releases it")
    func released() async throws {
        let output = PhotoOutput()
        let reserver = FrameReserver(output, orientation: nil)
        let frame = try #require(FrameDescription(.xrgb, Dimensions(width: 16, height: 16)))
        output.streamDidStart(
            StreamDescription(frame: frame, frameInterval: 33_000_000),
            on: CaptureConnection(output: output))
        let moment = Clock.monotonic
        var reservation: FrameReservation? = reserver.reserve(moment)
        let reserved = try #require(reservation?.claim as? ClaimedFrames)
        let shot = reserver.claim(order(.photo, moment, reservation), exposedAfter: nil)
        #expect(shot.frames === reserved)
        // The light came on after the edge.
        let lit = reserver.claim(order(.photo, moment, reservation), exposedAfter: moment)
        #expect(lit.frames !== reserved)

        reservation = reserver.reserve(moment)
        guard case .frame(let claim)? = (reservation?.claim as? ClaimedFrames)?.claim else {
            Issue.record("no claim on a frame")
            return
        }
        reservation = nil
        await #expect { try await claim.frame() } throws: {
            ($0 as? PhotoError)?.code == .abandoned
        }
        output.streamDidStop(willRestart: false)
    }

    @Test(
        "a burst and a loop begin with the frame that their press's edge claimed",
        arguments: [true, false])
    func burstFromEdge(_ isLoop: Bool) async throws {
        let output = PhotoOutput()
        let reserver = FrameReserver(output, orientation: nil)
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
        let reservation = reserver.reserve(begin)
        // The three newest frames no longer include that frame.
        for number in 1...3 { deliver(number) }
        let kind: ShotKind = isLoop ? .loop(seconds: 0.09) : .burst(3)
        let shot = reserver.claim(order(kind, begin, reservation), exposedAfter: nil)
        guard case .burst(let burst) = shot.frames.claim else {
            Issue.record("no burst")
            return
        }
        deliver(4)
        output.streamDidStop(willRestart: false)
        var numbers: [UInt32] = []
        for await frame in burst.frames { numbers.append(frame.info.sequence) }
        #expect(numbers.prefix(3) == [0, 1, 2])
    }
}
