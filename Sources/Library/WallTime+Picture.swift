// SPDX-License-Identifier: GPL-3.0-or-later

package import Codecs
internal import LinuxIO

extension WallTime {
    /// Converts a picture's time. If the picture gives no UTC offset, its time is local time here.
    /// The result is `nil` for times that no row can hold: before 1678 or after 2261.
    package init?(_ time: PictureTime) {
        let (whole, isTooLarge) = time.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isOver) = whole.addingReportingOverflow(Int64(time.nanoseconds))
        if isTooLarge || isOver { return nil }
        if time.hasUTCOffset {
            self.init(nanoseconds: sum, utcOffsetSeconds: time.utcOffsetSeconds)
            return
        }
        // The offset at that moment. The time used for the lookup is wrong by at most the offset.
        let offset = Clock.utcOffset(at: sum)
        let (utc, isBefore) = sum.subtractingReportingOverflow(Int64(offset) * 1_000_000_000)
        if isBefore { return nil }
        self.init(nanoseconds: utc, utcOffsetSeconds: offset)
    }
}
