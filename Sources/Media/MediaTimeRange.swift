// SPDX-License-Identifier: GPL-3.0-or-later

/// A part of a timeline (CMTimeRange's counterpart): from its start up to, but without, its end.
public struct MediaTimeRange: Sendable {
    /// The first instant.
    public var start: MediaTime
    /// The length. It has no epoch.
    public var duration: MediaTime

    /// Creates a range. It is invalid if its start is, or if the duration is invalid, negative or
    /// of an epoch.
    public init(start: MediaTime, duration: MediaTime) {
        (self.start, self.duration) = (start, duration)
    }

    /// Creates a range from its start up to its end. It is invalid if the end lies before.
    public init(start: MediaTime, end: MediaTime) {
        self.init(start: start, duration: end - start)
    }

    /// An empty range at zero.
    public static let zero = MediaTimeRange(start: .zero, duration: .zero)
    /// No range. It equals every other invalid range.
    public static let invalid = MediaTimeRange(start: .invalid, duration: .invalid)

    /// The first instant after the range.
    public var end: MediaTime { isValid ? start + duration : .invalid }
    /// Whether this is a range at all.
    public var isValid: Bool {
        start.isValid && duration.isValid && duration.epoch == 0 && duration >= .zero
    }
    /// Whether the range is valid and contains nothing.
    public var isEmpty: Bool { isValid && duration == .zero }
    /// Whether the range is valid, and its start or length is not known.
    public var isIndefinite: Bool {
        isValid && (start == .indefinite || duration == .indefinite)
    }

    /// Returns whether an instant lies in the range.
    public func contains(_ time: MediaTime) -> Bool {
        isValid && !isIndefinite && time.isNumeric && start <= time && time < end
    }

    /// Returns whether the whole of another range lies in this one. An empty range lies where its
    /// start does.
    public func contains(_ other: MediaTimeRange) -> Bool {
        guard isValid, other.isValid, !isIndefinite, !other.isIndefinite else { return false }
        return other.isEmpty ? contains(other.start) : start <= other.start && other.end <= end
    }

    /// Returns what two ranges share; ``zero`` if they share nothing, ``invalid`` if one is.
    public func intersection(_ other: MediaTimeRange) -> MediaTimeRange {
        guard isValid, other.isValid else { return .invalid }
        let (first, last) = (max(start, other.start), min(end, other.end))
        return first < last ? MediaTimeRange(start: first, end: last) : .zero
    }

    /// Returns the smallest range that contains both, and what lies between them; ``invalid`` if
    /// one is.
    public func union(_ other: MediaTimeRange) -> MediaTimeRange {
        guard isValid, other.isValid else { return .invalid }
        return MediaTimeRange(start: min(start, other.start), end: max(end, other.end))
    }

    /// Returns the instant of the range that is nearest to `time`; invalid for an empty range.
    public func clamped(_ time: MediaTime) -> MediaTime {
        guard isValid, !isEmpty, time.isValid else { return .invalid }
        return min(max(time, start), end)
    }
}

extension MediaTimeRange: Hashable {
    /// Whether two ranges have the same start and length, in any timescales. Invalid ranges are
    /// equal.
    public static func == (left: MediaTimeRange, right: MediaTimeRange) -> Bool {
        guard left.isValid, right.isValid else { return left.isValid == right.isValid }
        return left.start == right.start && left.duration == right.duration
    }

    /// Hashes equal ranges alike.
    public func hash(into hasher: inout Hasher) {
        guard isValid else { return }
        hasher.combine(start)
        hasher.combine(duration)
    }
}

/// The linear map of one range to another (CMTimeMapping's counterpart).
public struct MediaTimeMapping: Hashable, Sendable {
    /// The range that is mapped.
    public var source: MediaTimeRange
    /// The range that it becomes.
    public var target: MediaTimeRange

    /// Creates a mapping.
    public init(source: MediaTimeRange, target: MediaTimeRange) {
        (self.source, self.target) = (source, target)
    }

    /// Returns where an instant is mapped, also one outside the source: exactly if a timescale of
    /// Int32 allows it, else rounded and flagged. Invalid if the mapping or the instant is no
    /// number, or if the source is empty and the instant is not its start.
    public func map(_ time: MediaTime) -> MediaTime {
        guard source.isValid, target.isValid, time.isNumeric, source.start.isNumeric,
            target.start.isNumeric
        else { return .invalid }
        if time == source.start { return target.start }
        return target.start + map(duration: time - source.start)
    }

    /// Returns the length that a length of the source becomes; see ``map(_:)``.
    public func map(duration: MediaTime) -> MediaTime {
        let (from, to) = (source.duration, target.duration)
        guard source.isValid, target.isValid, duration.isNumeric, from.isNumeric, to.isNumeric,
            from > .zero
        else { return .invalid }
        // duration * to / from, in lowest terms.
        var above = [duration.value.magnitude, to.value.magnitude, UInt64(from.timescale)]
            .map { UInt128($0) }
        var below = [UInt64(duration.timescale), UInt64(to.timescale), from.value.magnitude]
            .map { UInt128($0) }
        for one in above.indices {
            for other in below.indices {
                let divisor = MediaFraction.greatestCommonDivisor(above[one], below[other])
                above[one] /= divisor
                below[other] /= divisor
            }
        }
        let denominator = below[0] * below[1] * below[2]
        let sign: Int128 = duration.value < 0 ? -1 : 1
        return MediaTime(
            fitting: MediaFraction(
                Int128(above[0] * above[1]) * sign, times: above[2], over: denominator),
            finest: Int32(exactly: denominator) ?? .max,
            flags: duration.flags.union(from.flags).union(to.flags), epoch: 0)
    }
}
