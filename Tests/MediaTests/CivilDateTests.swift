// SPDX-License-Identifier: GPL-3.0-or-later

import Media
import Testing

@Suite("Calendar dates")
struct CivilDateTests {
    /// The days are `date -u -d 2000-02-29 +%s` divided by 86,400, and so on.
    @Test(
        "dates agree with date(1)",
        arguments: [
            (0, 1970, 1, 1), (11_016, 2000, 2, 29), (11_017, 2000, 3, 1), (20_779, 2026, 11, 22),
            (-25_509, 1900, 2, 28), (-25_508, 1900, 3, 1), (-719_162, 1, 1, 1),
        ])
    func known(_ days: Int64, _ year: Int, _ month: Int, _ day: Int) {
        let date = CivilDate(year: year, month: month, day: day)
        #expect(CivilDate(daysSince1970: days) == date)
        #expect(date.daysSince1970 == days)
    }

    @Test("every day of 800 years converts back, and the days follow each other")
    func everyDay() {
        var last = CivilDate(daysSince1970: -146_098)
        for days in Int64(-146_097)...146_097 {
            let date = CivilDate(daysSince1970: days)
            guard date.daysSince1970 == days, date.day == 1 || date.day == last.day + 1 else {
                Issue.record("\(date) is not day \(days)")
                return
            }
            last = date
        }
    }

    @Test("zeros pad a number between its sign and its digits")
    func padding() {
        #expect(7.padded(3) == "007")
        #expect((-7).padded(2) == "-07")
        #expect(Int64(12_345).padded(2) == "12345")
    }
}
