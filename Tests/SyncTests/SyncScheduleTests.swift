// SPDX-License-Identifier: GPL-3.0-or-later

import Settings
import Sync
import TestSupport
import Testing

@Suite("SyncSchedule")
struct SyncScheduleTests {
    private static func settings(
        minutes: Int = 60, followsCapture: Bool = false, window: String = ""
    ) -> SyncSettings {
        var settings = SyncSettings()
        settings.intervalMinutes = minutes
        settings.followsCapture = followsCapture
        settings.window = DailyPeriod(window)
        return settings
    }

    @Test("the first run comes within an interval, each later one an interval after the last")
    func interval() {
        var random = Seeded(1)
        var first: [Double] = []
        for _ in 0..<200 {
            var schedule = SyncSchedule(Self.settings(), now: 1000, using: &random)
            let delay = schedule.delay(at: 1000, secondOfDay: nil)
            first.append(delay)
            #expect(schedule.delay(at: 1000 + delay, secondOfDay: nil) == 0)
            schedule.began()
            schedule.ended(.succeeded, at: 5000, using: &random)
            #expect((3240...3960).contains(schedule.delay(at: 5000, secondOfDay: nil)))
        }
        #expect(first.allSatisfy { (0...3600).contains($0) })
        #expect(first.min() ?? 0 < 200 && first.max() ?? 0 > 3400)
    }

    @Test("a photo is sent half a minute after the last one, but ends no delay after a failure")
    func capture() {
        var random = Seeded(2)
        var schedule = SyncSchedule(
            Self.settings(minutes: 10_080, followsCapture: true), now: 0, using: &random)
        schedule.ended(.succeeded, at: 0, using: &random)
        schedule.captured(at: 100)
        schedule.captured(at: 110)
        #expect(schedule.delay(at: 110, secondOfDay: nil) == 30)
        schedule.began()
        #expect(schedule.delay(at: 140, secondOfDay: nil) > 1000)
        for _ in 0..<12 { schedule.ended(.failed, at: 140, using: &random) }
        let before = schedule.delay(at: 140, secondOfDay: nil)
        schedule.captured(at: 140)
        #expect(schedule.delay(at: 140, secondOfDay: nil) == before)
        // Without after_capture a photo changes nothing.
        var calm = SyncSchedule(Self.settings(), now: 0, using: &random)
        calm.ended(.succeeded, at: 0, using: &random)
        calm.captured(at: 10)
        #expect(calm.delay(at: 10, secondOfDay: nil) > 3000)
    }

    @Test("after failures the delay grows up to an hour, and no two kiosks have the same")
    func backoff() {
        var random = Seeded(3)
        for failures in 1...20 {
            let longest = min(3600, 30 * Double(1 << (failures - 1)))
            let delays = (0..<100).map { _ in
                var schedule = SyncSchedule(Self.settings(), now: 0, using: &random)
                for _ in 0..<failures { schedule.ended(.failed, at: 0, using: &random) }
                return schedule.delay(at: 0, secondOfDay: nil)
            }
            #expect(delays.allSatisfy { (0...longest).contains($0) })
            #expect(Set(delays).count > 10)
        }
    }

    @Test("a closed window delays the run, and kiosks do not all begin when it opens")
    func window() {
        var random = Seeded(4)
        var begins: [Double] = []
        for _ in 0..<100 {
            var schedule = SyncSchedule(
                Self.settings(followsCapture: true, window: "22:00-06:00"), now: 0, using: &random)
            // Noon.
            schedule.captured(at: 0)
            let delay = schedule.delay(at: 0, secondOfDay: 43_200)
            #expect(schedule.isOutsideWindow(secondOfDay: 43_200))
            begins.append(delay - 36_000)
            // The delay stays the same, whenever it is asked for.
            #expect(schedule.delay(at: 35_000, secondOfDay: 78_200) == delay - 35_000)
            #expect(schedule.delay(at: 36_000, secondOfDay: 79_200) == delay - 36_000)
            // A clock that may be wrong closes no window, and an order opens it.
            #expect(schedule.delay(at: delay, secondOfDay: nil) == 0)
            schedule.order()
            #expect(schedule.delay(at: 0, secondOfDay: 43_200) == 0)
        }
        #expect(begins.allSatisfy { (0...3600).contains($0) })
        #expect(begins.min() ?? 0 < 300 && begins.max() ?? 0 > 3300)
    }

    @Test("the window's end is known")
    func windowEnd() {
        var random = Seeded(5)
        let schedule = SyncSchedule(
            Self.settings(window: "22:00-06:00"), now: 0, using: &random)
        #expect(schedule.secondsUntilClosing(secondOfDay: 82_800) == 25_200)
        #expect(schedule.secondsUntilClosing(secondOfDay: 3600) == 18_000)
        #expect(schedule.secondsUntilClosing(secondOfDay: nil) == nil)
        let open = SyncSchedule(Self.settings(), now: 0, using: &random)
        #expect(open.secondsUntilClosing(secondOfDay: 3600) == nil)
    }

    @Test("without a network nothing is tried before the interval, and soon after it is back")
    func offline() {
        var random = Seeded(6)
        var schedule = SyncSchedule(
            Self.settings(followsCapture: true), now: 0, using: &random)
        schedule.ended(.offline, at: 0, using: &random)
        schedule.captured(at: 0)
        #expect(schedule.delay(at: 0, secondOfDay: nil) > 3000)
        // Kiosks that get their network back together do not all begin at once.
        let delays = (0..<100).map { _ in
            var one = schedule
            one.reconnected(at: 100, using: &random)
            return one.delay(at: 100, secondOfDay: nil)
        }
        #expect(delays.max() ?? 0 <= 300 && delays.max() ?? 0 > 250 && delays.min() ?? 0 < 50)
        schedule.reconnected(at: 100, using: &random)
        // It was not offline any more.
        schedule.began()
        schedule.ended(.succeeded, at: 200, using: &random)
        schedule.reconnected(at: 200, using: &random)
        #expect(schedule.delay(at: 200, secondOfDay: nil) > 3000)
    }
}
