// SPDX-License-Identifier: GPL-3.0-or-later

package import Codecs
internal import LinuxIO

extension WallTime {
    /// What a picture says of its time; where it does not tell the offset, local time here is meant.
    ///
    /// `nil` for times that no row can hold: before 1678 or after 2261.
    package init?(_ time: PictureTime) {
        let (whole, isTooLarge) = time.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isOver) = whole.addingReportingOverflow(Int64(time.nanoseconds))
        if isTooLarge || isOver { return nil }
        if time.hasUTCOffset {
            self.init(nanoseconds: sum, utcOffsetSeconds: time.utcOffsetSeconds)
            return
        }
        // The offset that holds then, asked for with a time that is off by no more than it.
        let offset = Clock.utcOffset(at: sum)
        let (utc, isBefore) = sum.subtractingReportingOverflow(Int64(offset) * 1_000_000_000)
        if isBefore { return nil }
        self.init(nanoseconds: utc, utcOffsetSeconds: offset)
    }
}
