// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import TestSupport
import Testing

@Suite("Frame clock")
struct FrameClockTests {
    /// A camera at 30 frames per second whose frames are dequeued 20 ms after their exposure.
    private static let interval: Int64 = 33_333_333
    private static let delay: Int64 = 20_000_000
    private static let start: Int64 = 1000 * second
    private static let second: Int64 = 1_000_000_000

    /// Feeds timestamps that are off by these milliseconds, and returns the errors that remain.
    private func errors(of offsets: [Int64]) -> [Int64] {
        var clock = FrameClock()
        return offsets.enumerated().map { index, offset in
            let taken = Self.start + Int64(index) * Self.interval
            let time = clock.time(
                of: taken + offset * 1_000_000, dequeuedAt: taken + Self.delay)
            return (time - taken) / 1_000_000
        }
    }

    @Test("a credible timestamp is kept, even slightly in the future or seconds old")
    func credible() {
        var clock = FrameClock()
        let now = Self.start
        let claims = [now - 9_900_000_000, now - 5_000_000_000, now - 1, now + 30_000_000]
        for claim in claims { #expect(clock.time(of: claim, dequeuedAt: now) == claim) }
    }

    @Test("a timestamp older than its predecessor is replaced by the expected time")
    func goesBack() {
        #expect(errors(of: [0, 0, -300, 0, -300, 0, -34, 0]) == [Int64](repeating: 0, count: 8))
    }

    @Test(
        "timestamps of another clock become the time of arrival",
        arguments: [-11_000, 300, 86_400_000])
    func foreign(_ offset: Int64) {
        #expect(errors(of: [offset, offset, offset]) == [20, 20, 20])
    }

    @Test("after a leap ahead, times stay in order and soon become right again")
    func leapsAhead() {
        #expect(errors(of: [0, 0, 100, 0, 0, 0, 0]) == [0, 0, 100, 66, 33, 0, 0])
        // The farthest possible leap.
        let errors = errors(of: [0, 260] + [Int64](repeating: 0, count: 12))
        #expect(errors.count { $0 != 0 } <= 9)
        #expect(errors.suffix(4) == [0, 0, 0, 0])
    }

    @Test("a driver with constant timestamps does not spoil the times for long")
    func constant() {
        var clock = FrameClock()
        // Six seconds after boot.
        for now in stride(from: 6 * Self.second, to: 7 * Self.second, by: Int(Self.interval)) {
            #expect(clock.time(of: 0, dequeuedAt: now) == now)
        }
        clock = FrameClock()
        let late = Self.start + 5 * Self.second
        #expect(clock.time(of: Self.start, dequeuedAt: late) == Self.start)
        let next = clock.time(of: Self.start, dequeuedAt: late + Self.interval)
        #expect(next == late + Self.interval - Self.second)
        #expect(clock.time(of: 1, dequeuedAt: late + 2 * Self.interval) == late + 2 * Self.interval)
    }

    @Test("no error accumulates over 100,000 frames")
    func longRun() {
        var dice = Seeded(1)
        var clock = FrameClock()
        var wrong = 0
        for index in Int64(0)..<100_000 {
            let taken = Self.start + index * Self.interval
            let now = taken + Int64.random(in: 10_000_000...30_000_000, using: &dice)
            switch index % 100 {
            case 50:  // of another clock
                let time = clock.time(of: taken + 86_400 * Self.second, dequeuedAt: now)
                if time != now { wrong += 1 }
            case 99:  // goes back
                let time = clock.time(of: taken - 300_000_000, dequeuedAt: now)
                if abs(time - taken) > 20_000_000 { wrong += 1 }
            default:
                // The frame after the leap seems to go back, so its time is estimated.
                let exactness: Int64 = index % 100 == 51 ? 20_000_000 : 0
                let time = clock.time(of: taken, dequeuedAt: now)
                if abs(time - taken) > exactness { wrong += 1 }
            }
        }
        #expect(wrong == 0)
    }

    @Test(
        "arbitrary timestamps yield rising times within ten seconds of the arrival",
        arguments: 0..<20 as Range<UInt64>)
    func anything(seed: UInt64) {
        var dice = Seeded(seed)
        for _ in 0..<10 {
            var clock = FrameClock()
            var (now, last) = (Self.start, Int64.min)
            for _ in 0..<100 {
                now += Int64.random(in: 0...100_000_000, using: &dice)
                let claim =
                    Bool.random(using: &dice)
                    ? Int64.random(in: .min ... .max, using: &dice)
                    : now + Int64.random(in: -20_000_000_000...20_000_000_000, using: &dice)
                let time = clock.time(of: claim, dequeuedAt: now)
                #expect(time > last)
                #expect(abs(time - now) <= 10_000_000_000)
                last = time
            }
        }
    }
}
