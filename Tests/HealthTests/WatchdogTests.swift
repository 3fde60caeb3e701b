// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

import Health

@Suite("Watchdog verdicts")
struct WatchdogTests {
    /// Returns the verdict at each of these seconds, for a heartbeat that stopped at 0.
    private func verdicts(_ seconds: [Int64]) -> [Watchdog.Verdict] {
        var watchdog = Watchdog()
        return seconds.map { watchdog.look(at: 0, now: $0 * 1_000_000_000) }
    }

    @Test("a thread without a heartbeat for nine seconds hangs")
    func hangs() {
        #expect(
            verdicts(Array(0...10)) == [
                .lives, .lives, .lives, .lives, .lives, .nothing, .nothing, .nothing, .nothing,
                .hangs, .hangs,
            ])
    }

    @Test("a pause of the whole process restarts the time of doubt")
    func wholeProcess() {
        #expect(
            verdicts([1, 60, 61, 62, 63, 64]) == [
                .lives, .nothing, .nothing, .nothing, .nothing, .hangs,
            ])
        #expect(verdicts([1, 60, 120, 180]) == [.lives, .nothing, .nothing, .nothing])
    }

    @Test("a thread that moves again is alive")
    func movesAgain() {
        var watchdog = Watchdog()
        #expect(watchdog.look(at: 0, now: 6_000_000_000) == .nothing)
        #expect(watchdog.look(at: 6_500_000_000, now: 7_000_000_000) == .lives)
        #expect(watchdog.look(at: 6_500_000_000, now: 12_000_000_000) == .nothing)
    }
}
