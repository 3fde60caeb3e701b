// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// The relation of a timeline to the host's clock (CMTimebase's counterpart): a straight line.
/// Times are exact at each change of the rate, so that none drifts.
public struct Timebase: Sendable {
    /// Seconds of the timeline per second of the host; 0 while the timeline stands still, negative
    /// while it goes back.
    public private(set) var rate: Double
    private var (time, host): (MediaTime, Int64)

    /// Begins at a time.
    /// - Parameter host: The present, in nanoseconds of the host's clock.
    public init(_ time: MediaTime = .zero, rate: Double = 0, at host: Int64) {
        (self.time, self.rate, self.host) = (time, rate, host)
    }

    /// Returns the time of the timeline at an instant of the host.
    public func time(at host: Int64) -> MediaTime {
        if rate == 0 || host == self.host { return time }
        return time + MediaTime(nanoseconds: host - self.host).multiplied(by: rate)
    }

    /// Returns the first instant of the host, rounded up to nanoseconds, at which the timeline
    /// reaches a time; `nil` if it never does, or did before the last change.
    public func host(reaching time: MediaTime) -> Int64? {
        if time == self.time { return host }
        guard rate != 0, time.isNumeric, (time > self.time) == (rate > 0) else { return nil }
        let wait = (time - self.time).multiplied(by: 1 / rate)
        let nanoseconds = wait.converted(toTimescale: 1_000_000_000, .towardPositiveInfinity)
        guard nanoseconds.isNumeric else { return nil }
        let (instant, isTooLate) = host.addingReportingOverflow(nanoseconds.value)
        if isTooLate { return nil }
        // The reciprocal of the rate is rounded.
        let isReached = rate > 0 ? self.time(at: instant) >= time : self.time(at: instant) <= time
        return isReached ? instant : instant + 1
    }

    /// Changes the rate; the time goes on from where it is.
    public mutating func setRate(_ rate: Double, at host: Int64) {
        (time, self.host, self.rate) = (time(at: host), host, rate)
    }

    /// Jumps to a time.
    public mutating func setTime(_ time: MediaTime, at host: Int64) {
        (self.time, self.host) = (time, host)
    }
}
