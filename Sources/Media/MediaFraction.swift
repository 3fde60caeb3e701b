// SPDX-License-Identifier: GPL-3.0-or-later

/// An exact fraction: the product of an integer and a factor, over a denominator. Their sizes are
/// those of all products of times and ratios.
struct MediaFraction {
    let numerator: Int128
    let factor: UInt128
    let denominator: UInt128

    /// Creates `numerator * factor / denominator`, which is not reduced.
    /// - Parameter denominator: At least 1.
    init(_ numerator: Int128, times factor: UInt128 = 1, over denominator: UInt128) {
        (self.numerator, self.factor, self.denominator) = (numerator, factor, denominator)
    }

    /// Returns the fraction times `scale`, rounded; `nil` if that exceeds Int64.
    func rounded(
        times scale: Int32, _ method: MediaTime.RoundingMethod
    ) -> (value: Int64, isRounded: Bool)? {
        let (high, low) = numerator.magnitude.multipliedFullWidth(
            by: factor * UInt128(scale.magnitude))
        guard high < denominator else { return nil }
        let (quotient, remainder) = denominator.dividingFullWidth((high, low))
        guard quotient <= UInt128(UInt64.max) else { return nil }
        let isNegative = numerator < 0
        let isUp =
            switch method {
            case _ where remainder == 0: false
            case .halfAwayFromZero: remainder >= denominator - remainder
            case .towardZero: false
            case .awayFromZero: true
            case .towardPositiveInfinity: !isNegative
            case .towardNegativeInfinity: isNegative
            }
        let magnitude = Int128(quotient) + (isUp ? 1 : 0)
        guard let value = Int64(exactly: isNegative ? -magnitude : magnitude) else { return nil }
        return (value, remainder != 0)
    }

    /// Returns the largest number that divides both; 1 if both are 0.
    static func greatestCommonDivisor(_ one: UInt128, _ other: UInt128) -> UInt128 {
        var (one, other) = (one, other)
        while other != 0 { (one, other) = (other, one % other) }
        return max(one, 1)
    }

    /// Returns the finest timescale that two have in common.
    static func leastCommonMultiple(_ one: Int32, _ other: Int32) -> Int64 {
        let divisor = greatestCommonDivisor(UInt128(one.magnitude), UInt128(other.magnitude))
        return Int64(one) / Int64(divisor) * Int64(other)
    }
}

extension MediaTime {
    /// Creates the time of a fraction of seconds in the timescale `finest`, which is halved until
    /// the value fits. If none fits, the time is infinite.
    init(
        fitting fraction: MediaFraction, finest: Int32, _ method: RoundingMethod = .default,
        flags: Flags, epoch: Int64
    ) {
        var scale = finest
        while scale > 0 {
            if let (value, isRounded) = fraction.rounded(times: scale, method) {
                self.init(
                    value: value, timescale: scale,
                    flags: isRounded ? flags.union(.hasBeenRounded) : flags, epoch: epoch)
                return
            }
            scale /= 2
        }
        self = fraction.numerator > 0 ? .positiveInfinity : .negativeInfinity
    }
}
