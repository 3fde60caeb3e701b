// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Kiosk
import Library
import LinuxIO
import Media
import Photography
import Recording
import Synchronization
import Testing
import TestSupport

@Suite("Photographer", .timeLimit(.common))
struct PhotographerTests {
    private struct Refused: Error {}

    /// A store whose `save` and `represent` call closures. Saving fails by default.
    private struct FakeStore: PhotoStore {
        var save: @Sendable (FinishedStill) async throws -> Asset = { _ in throw Refused() }
        var represents: @Sendable (Asset) throws -> Void = { _ in }

        func save(_ still: FinishedStill, session: String) async throws -> Asset {
            try await save(still)
        }

        func save(
            _ still: FinishedStill, session: String, burst: String, isFirst: Bool
        ) async throws -> Asset {
            try await save(still)
        }

        func represent(_ asset: Asset, _ still: FinishedStill) async throws {
            try represents(asset)
        }
    }

    private let output = PhotoOutput()
    private let pool: FramePool
    private let interval: Int64 = 33_000_000
    private let processor: PhotoProcessor

    init() throws {
        processor = try PhotoProcessor(PhotoProcessor.Settings())
        let description = try #require(
            FrameDescription(.xrgb, Dimensions(width: 16, height: 16)))
        let buffers = try (0..<8).map { _ in [try FrameBuffer.memory(1024)] }
        pool = FramePool(description: description, buffers: buffers, wake: try WakeSignal())
        output.streamDidStart(
            StreamDescription(frame: description, frameInterval: interval),
            on: CaptureConnection(output: output))
    }

    private func deliver(_ number: Int) {
        let info = FrameInfo(
            timestamp: Int64(number) * interval, sequence: UInt32(number), bytesUsed: 1024)
        output.receive(pool.lend(number % 8, info), from: StillStream())
    }

    /// Returns an order for frame `number`.
    private func order(_ number: Int) -> CaptureOrder {
        CaptureOrder(
            ShotIdentifier(number: Int64(number)), .photo, moment: Int64(number) * interval,
            session: SessionNumber(number: 1))
    }

    private func photographer(
        _ store: FakeStore, report: @escaping Photographer.Report
    ) -> Photographer {
        Photographer(
            FrameReserver(output, orientation: nil), processor: processor, store: store,
            report: report)
    }

    @Test("a shot abandoned before its frame arrives is over without a report")
    func beforeItsFrame() async {
        let reports = Mutex<[KioskEvent]>([])
        let photographer = photographer(FakeStore()) { event in
            reports.withLock { $0.append(event) }
        }
        let order = order(1)
        photographer.take(order, exposedAfter: nil)
        photographer.abandon(order.shot)
        photographer.finish()
        await photographer.run()
        let said = reports.withLock(\.self)
        #expect(said.isEmpty)
        // The camera answers after all.
        deliver(1)
        output.streamDidStop(willRestart: false)
    }

    @Test("a shot abandoned while another is being saved is not saved")
    func behindAnother() async throws {
        let saves = Mutex<[UInt32]>([])
        let (began, begin) = AsyncStream.makeStream(of: Void.self)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let store = FakeStore { still in
            saves.withLock { $0.append(still.frameSequence) }
            begin.yield()
            for await _ in ends { break }
            throw Refused()
        }
        let photographer = photographer(store, report: { _ in })
        async let running: Void = photographer.run()
        let orders = [order(1), order(2), order(3)]
        for order in orders { photographer.take(order, exposedAfter: nil) }
        for number in 1...3 { deliver(number) }
        for await _ in began { break }
        // The first shot is already being saved, which cannot be undone.
        for order in orders.prefix(2) { photographer.abandon(order.shot) }
        end.yield()
        end.yield()
        photographer.finish()
        await running
        let saved = saves.withLock(\.self)
        #expect(saved == [1, 3])
        output.streamDidStop(willRestart: false)
    }

    @Test("a shot that cannot be lit fails with the reason")
    func unlit() async {
        let shot = ShotIdentifier(number: 7)
        let (reports, report) = AsyncStream.makeStream(of: KioskEvent.self)
        let photographer = photographer(FakeStore()) { report.yield($0) }
        photographer.refuse(shot, "the flash does not light")
        let said = await reports.first { _ in true }
        #expect(said == .captureFailed(shot, reason: "the flash does not light"))
    }

    @Test("a producer of stills waits while the backlog has no room")
    func backlog() async throws {
        let backlog = StillBacklog(most: 10)
        await backlog.add(10)
        let hasGoneOn = Mutex(false)
        let maker = Task {
            await backlog.add(5)
            hasGoneOn.withLock { $0 = true }
        }
        try await Task.sleep(for: .milliseconds(50))
        let goesOnTooEarly = hasGoneOn.withLock(\.self)
        #expect(!goesOnTooEarly)
        backlog.remove(10)
        await maker.value
        // A still that is larger than all the room passes an empty backlog.
        backlog.remove(5)
        let large = Task { await backlog.add(50) }
        backlog.remove(50)
        await large.value
    }

    // MARK: Bursts

    /// Delivers a picture with this many dark columns. More columns make it sharper.
    private func deliver(_ number: Int, lines: Int) throws {
        try unsafe pool.slots[number % 8].withPixels(.write) { pixels in
            for place in 0..<256 {
                let isDark = place % 16 % 2 == 0 && place % 16 < 2 * lines
                for byte in 0..<4 { unsafe pixels.plane(0)[place * 4 + byte] = isDark ? 0 : 255 }
            }
        }
        let info = FrameInfo(
            timestamp: Int64(number) * interval, sequence: UInt32(number), bytesUsed: 1024)
        output.receive(pool.lend(number % 8, info), from: StillStream())
    }

    /// Takes a burst of pictures with these numbers of dark columns, and returns what was saved and
    /// reported. Saving fails for the frames in `refused`.
    private func outcome(
        _ lines: [Int], refused: Set<UInt32> = []
    ) async throws -> (saved: [UInt32], standing: Int64?, events: [KioskEvent]) {
        let folder = try TemporaryFolder()
        let library = try await AssetLibrary.open(at: folder.path, reserveMegabytes: 1)
        let saved = Mutex<[UInt32]>([])
        let standing = Mutex<Int64?>(nil)
        let events = Mutex<[KioskEvent]>([])
        let store = FakeStore(
            save: { still in
                if refused.contains(still.frameSequence) { throw Refused() }
                saved.withLock { $0.append(still.frameSequence) }
                var photo = photo()
                photo.frameSequence = Int64(still.frameSequence)
                photo.chunks = still.chunks
                return try await library.add(photo)
            },
            represents: { asset in standing.withLock { $0 = asset.frameSequence } })
        let photographer = photographer(store) { event in events.withLock { $0.append(event) } }
        let order = CaptureOrder(
            ShotIdentifier(number: 1), .burst(lines.count), moment: interval,
            session: SessionNumber(number: 1))
        photographer.take(order, exposedAfter: nil)
        for (index, lines) in lines.enumerated() { try deliver(index + 1, lines: lines) }
        photographer.finish()
        await photographer.run()
        await library.close()
        output.streamDidStop(willRestart: false)
        return (saved.withLock(\.self), standing.withLock(\.self), events.withLock(\.self))
    }

    @Test("a burst's photos are saved one by one, and the sharpest represents them")
    func sharpest() async throws {
        let (saved, standing, events) = try await outcome([1, 2, 6, 3, 5])
        #expect(saved == [1, 2, 3, 4, 5] && standing == 3)
        let shot = ShotIdentifier(number: 1)
        #expect(events.filter { $0 == .captured(shot) }.count == 1)
        #expect(events.filter { $0 == .partSaved(shot) }.count == 5 && events.count == 7)
        guard case .saved(_, let photo)? = events.last else {
            Issue.record("\(events)")
            return
        }
        #expect(photo.thumbnail != nil)
    }

    @Test("a burst keeps the photos that can be saved")
    func someLost() async throws {
        let (saved, standing, events) = try await outcome([1, 6, 2], refused: [2])
        #expect(saved == [1, 3] && standing == 3)
        guard case .saved? = events.last else {
            Issue.record("\(events)")
            return
        }
    }

    @Test("a burst of which nothing can be saved fails with the reason")
    func allLost() async throws {
        let (saved, standing, events) = try await outcome([1, 6], refused: [1, 2])
        #expect(saved.isEmpty && standing == nil)
        guard case .saveFailed(_, let reason)? = events.last else {
            Issue.record("\(events)")
            return
        }
        #expect(reason.contains("Refused"))
    }
}
