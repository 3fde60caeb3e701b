// SPDX-License-Identifier: GPL-3.0-or-later

import Settings
import Testing

@Suite("daily pause")
struct DailyPeriodTests {
    private func contains(_ pause: String, _ hours: Int64, _ minutes: Int64) throws -> Bool {
        try #require(DailyPeriod(pause)).contains(secondOfDay: hours * 3600 + minutes * 60 + 59)
    }

    @Test("a pause includes midnight if its end is before its beginning")
    func midnight() throws {
        #expect(try contains("22:00-06:00", 22, 0) && contains("22:00-06:00", 5, 59))
        #expect(try !contains("22:00-06:00", 21, 59) && !contains("22:00-06:00", 6, 0))
        #expect(try contains("12:15-13:00", 12, 15) && !contains("12:15-13:00", 13, 0))
        #expect(try !contains("12:15-13:00", 0, 0))
    }

    @Test("a malformed pause is refused, and a valid one is written as it was read")
    func form() throws {
        for text in [
            "", "22:00", "22-06", "24:00-06:00", "22:60-06:00", "06:00-06:00", "2:00-06:00",
            "-1:00-06:00", "22:00-06:00-",
        ] {
            #expect(DailyPeriod(text) == nil, "\(text)")
        }
        for text in ["22:00-06:00", "00:05-23:59"] {
            #expect(DailyPeriod(text)?.description == text)
        }
    }
}
