// SPDX-License-Identifier: GPL-3.0-or-later

/// A time as an exact fraction of seconds (CMTime's counterpart).
public struct MediaTime: Sendable {
    /// What kind of time it is; the bits are CMTimeFlags'.
    public struct Flags: OptionSet, Sendable, Hashable {
        /// CMTimeFlags' bits.
        public let rawValue: UInt32
        /// Of any bits; unknown ones are kept.
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        /// Without it a time is invalid, whatever the other flags say.
        public static let valid = Flags(rawValue: 1)
        /// Some operation could not be exact.
        public static let hasBeenRounded = Flags(rawValue: 2)
        /// Later than every number; `value` and `epoch` mean nothing.
        public static let positiveInfinity = Flags(rawValue: 4)
        /// Earlier than every number; `value` and `epoch` mean nothing.
        public static let negativeInfinity = Flags(rawValue: 8)
        /// Not known, like the duration of a live stream; `value` and `epoch` mean nothing.
        public static let indefinite = Flags(rawValue: 16)
    }

    /// Units of `1 / timescale` seconds.
    public var value: Int64
    /// Units per second; positive in a numeric time.
    public var timescale: Int32
    /// The kind of time, and whether it was rounded. What is set later is not checked.
    public var flags: Flags
    /// Which run of a timeline that starts again from zero.
    public var epoch: Int64

    /// What is given as valid without a positive timescale becomes invalid: its flags are empty.
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

    /// No seconds, a number with the timescale 1 and the epoch 0.
    public static let zero = MediaTime(value: 0, timescale: 1)
    /// No time at all: all fields are 0. Equal to every other invalid time.
    public static let invalid = MediaTime(value: 0, timescale: 0, flags: [])
    /// After every number; also what becomes of a result that lies above what `value` holds.
    public static let positiveInfinity = MediaTime(
        value: 0, timescale: 1, flags: [.valid, .positiveInfinity])
    /// Before every number; also what becomes of a result that lies below what `value` holds.
    public static let negativeInfinity = MediaTime(
        value: 0, timescale: 1, flags: [.valid, .negativeInfinity])
    /// Valid but not known; also the sum of plus and minus infinity.
    public static let indefinite = MediaTime(value: 0, timescale: 1, flags: [.valid, .indefinite])

    /// Whether it is a time at all: infinite and indefinite ones are.
    public var isValid: Bool { flags.contains(.valid) }
    /// Valid, and a number.
    public var isNumeric: Bool {
        isValid && flags.isDisjoint(with: [.positiveInfinity, .negativeInfinity, .indefinite])
    }

    /// Seconds, rounded to what a Double holds; NaN unless numeric (infinities keep their sign).
    public var seconds: Double {
        if isNumeric { return Double(value) / Double(timescale) }
        return infinity == 0 ? .nan : infinity > 0 ? .infinity : -.infinity
    }

    /// The same instant in other units, rounded half away from zero; flagged when that lost something,
    /// infinite when it does not fit.
    public func converted(toTimescale newScale: Int32) -> MediaTime {
        guard isNumeric, newScale > 0 else { return isNumeric ? .invalid : self }
        let product = value.multipliedFullWidth(by: Int64(newScale))
        return MediaTime.rounding(
            Int128(product.high) << 64 | Int128(product.low), by: Int128(timescale),
            timescale: newScale, flags: flags, epoch: epoch)
            ?? (value > 0 ? .positiveInfinity : .negativeInfinity)
    }

    /// `nil` when the value exceeds `Int64`.
    private static func rounding(
        _ numerator: Int128, by denominator: Int128, timescale: Int32, flags: Flags, epoch: Int64
    ) -> MediaTime? {
        var (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
        var flags = flags
        if remainder != 0 {
            flags.insert(.hasBeenRounded)
            if remainder.magnitude * 2 >= denominator.magnitude { quotient += numerator.signum() }
        }
        guard let value = Int64(exactly: quotient) else { return nil }
        return MediaTime(value: value, timescale: timescale, flags: flags, epoch: epoch)
    }

    /// As CMTimeAdd: in the least common timescale, exact where that and the value fit; else rounded, in
    /// the finest timescale that both allow, and flagged. Infinite when no timescale fits.
    ///
    /// An infinity stays, opposite ones make an invalid time; indefinite stays besides. A time of epoch
    /// 0 is a duration and takes the other's epoch; two of one epoch make a duration, of two epochs an
    /// invalid time.
    public static func + (left: MediaTime, right: MediaTime) -> MediaTime {
        combine(left, right, sign: 1)
    }

    /// As CMTimeSubtract; see `+`.
    public static func - (left: MediaTime, right: MediaTime) -> MediaTime {
        combine(left, right, sign: -1)
    }

    /// Zero minus the time, in its timescale and epoch.
    public static prefix func - (time: MediaTime) -> MediaTime {
        combine(MediaTime(value: 0, timescale: max(time.timescale, 1)), time, sign: -1)
    }

    /// 1 or -1 when infinite.
    private var infinity: Int {
        if !isValid { return 0 }
        return flags.contains(.positiveInfinity) ? 1 : flags.contains(.negativeInfinity) ? -1 : 0
    }

    private static func combine(_ left: MediaTime, _ right: MediaTime, sign: Int) -> MediaTime {
        guard left.isValid, right.isValid else { return .invalid }
        let infinities = Set([left.infinity, right.infinity * sign]).subtracting([0])
        guard infinities.count < 2 else { return .invalid }
        if let one = infinities.first { return one > 0 ? .positiveInfinity : .negativeInfinity }
        guard left.isNumeric, right.isNumeric else { return .indefinite }
        guard left.epoch == right.epoch || right.epoch == 0 || left.epoch == 0 else {
            return .invalid
        }
        let divisor = greatestCommonDivisor(left.timescale, right.timescale)
        let common = Int64(left.timescale) / Int64(divisor) * Int64(right.timescale)
        let sum =
            Int128(left.value) * Int128(common / Int64(left.timescale))
            + Int128(right.value) * Int128(common / Int64(right.timescale)) * Int128(sign)
        let epoch = left.epoch == right.epoch ? 0 : left.epoch == 0 ? right.epoch : left.epoch
        var scale = Int32(exactly: common) ?? .max
        while scale > 0 {
            if let result = rounding(
                sum * Int128(scale), by: Int128(common), timescale: scale,
                flags: left.flags.union(right.flags), epoch: epoch)
            {
                return result
            }
            scale /= 2
        }
        return sum > 0 ? .positiveInfinity : .negativeInfinity
    }

    private static func greatestCommonDivisor(_ a: Int32, _ b: Int32) -> Int32 {
        var (a, b) = (a, b)
        while b != 0 { (a, b) = (b, a % b) }
        return a
    }
}

extension MediaTime: Comparable, Hashable {
    /// The same instant in any timescale, rounded or not. Numbers of different epochs are never
    /// equal, invalid times always.
    public static func == (left: MediaTime, right: MediaTime) -> Bool {
        order(left, right) == 0
    }

    /// CMTimeCompare's order: minus infinity, numbers by epoch and then instant, indefinite, plus infinity,
    /// invalid.
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

    /// CMTimeCompare's order of what is no number.
    private var rank: Int {
        if !isValid { return 3 }
        if infinity != 0 { return infinity > 0 ? 2 : -1 }
        return flags.contains(.indefinite) ? 1 : 0
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
