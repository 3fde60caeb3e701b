// SPDX-License-Identifier: GPL-3.0-or-later

import Appliance
import Capture
import Kiosk
import LinuxIO
import Media
import Recording
import Synchronization
import TestSupport
import Testing

@Suite("Photographer", .timeLimit(.minutes(1)))
struct PhotographerTests {
    private struct Refused: Error {}

    private let output = PhotoOutput()
    private let claims: FrameClaims
    private let pool: FramePool
    private let interval: Int64 = 33_000_000
    private let processor: PhotoProcessor

    init() throws {
        claims = FrameClaims(output, orientation: nil, lifetime: .max)
        processor = try PhotoProcessor(PhotoProcessor.Settings())
        let description = try #require(
            FrameDescription(.xrgb, Dimensions(width: 16, height: 16)))
        let buffers = try (0..<4).map { _ in [try FrameBuffer.memory(1024)] }
        pool = FramePool(description: description, buffers: buffers, wake: try WakeSignal())
        output.streamDidStart(
            StreamDescription(frame: description, frameInterval: interval),
            on: CaptureConnection(output: output))
    }

    private func deliver(_ number: Int) {
        let info = FrameInfo(
            timestamp: Int64(number) * interval, sequence: UInt32(number), bytesUsed: 1024)
        output.receive(pool.lend(number, info), from: StillStream())
    }

    /// An order for frame `number`.
    private func order(_ number: Int) -> Photographer.Order {
        Photographer.Order(
            shot: ShotIdentifier(number: Int64(number)), session: SessionNumber(number: 1),
            frame: claims.take(Int64(number) * interval, exposedAfter: nil))
    }

    @Test("a shot that is abandoned before its frame has come is over, and nothing is said of it")
    func beforeItsFrame() async {
        let reports = Mutex<[KioskEvent]>([])
        let photographer = Photographer(
            processor: processor, save: { _, _ in throw Refused() },
            report: { event in reports.withLock { $0.append(event) } })
        let order = order(1)
        photographer.take(order)
        photographer.abandon(order.shot)
        await photographer.finish()
        let said = reports.withLock(\.self)
        #expect(said.isEmpty)
        // Nor when the camera answers after all.
        deliver(1)
        output.streamDidStop(willRestart: false)
    }

    @Test("what is abandoned while another is being saved is not saved")
    func behindAnother() async throws {
        let saves = Mutex<[UInt32]>([])
        let (began, begin) = AsyncStream.makeStream(of: Void.self)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let photographer = Photographer(
            processor: processor,
            save: { still, _ in
                saves.withLock { $0.append(still.frameSequence) }
                begin.yield()
                for await _ in ends { break }
                throw Refused()
            }, report: { _ in })
        let orders = [order(1), order(2), order(3)]
        for order in orders { photographer.take(order) }
        for number in 1...3 { deliver(number) }
        for await _ in began { break }
        // The first is under way: that cannot be taken back.
        for order in orders.prefix(2) { photographer.abandon(order.shot) }
        end.yield()
        end.yield()
        await photographer.finish()
        let saved = saves.withLock(\.self)
        #expect(saved == [1, 3])
        output.streamDidStop(willRestart: false)
    }
}
