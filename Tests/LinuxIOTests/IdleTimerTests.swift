// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxIO
import TestSupport
import Testing

@Suite("IdleTimer", .timeLimit(.common))
struct IdleTimerTests {
    private let limit: Int64 = 20_000_000

    @Test("it expires when the limit has passed, not before, and again after another")
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
        // The same silence, told once more a limit later.
        _ = poller.wait()
        #expect(try timer.hasExpired(since: start))
        #expect(Clock.monotonic - first >= limit / 2)
    }

    @Test("it goes off in between, and has not expired then; another limit counts from now on")
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

    @Test("what has happened meanwhile puts it off")
    func putOff() throws {
        let start = Clock.monotonic
        let timer = try IdleTimer(limit: limit)
        let poller = try Poller()
        try poller.add(timer.number, tag: 1)
        for wakeUps in 1...10 {
            _ = poller.wait()
            // Something happens just now: there is a whole limit left.
            var now = Clock.monotonic
            while try timer.hasExpired(since: now) {
                // Only because the thread stood still for as long.
                try #require(Clock.monotonic - now >= limit)
                now = Clock.monotonic
            }
            // It sleeps in between, a limit each time.
            #expect(Clock.monotonic - start >= Int64(wakeUps) * limit)
        }
    }
}
