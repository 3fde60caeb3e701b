// SPDX-License-Identifier: GPL-3.0-or-later

import Media
import Playback
import Synchronization
import TestSupport
import Testing

@Suite("playback clock", .timeLimit(.common))
struct PlaybackClockTests {
    private func seconds(_ value: Int64, _ timescale: Int32 = 1) -> MediaTime {
        MediaTime(value: value, timescale: timescale)
    }

    /// A host's clock that the test sets.
    private final class Host: Sendable {
        private let present = Mutex<Int64>(1_000_000_000)
        var now: Int64 { present.withLock { $0 } }
        func pass(milliseconds: Int64) { present.withLock { $0 += milliseconds * 1_000_000 } }
    }

    /// The times of which an observer was told.
    private final class Told: Sendable {
        private let times = Mutex<[MediaTime]>([])
        var all: [MediaTime] { times.withLock { $0 } }
        func add(_ time: MediaTime) { times.withLock { $0.append(time) } }
    }

    @Test("time is a straight line between changes of the rate, and does not drift")
    func line() throws {
        var generator = Seeded(3)
        for _ in 0..<200 {
            var timebase = Timebase(seconds(5), at: 0)
            var (host, exact) = (Int64(0), 5.0)
            for _ in 0..<50 {
                let rates: [Double] = [0, 0.25, 0.5, 1, 1.5, 4, -1]
                let rate = rates.randomElement(using: &generator) ?? 1
                timebase.setRate(rate, at: host)
                let step = Int64.random(in: 1...5_000_000_000, using: &generator)
                let target = timebase.time(at: host + step / 2)
                if rate != 0 {
                    let found = try #require(timebase.host(reaching: target))
                    // The first instant that is not too early.
                    let isReached =
                        rate > 0
                        ? timebase.time(at: found) >= target : timebase.time(at: found) <= target
                    #expect(isReached && abs(found - host - step / 2) <= 4)
                }
                host += step
                exact += Double(step) * rate / 1e9
            }
            #expect(abs(timebase.time(at: host).seconds - exact) < 1e-6)
        }
        var still = Timebase(seconds(2), at: 0)
        #expect(still.host(reaching: seconds(3)) == nil)
        still.setRate(1, at: 0)
        #expect(still.host(reaching: seconds(1)) == nil)
        #expect(still.host(reaching: seconds(3)) == 1_000_000_000)
    }

    @Test(
        "periodic observers are told of multiples, jumps, starts and stops, and once for what passed"
    )
    func periodic() async throws {
        let (host, told) = (Host(), Told())
        let clock = PlaybackClock { host.now }
        let token = clock.addPeriodicObserver(every: seconds(1, 2)) { told.add($0) }
        clock.setRate(2)
        try await waitUntil { told.all == [.zero] }
        host.pass(milliseconds: 1)
        clock.setTime(seconds(10))
        try await waitUntil { told.all.last == seconds(10) }
        // The next multiple is a quarter of a second away; three of them pass at once.
        host.pass(milliseconds: 800)
        clock.setRate(0)
        try await waitUntil { told.all.last == seconds(116, 10) }
        #expect(told.all.count == 3)
        #expect(clock.time == seconds(116, 10) && clock.rate == 0)
        withExtendedLifetime(token) {}
    }

    @Test("boundaries are told when they are crossed in either direction, but not by a jump")
    func boundaries() async throws {
        let (host, told, ticks) = (Host(), Told(), Told())
        let clock = PlaybackClock { host.now }
        let token = clock.addBoundaryObserver(at: [seconds(3), seconds(1), .indefinite]) {
            told.add($0)
        }
        let other = clock.addPeriodicObserver(every: seconds(100)) { ticks.add($0) }
        clock.setRate(1)
        host.pass(milliseconds: 1500)
        clock.setRate(1.5)
        try await waitUntil { told.all == [seconds(3, 2)] }
        clock.setTime(seconds(4))
        try await waitUntil { ticks.all.count == 2 }
        #expect(told.all.count == 1)
        clock.setRate(-1)
        host.pass(milliseconds: 1250)
        clock.setRate(-1)
        try await waitUntil { told.all == [seconds(3, 2), seconds(11, 4)] }
        withExtendedLifetime((token, other)) {}
    }

    @Test("a call that waits comes at its instant, and none after the token is gone")
    func real() async throws {
        let told = Told()
        let clock = PlaybackClock()
        var token: PlaybackClock.Token? = clock.addPeriodicObserver(every: seconds(1, 50)) {
            told.add($0)
        }
        clock.setRate(1)
        try await waitUntil { told.all.count > 10 }
        #expect(token != nil)
        token = nil
        let times = told.all
        for (last, next) in zip(times, times.dropFirst()) {
            // Each call is for another multiple, and never before it.
            #expect(next > last)
            let multiples = [last, next].map {
                $0.converted(toTimescale: 50, .towardNegativeInfinity).value
            }
            #expect(multiples[1] > multiples[0])
        }
        let count = told.all.count
        let boundary = Told()
        let end = clock.addBoundaryObserver(at: [clock.time + seconds(1, 5)]) { boundary.add($0) }
        try await waitUntil { boundary.all.count == 1 }
        #expect(told.all.count <= count + 1)
        withExtendedLifetime(end) {}
    }
}
