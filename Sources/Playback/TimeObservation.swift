// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// The instants of a timeline of which an observer wants to know.
enum TimeObservation: Sendable {
    /// All multiples of an interval, which is above zero.
    case periodic(MediaTime)
    /// These instants, in ascending order.
    case boundaries([MediaTime])

    /// Returns the next of these instants behind `time`, in the direction of the timeline; `nil` if
    /// there is none.
    func next(after time: MediaTime, isForward: Bool) -> MediaTime? {
        guard time.isNumeric else { return nil }
        switch self {
        case .periodic(let interval):
            let dividend = Int128(time.value) * Int128(interval.timescale)
            let divisor = Int128(time.timescale) * Int128(interval.value)
            let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
            let floor = quotient - (remainder < 0 ? 1 : 0)
            let number = isForward ? floor + 1 : remainder == 0 ? floor - 1 : floor
            guard let value = Int64(exactly: number * Int128(interval.value)) else { return nil }
            return MediaTime(value: value, timescale: interval.timescale, epoch: time.epoch)
        case .boundaries(let times):
            return isForward ? times.first { $0 > time } : times.last { $0 < time }
        }
    }

    /// Whether one of these instants lies behind `start`, and not behind `end`.
    func isCrossed(from start: MediaTime, to end: MediaTime) -> Bool {
        let isForward = end >= start
        guard let next = next(after: start, isForward: isForward) else { return false }
        return isForward ? next <= end : next >= end
    }
}
