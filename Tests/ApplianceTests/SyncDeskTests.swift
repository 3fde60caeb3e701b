// SPDX-License-Identifier: GPL-3.0-or-later

import CommandProtocol
import Library
import LibraryService
import LinuxIO
import Synchronization
import TestSupport
import Testing

@Suite("SyncDesk", .timeLimit(.common))
struct SyncDeskTests {
    private final class Time: Sendable {
        let nanoseconds = Mutex<Int64>(0)
        func pass(seconds: Int64) { nanoseconds.withLock { $0 += seconds * 1_000_000_000 } }
    }

    private let time = Time()
    private let desk: SyncDesk

    init() {
        desk = SyncDesk(
            executor: ThreadExecutor("desk"), now: { [time] in time.nanoseconds.withLock(\.self) },
            isAlive: { $0 == 7 })
    }

    @Test("the service is stopped until it reports, and once it is silent for long")
    func silence() async {
        #expect(await desk.report.state == .stopped)
        _ = await desk.exchange(SyncServiceReport(.idle), knowing: 0)
        time.pass(seconds: 80)
        #expect(await desk.report.state == .idle)
        time.pass(seconds: 20)
        #expect(await desk.report.state == .stopped)
    }

    @Test("an earlier report does not replace a later one")
    func order() async {
        var later = SyncServiceReport(.idle)
        later.number = 2
        _ = await desk.exchange(later, knowing: 0)
        _ = await desk.exchange(SyncServiceReport(.sending), knowing: 0)
        #expect(await desk.report.state == .idle)
    }

    @Test("orders come at once if they are new, else with the next change")
    func orders() async {
        let first = await desk.exchange(SyncServiceReport(.idle), knowing: 0)
        #expect(first.captures == 0 && !first.isPaused)
        async let second = desk.exchange(SyncServiceReport(.idle), knowing: first.revision)
        await desk.captured()
        #expect(await second.captures == 1)
        // The same order again is no change.
        await desk.setPaused(false)
        #expect(await desk.exchange(SyncServiceReport(.idle), knowing: 0) == second)
        #expect(await desk.requestRun() == 1)
        await desk.setPaused(true)
        let last = await desk.exchange(SyncServiceReport(.idle), knowing: await second.revision)
        #expect(last.isPaused && last.runRequests == 1)
    }

    @Test("one process syncs at a time, unless the other is gone or has ended")
    func oneRunner() async throws {
        try await desk.begin(7)
        try await desk.begin(7)
        let refusal = await #expect(throws: CommandError.self) { try await desk.begin(8) }
        #expect(refusal?.code == "sync.busy" && refusal?.exitCode == 75)
        await desk.end(8)
        await #expect(throws: CommandError.self) { try await desk.begin(8) }
        await desk.end(7)
        try await desk.begin(8)
        // Process 8 does not exist.
        try await desk.begin(7)
    }
}
