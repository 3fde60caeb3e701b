// SPDX-License-Identifier: GPL-3.0-or-later

extension MediaTime {
    /// The ways to round a time that does not fit its timescale (CMTimeRoundingMethod's
    /// counterpart).
    public enum RoundingMethod: Sendable, CaseIterable {
        /// To the nearest; of two, the one further from zero.
        case halfAwayFromZero
        case towardZero
        case awayFromZero
        case towardPositiveInfinity
        case towardNegativeInfinity

        /// The method of all operations that take none.
        public static let `default` = halfAwayFromZero
    }

    /// Creates the time in the timescale `preferredTimescale` that is nearest to `seconds`. The
    /// timescale is halved until the value fits. NaN makes an invalid time, as does a timescale
    /// below 1.
    public init(seconds: Double, preferredTimescale: Int32) {
        guard preferredTimescale > 0 else {
            self = .invalid
            return
        }
        self = MediaTime(value: 1, timescale: 1).multiplied(by: seconds, finest: preferredTimescale)
    }

    /// Returns the same instant in other units. The result is flagged if it is rounded, and
    /// infinite if it does not fit. A timescale below 1 makes it invalid.
    public func converted(
        toTimescale newScale: Int32, _ method: RoundingMethod = .default
    ) -> MediaTime {
        guard isNumeric else { return self }
        guard newScale > 0 else { return .invalid }
        let fraction = MediaFraction(Int128(value), over: UInt128(timescale.magnitude))
        guard let (value, isRounded) = fraction.rounded(times: newScale, method) else {
            return value > 0 ? .positiveInfinity : .negativeInfinity
        }
        return MediaTime(
            value: value, timescale: newScale,
            flags: isRounded ? flags.union(.hasBeenRounded) : flags, epoch: epoch)
    }

    /// Multiplies as CMTimeMultiply does: exactly, in the same timescale, unless the value does not
    /// fit. Then the timescale is halved until it does; if none fits, the product is infinite.
    /// Infinity times zero is invalid.
    public static func * (time: MediaTime, factor: Int32) -> MediaTime {
        time.multiplied(byRatio: factor, 1)
    }

    /// Multiplies by the exact number that a Double stands for; see `*` for Int32. The product is
    /// rounded to the timescale. NaN makes an invalid time.
    public func multiplied(by factor: Double) -> MediaTime {
        multiplied(by: factor, finest: timescale)
    }

    /// Multiplies by `factor / divisor`: exactly, in the least multiple of the timescale that
    /// allows it. If that does not fit Int32, the product is rounded to the finest that does. A
    /// divisor of 0 makes an invalid time.
    public func multiplied(byRatio factor: Int32, _ divisor: Int32) -> MediaTime {
        guard isValid, divisor != 0 else { return .invalid }
        guard isNumeric else {
            return scaledSpecial(by: Double(factor.signum() * divisor.signum()))
        }
        let numerator = Int128(value) * Int128(factor) * Int128(divisor.signum())
        let denominator = UInt128(timescale.magnitude) * UInt128(divisor.magnitude)
        let reduced =
            denominator
            / MediaFraction.greatestCommonDivisor(numerator.magnitude, denominator)
        let finest = Int32(exactly: reduced).flatMap {
            Int32(exactly: MediaFraction.leastCommonMultiple($0, timescale))
        }
        return MediaTime(
            fitting: MediaFraction(numerator, over: denominator), finest: finest ?? .max,
            flags: flags, epoch: epoch)
    }

    /// A time that is no number, times a factor.
    private func scaledSpecial(by factor: Double) -> MediaTime {
        guard infinity != 0 else { return self }
        if factor == 0 || factor.isNaN { return .invalid }
        return (infinity > 0) == (factor > 0) ? .positiveInfinity : .negativeInfinity
    }

    private func multiplied(by factor: Double, finest: Int32) -> MediaTime {
        guard isValid, !factor.isNaN else { return .invalid }
        guard isNumeric else { return scaledSpecial(by: factor) }
        if factor == 0 || value == 0 {
            guard factor.isFinite else { return .invalid }
            return MediaTime(value: 0, timescale: finest, flags: flags, epoch: epoch)
        }
        let isPositive = (value > 0) == (factor > 0)
        guard factor.isFinite else { return isPositive ? .positiveInfinity : .negativeInfinity }
        // factor is significand times 2 to the exponent.
        var exponent = Int(factor.exponent) - Double.significandBitCount
        let significand = Int128((factor.significand * 0x1p52).rounded())
        var product = Int128(value) * significand * (factor < 0 ? -1 : 1)
        if exponent >= 0 {
            // A product above 2 to the 95th lies beyond all times.
            guard product.magnitude < 1 << 95, exponent < 95,
                product.magnitude << exponent < 1 << 95
            else { return isPositive ? .positiveInfinity : .negativeInfinity }
            product <<= exponent
            exponent = 0
        } else if exponent < -96 {
            // Only rounding can notice the bits that are dropped, so one stands for all.
            let dropped = min(-96 - exponent, 126)
            let kept = product.magnitude >> dropped
            let isExact = kept << dropped == product.magnitude
            product = Int128(kept | (isExact ? 0 : 1)) * (isPositive ? 1 : -1)
            exponent = -96
        }
        return MediaTime(
            fitting: MediaFraction(product, over: UInt128(timescale.magnitude) << -exponent),
            finest: finest, flags: flags, epoch: epoch)
    }
}
