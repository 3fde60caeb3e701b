// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxIO
import TestSupport
import Testing

@Suite("IdleTimer", .timeLimit(.common))
struct IdleTimerTests {
    private let limit: Int64 = 20_000_000

    @Test("a timer expires when the limit has passed, and again after another limit")
    func expiry() throws {
        let timer = try IdleTimer(limit: limit)
        let poller = try Poller()
        try poller.add(timer.number, tag: 1)
        let start = Clock.monotonic
        var first: Int64 = 0
        var isOver = false
        while !isOver {
            _ = poller.wait()
            first = Clock.monotonic
            isOver = try timer.hasExpired(since: start)
        }
        #expect(Clock.monotonic - start >= limit)
        // The timer reports the same silence again one limit later.
        _ = poller.wait()
        #expect(try timer.hasExpired(since: start))
        #expect(Clock.monotonic - first >= limit / 2)
    }

    @Test("a wake-up before the limit is no expiry; a shorter limit applies at once")
    func between() throws {
        let timer = try IdleTimer(limit: 3600 * 1_000_000_000, longestSleep: limit)
        let poller = try Poller()
        try poller.add(timer.number, tag: 1)
        let start = Clock.monotonic
        for _ in 0..<3 {
            _ = poller.wait()
            #expect(try !timer.hasExpired(since: start))
        }
        _ = poller.wait()
        #expect(try timer.hasExpired(since: start, limit: limit))
    }

    @Test("an event postpones the expiry")
    func putOff() throws {
        let start = Clock.monotonic
        let timer = try IdleTimer(limit: limit)
        let poller = try Poller()
        try poller.add(timer.number, tag: 1)
        for wakeUps in 1...10 {
            _ = poller.wait()
            // An event happens now, so a whole limit is left.
            var now = Clock.monotonic
            while try timer.hasExpired(since: now) {
                // The timer may expire only if the thread was stopped for that long.
                try #require(Clock.monotonic - now >= limit)
                now = Clock.monotonic
            }
            // The timer sleeps for one limit between wake-ups.
            #expect(Clock.monotonic - start >= Int64(wakeUps) * limit)
        }
    }
}
