// SPDX-License-Identifier: GPL-3.0-or-later

/// A pattern in which a lamp is lit.
public enum LampPattern: Sendable, Equatable {
    case off
    case on
    /// Short flashes and a pause, repeated. Their number says what is wrong, even without a screen.
    case flashes(Int)

    private static let flash: Int64 = 150_000_000
    private static let gap: Int64 = 250_000_000
    private static let pause: Int64 = 1_200_000_000

    /// Returns whether the lamp is lit `elapsed` nanoseconds after the start, and when that changes
    /// (`nil`: never).
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
