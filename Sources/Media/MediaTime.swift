// SPDX-License-Identifier: GPL-3.0-or-later

/// A time as an exact fraction of seconds (CMTime's counterpart).
public struct MediaTime: Sendable {
    /// The kind of time, with the bits of CMTimeFlags.
    public struct Flags: OptionSet, Sendable, Hashable {
        /// The bits of CMTimeFlags.
        public let rawValue: UInt32
        /// Creates flags from any bits; unknown ones are kept.
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        /// The time is valid. A time without this flag is invalid, whatever its other flags.
        public static let valid = Flags(rawValue: 1)
        /// An operation rounded the time.
        public static let hasBeenRounded = Flags(rawValue: 2)
        /// The time is later than every number; `value` and `epoch` mean nothing.
        public static let positiveInfinity = Flags(rawValue: 4)
        /// The time is earlier than every number; `value` and `epoch` mean nothing.
        public static let negativeInfinity = Flags(rawValue: 8)
        /// The time is unknown, like a live stream's duration; `value` and `epoch` mean nothing.
        public static let indefinite = Flags(rawValue: 16)
    }

    /// The time in units of `1 / timescale` seconds.
    public var value: Int64
    /// Units per second; positive in a numeric time.
    public var timescale: Int32
    /// The kind of time, and whether it was rounded. Later changes are not checked.
    public var flags: Flags
    /// The run of a timeline that starts again from zero.
    public var epoch: Int64

    /// Creates a time. A valid one with a timescale below 1 becomes invalid, with empty flags.
    public init(value: Int64, timescale: Int32, flags: Flags = .valid, epoch: Int64 = 0) {
        self.value = value
        self.timescale = timescale
        self.flags = timescale > 0 || !flags.contains(.valid) ? flags : []
        self.epoch = epoch
    }

    /// Creates a time from a kernel timestamp.
    public init(nanoseconds: Int64) {
        self.init(value: nanoseconds, timescale: 1_000_000_000)
    }

    /// Zero seconds, with timescale 1 and epoch 0.
    public static let zero = MediaTime(value: 0, timescale: 1)
    /// No time: all fields are 0. It equals every other invalid time.
    public static let invalid = MediaTime(value: 0, timescale: 0, flags: [])
    /// A time after every number; also the result of an operation above the range of `value`.
    public static let positiveInfinity = MediaTime(
        value: 0, timescale: 1, flags: [.valid, .positiveInfinity])
    /// A time before every number; also the result of an operation below the range of `value`.
    public static let negativeInfinity = MediaTime(
        value: 0, timescale: 1, flags: [.valid, .negativeInfinity])
    /// A valid time that is not known.
    public static let indefinite = MediaTime(value: 0, timescale: 1, flags: [.valid, .indefinite])

    /// Whether this is a time at all; infinite and indefinite times are.
    public var isValid: Bool { flags.contains(.valid) }
    /// Whether the time is valid and a number.
    public var isNumeric: Bool {
        isValid && flags.isDisjoint(with: [.positiveInfinity, .negativeInfinity, .indefinite])
    }

    /// The time in seconds, rounded to a Double. An infinite time is infinite, an indefinite or
    /// invalid one NaN.
    public var seconds: Double {
        if isNumeric { return Double(value) / Double(timescale) }
        return infinity == 0 ? .nan : infinity > 0 ? .infinity : -.infinity
    }

    /// Adds two times as CMTimeAdd does: in the least common timescale, exact if that and the value
    /// fit. Otherwise the sum is rounded to the finest timescale that fits, and flagged. If none
    /// fits, it is infinite.
    ///
    /// An infinity stays infinite, but opposite infinities give an invalid time. Otherwise, an
    /// indefinite operand makes the sum indefinite. A time of epoch 0 is a duration and takes the
    /// other's epoch. Two times of one epoch give a duration; of different epochs, an invalid time.
    public static func + (left: MediaTime, right: MediaTime) -> MediaTime {
        combine(left, right, sign: 1)
    }

    /// Subtracts as CMTimeSubtract does; see `+`.
    public static func - (left: MediaTime, right: MediaTime) -> MediaTime {
        combine(left, right, sign: -1)
    }

    /// Negates the time, in its timescale and epoch.
    public static prefix func - (time: MediaTime) -> MediaTime {
        combine(MediaTime(value: 0, timescale: max(time.timescale, 1)), time, sign: -1)
    }

    /// 1 or -1 for infinite times; 0 for others.
    var infinity: Int {
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
        let common = MediaFraction.leastCommonMultiple(left.timescale, right.timescale)
        let sum =
            Int128(left.value) * Int128(common / Int64(left.timescale))
            + Int128(right.value) * Int128(common / Int64(right.timescale)) * Int128(sign)
        let epoch = left.epoch == right.epoch ? 0 : left.epoch == 0 ? right.epoch : left.epoch
        return MediaTime(
            fitting: MediaFraction(sum, over: UInt128(common)),
            finest: Int32(exactly: common) ?? .max, flags: left.flags.union(right.flags),
            epoch: epoch)
    }
}

extension MediaTime: Comparable, Hashable {
    /// Whether two times are the same instant, in any timescale, rounded or not. Numbers of
    /// different epochs are never equal; invalid times always are.
    public static func == (left: MediaTime, right: MediaTime) -> Bool {
        order(left, right) == 0
    }

    /// Orders times as CMTimeCompare does: minus infinity, numbers by epoch and then by instant,
    /// indefinite, plus infinity, invalid.
    public static func < (left: MediaTime, right: MediaTime) -> Bool {
        order(left, right) < 0
    }

    /// Hashes equal times alike, whatever their timescales.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(rank)
        guard isNumeric else { return }
        let divisor = Int64(
            MediaFraction.greatestCommonDivisor(
                UInt128(value.magnitude), UInt128(timescale.magnitude)))
        hasher.combine(value / divisor)
        hasher.combine(Int64(timescale) / divisor)
    }

    /// The kind's rank in CMTimeCompare's order.
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
