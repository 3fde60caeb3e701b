// SPDX-License-Identifier: GPL-3.0-or-later

/// A date of the proleptic Gregorian calendar.
package struct CivilDate: Hashable, Sendable {
    package let year: Int
    /// The month, 1 to 12.
    package let month: Int
    /// The day of the month, 1 to 31.
    package let day: Int

    package init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    // Both conversions count in eras of 400 years that begin on 1 March: Howard Hinnant,
    // "chrono-compatible low-level date algorithms".

    /// Creates the date that is `days` days after 1970-01-01.
    package init(daysSince1970 days: Int64) {
        let (era, dayOfEra) = (days + 719_468).flooredDivision(by: 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * month + 2) / 5 + 1)
        self.month = Int(month < 10 ? month + 3 : month - 9)
        year = Int(yearOfEra + era * 400) + (self.month <= 2 ? 1 : 0)
    }

    /// The number of days since 1970-01-01. Days past the end of the month count into the next one.
    package var daysSince1970: Int64 {
        let (era, yearOfEra) = Int64(month <= 2 ? year - 1 : year).flooredDivision(by: 400)
        let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

extension Int64 {
    /// Divides and rounds down, so that the remainder is not negative; `divisor` must be positive.
    package func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension BinaryInteger {
    /// Returns the number in decimal, padded with zeros to at least `width` digits.
    package func padded(_ width: Int) -> String {
        let digits = String(magnitude)
        return (self < 0 ? "-" : "")
            + String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
    }
}
