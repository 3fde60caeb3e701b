// SPDX-License-Identifier: GPL-3.0-or-later

/// How a lamp is lit over time.
public enum LampPattern: Sendable, Equatable {
    case off
    case on
    /// So many short flashes, a pause, and again: what is wrong, for a person without a screen.
    case flashes(Int)

    private static let flash: Int64 = 150_000_000
    private static let gap: Int64 = 250_000_000
    private static let pause: Int64 = 1_200_000_000

    /// Whether the lamp is lit `elapsed` nanoseconds after the pattern began, and when that changes:
    /// `nil` for never.
    public func state(at elapsed: Int64) -> (isLit: Bool, changesAt: Int64?) {
        switch self {
        case .off: return (false, nil)
        case .on: return (true, nil)
        case .flashes(let count):
            let count = Int64(max(1, count))
            let beat = Self.flash + Self.gap
            let period = count * beat + Self.pause
            let round = elapsed / period * period
            let within = elapsed - round
            let flash = within / beat
            if flash >= count { return (false, round + period) }
            if within < flash * beat + Self.flash {
                return (true, round + flash * beat + Self.flash)
            }
            let isLast = flash + 1 == count
            return (false, round + (isLast ? period : (flash + 1) * beat))
        }
    }
}
