// SPDX-License-Identifier: GPL-3.0-or-later

/// A time as an exact fraction of seconds (CMTime's counterpart).
public struct MediaTime: Sendable {
    /// What kind of time it is.
    public struct Flags: OptionSet, Sendable, Hashable {
        /// CMTimeFlags' bits.
        public let rawValue: UInt32
        /// Of any bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        /// Without it the time is ``MediaTime/invalid``, whatever else is set.
        public static let valid = Flags(rawValue: 1)
        /// Some operation could not be exact.
        public static let hasBeenRounded = Flags(rawValue: 2)
        /// Later than every number.
        public static let positiveInfinity = Flags(rawValue: 4)
        /// Earlier than every number.
        public static let negativeInfinity = Flags(rawValue: 8)
        /// Not known yet, as the duration of a stream.
        public static let indefinite = Flags(rawValue: 16)
    }

    /// Units of `1 / timescale` seconds.
    public var value: Int64
    /// Units per second; positive in a numeric time.
    public var timescale: Int32
    /// What kind of time it is.
    public var flags: Flags
    /// Which run of a timeline that starts again from zero.
    public var epoch: Int64

    /// Without ``Flags/valid`` or with a timescale of 0 or below the time is invalid.
    public init(value: Int64, timescale: Int32, flags: Flags = .valid, epoch: Int64 = 0) {
        self.value = value
        self.timescale = timescale
        self.flags = timescale > 0 || !flags.contains(.valid) ? flags : []
        self.epoch = epoch
    }

    /// A kernel timestamp.
    public init(nanoseconds: Int64) {
        self.init(value: nanoseconds, timescale: 1_000_000_000)
    }

    /// No time passed, in a timescale of 1.
    public static let zero = MediaTime(value: 0, timescale: 1)
    /// No time: what comes of it is invalid too.
    public static let invalid = MediaTime(value: 0, timescale: 0, flags: [])
    /// Later than every number.
    public static let positiveInfinity = MediaTime(
        value: 0, timescale: 1, flags: [.valid, .positiveInfinity])
    /// Earlier than every number.
    public static let negativeInfinity = MediaTime(
        value: 0, timescale: 1, flags: [.valid, .negativeInfinity])
    /// Not known yet.
    public static let indefinite = MediaTime(value: 0, timescale: 1, flags: [.valid, .indefinite])

    /// Whether it is a time, be it infinite or indefinite.
    public var isValid: Bool { flags.contains(.valid) }
    /// Valid, and a number.
    public var isNumeric: Bool {
        isValid && flags.isDisjoint(with: [.positiveInfinity, .negativeInfinity, .indefinite])
    }

    /// Seconds, rounded to what a Double holds; NaN unless numeric (infinities keep their sign).
    public var seconds: Double {
        if isNumeric { return Double(value) / Double(timescale) }
        if flags.contains(.positiveInfinity) { return .infinity }
        if flags.contains(.negativeInfinity) { return -.infinity }
        return .nan
    }

    /// The same instant in other units, rounded half away from zero; flagged when that lost something,
    /// infinite when it does not fit.
    public func converted(toTimescale newScale: Int32) -> MediaTime {
        guard isNumeric, newScale > 0 else { return isNumeric ? .invalid : self }
        let product = value.multipliedFullWidth(by: Int64(newScale))
        return MediaTime.rounding(
            Int128(product.high) << 64 | Int128(product.low), by: Int128(timescale),
            timescale: newScale, flags: flags, epoch: epoch)
    }

    private static func rounding(
        _ numerator: Int128, by denominator: Int128, timescale: Int32, flags: Flags, epoch: Int64
    ) -> MediaTime {
        var (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
        var flags = flags
        if remainder != 0 {
            flags.insert(.hasBeenRounded)
            if remainder.magnitude * 2 >= denominator.magnitude { quotient += numerator.signum() }
        }
        guard let value = Int64(exactly: quotient) else {
            return quotient > 0 ? .positiveInfinity : .negativeInfinity
        }
        return MediaTime(value: value, timescale: timescale, flags: flags, epoch: epoch)
    }

    /// Exact where a common timescale fits, else rounded and flagged; infinities stay.
    public static func + (left: MediaTime, right: MediaTime) -> MediaTime {
        combine(left, right) { $0 + $1 }
    }

    /// As the sum with the negative.
    public static func - (left: MediaTime, right: MediaTime) -> MediaTime {
        combine(left, -right) { $0 + $1 }
    }

    /// An infinity becomes the other one; invalid and indefinite stay as they are.
    public static prefix func - (time: MediaTime) -> MediaTime {
        if time.flags.contains(.positiveInfinity) { return .negativeInfinity }
        if time.flags.contains(.negativeInfinity) { return .positiveInfinity }
        guard time.isNumeric else { return time }
        if time.value == .min { return .positiveInfinity }
        return MediaTime(
            value: -time.value, timescale: time.timescale, flags: time.flags, epoch: time.epoch)
    }

    /// Exact in the least common timescale when that fits, else rounded to the finer of the two.
    private static func combine(
        _ left: MediaTime, _ right: MediaTime, _ operation: (Int128, Int128) -> Int128
    ) -> MediaTime {
        guard left.isValid, right.isValid else { return .invalid }
        guard left.isNumeric, right.isNumeric else {
            if left.flags.contains(.indefinite) || right.flags.contains(.indefinite) {
                return .indefinite
            }
            if left.isNumeric { return right }
            if right.isNumeric { return left }
            return left.flags == right.flags ? left : .indefinite
        }
        guard left.epoch == right.epoch || right.epoch == 0 || left.epoch == 0 else {
            return .invalid
        }
        let divisor = greatestCommonDivisor(left.timescale, right.timescale)
        let common = Int64(left.timescale) / Int64(divisor) * Int64(right.timescale)
        let sum = operation(
            Int128(left.value) * Int128(common / Int64(left.timescale)),
            Int128(right.value) * Int128(common / Int64(right.timescale)))
        let scale = Int32(exactly: common) ?? max(left.timescale, right.timescale)
        return rounding(
            sum * Int128(scale), by: Int128(common), timescale: scale,
            flags: left.flags.union(right.flags), epoch: max(left.epoch, right.epoch))
    }

    private static func greatestCommonDivisor(_ a: Int32, _ b: Int32) -> Int32 {
        var (a, b) = (a, b)
        while b != 0 { (a, b) = (b, a % b) }
        return a
    }
}

extension MediaTime: Comparable, Hashable {
    /// Whether both are the same instant, in whatever units.
    public static func == (left: MediaTime, right: MediaTime) -> Bool {
        order(left, right) == 0
    }

    /// Invalid before all, then minus infinity, numbers by epoch and value, plus infinity,
    /// indefinite.
    public static func < (left: MediaTime, right: MediaTime) -> Bool {
        order(left, right) < 0
    }

    /// Equal times in different timescales hash alike.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(rank)
        guard isNumeric else { return }
        let divisor = MediaTime.greatestCommonDivisor(
            Int32(truncatingIfNeeded: value.magnitude % UInt64(timescale)), timescale)
        hasher.combine(value / Int64(max(divisor, 1)))
        hasher.combine(timescale / max(divisor, 1))
    }

    /// Invalid first, then minus infinity, numbers, plus infinity, indefinite.
    private var rank: Int {
        if !isValid { return -2 }
        if flags.contains(.negativeInfinity) { return -1 }
        if flags.contains(.positiveInfinity) { return 1 }
        if flags.contains(.indefinite) { return 2 }
        return 0
    }

    private static func order(_ left: MediaTime, _ right: MediaTime) -> Int {
        if left.rank != right.rank { return left.rank < right.rank ? -1 : 1 }
        guard left.isNumeric else { return 0 }
        if left.epoch != right.epoch { return left.epoch < right.epoch ? -1 : 1 }
        let a = left.value.multipliedFullWidth(by: Int64(right.timescale))
        let b = right.value.multipliedFullWidth(by: Int64(left.timescale))
        if a.high != b.high { return a.high < b.high ? -1 : 1 }
        return a.low == b.low ? 0 : (a.low < b.low ? -1 : 1)
    }
}
