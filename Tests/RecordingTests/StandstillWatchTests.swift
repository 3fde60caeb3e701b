// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxIO
import Recording
import Testing

/// The encoder's thread is examined when a frame finds no place; here five times a second.
@Suite("StandstillWatch")
struct StandstillWatchTests {
    /// - Parameters:
    ///   - share: The share of a processor's time that the thread gets, at a time in seconds.
    ///   - isRunnable: Whether the thread runs or wants to, at a time in seconds.
    ///   - moves: The times at which it makes progress, in seconds. It also did at 0.
    /// - Returns: The time at which it counts as stalled, in seconds; `nil` if not within 70
    ///   seconds.
    private func discovery(
        _ share: (Double) -> Double, isRunnable: (Double) -> Bool = { _ in false },
        moves: [Double] = []
    ) -> Double? {
        var watch = StandstillWatch()
        var work = 0.0
        for look in 0..<350 {
            let time = Double(look) / 5
            work += share(time) / 5
            let moved = moves.last { $0 <= time } ?? 0
            var activity = NamedThread.Activity()
            activity.processorTime = Self.nanoseconds(work)
            activity.isRunnable = isRunnable(time)
            if watch.standsStill(
                at: Self.nanoseconds(time), moved: Self.nanoseconds(moved), activity: activity)
            {
                return time
            }
        }
        return nil
    }

    private static func nanoseconds(_ seconds: Double) -> Int64 {
        1_000_000_000_000 + Int64((seconds * 1e9).rounded())
    }

    @Test("a thread that does nothing is found within two seconds")
    func still() throws {
        let time = try #require(discovery { _ in 0 })
        #expect(time > 1.5 && time < 2)
    }

    @Test(
        "a thread that does nothing is found within two seconds at any frame rate",
        arguments: [5.0, 7.5, 15, 24, 30, 60, 120])
    func rates(rate: Double) throws {
        var watch = StandstillWatch()
        var (looked, looks) = (0 as Int64, 0)
        let moved = Self.nanoseconds(0)
        var found: Double?
        for frame in 0..<Int(rate * 4) where found == nil {
            // The frames come up to 10 ms late.
            let time = Double(frame) / rate + Double(frame * 7 % 11) / 1000
            let now = Self.nanoseconds(time)
            guard StandstillWatch.isDue(at: now, moved: moved, looked: looked) else { continue }
            (looked, looks) = (now, looks + 1)
            if watch.standsStill(at: now, moved: moved, activity: NamedThread.Activity()) {
                found = time
            }
        }
        let time = try #require(found)
        #expect(time > 1.5 && time < 2 && looks <= 6, "\(looks) looks")
        #expect(!StandstillWatch.isDue(at: Self.nanoseconds(5), moved: 0, looked: 0))
    }

    @Test("a thread that stops in the middle of its work is found within two seconds")
    func stopped() throws {
        let time = try #require(discovery { $0 < 1.2 ? 0.5 : 0 })
        #expect(time > 1.5 && time < 3.2)
    }

    @Test("an endless loop is found after ten seconds of processor time")
    func endless() throws {
        let alone = try #require(discovery({ _ in 1 }, isRunnable: { _ in true }))
        #expect(alone > 11 && alone < 12)
        let busy = try #require(discovery({ _ in 0.25 }, isRunnable: { _ in true }))
        #expect(busy > 41 && busy < 42)
    }

    @Test("a thread that gets little processor time is found after a minute")
    func starved() throws {
        let time = try #require(discovery { _ in 0.02 })
        #expect(time > 60 && time < 60.3)
    }

    @Test("a runnable thread without processor time is found after a minute")
    func waiting() throws {
        let time = try #require(discovery({ _ in 0 }, isRunnable: { _ in true }))
        #expect(time > 60 && time < 60.3)
        let later = try #require(discovery({ _ in 0 }, isRunnable: { $0 < 3 }))
        #expect(later > 3.1 && later < 3.7)
    }

    @Test("a thread that makes progress now and then is not found")
    func slow() throws {
        let moves = [1.4, 2.8, 4.2, 5.6, 7, 8.4, 9.8, 11.2]
        let time = try #require(discovery({ _ in 0 }, moves: moves))
        #expect(time > 12.6 && time < 13.3)
        #expect(discovery({ _ in 0.02 }, moves: [9, 18]) == nil)
    }
}
