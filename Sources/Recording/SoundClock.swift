// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
package import Media

/// Keeps sound by the frames' clock: by how much its own one has to be made faster or slower.
///
/// A line through the times that are told of the card's samples says how fast its clock runs, and where sound is
/// without the noise of what is told of a single chunk.
package struct SoundClock: Sendable {
    /// What is to be done.
    package enum Verdict: Equatable {
        /// Nothing is to be changed now.
        case follow
        /// So large a share of the samples is to be made more, fewer where negative.
        case correct(Double)
        /// Samples were lost, or two chunks in a row are too far away to be corrected.
        case restart
    }

    /// Nanoseconds; no clock drifts that far between two judgements.
    private static let limit: Int64 = 60_000_000
    private static let interval: Int64 = 500_000_000
    /// Of the distance that is corrected in a second.
    private static let proportion = 0.5
    /// More nobody's clock is off, and more can be heard.
    private static let largestShare = 0.01

    /// How far a chunk's time is after what the card's samples since the first one come to.
    private var lag = FadingLine(timeConstant: 10)
    /// Of the first chunk, and all samples since, as long as they should last; nanoseconds.
    private var begin: Int64 = 0
    private var counted: Int64 = 0
    private var lastJudgement: Int64?
    /// How far away the chunk before was, where that was too far; nanoseconds.
    private var away: Int64?
    /// By how much the card's clock is slow, as it was found last; below 0 where it is fast.
    private var drift = 0.0

    package init() {}

    /// - Parameter end: until where samples were encoded before this chunk, with all corrections, nanoseconds; `nil`
    ///   before the first ones.
    package mutating func judge(_ chunk: AudioChunk, encodedUntil end: Int64?) -> Verdict {
        guard let end, !chunk.isFirst else {
            restart(chunk)
            return end == nil ? .follow : .restart
        }
        let distance = chunk.time - end
        if abs(distance) > Self.limit {
            if let away, abs(distance - away) <= Self.limit {
                restart(chunk)
                return .restart
            }
            // Of a single one a wrong time is told: after a standstill a driver may know less than the clock.
            away = distance
            counted += chunk.duration
            return .follow
        }
        away = nil
        lag.add(seconds(chunk.time - begin - counted), at: seconds(chunk.time - begin))
        counted += chunk.duration
        guard chunk.time - (lastJudgement ?? begin) >= Self.interval else { return .follow }
        lastJudgement = chunk.time
        // Of a short line the slope is noise.
        if lag.length > 2 { drift = lag.slope }
        let distant = lag.level + seconds(begin + counted - chunk.duration - end)
        let share = drift + distant * Self.proportion
        return .correct(min(max(share, -Self.largestShare), Self.largestShare))
    }

    private mutating func restart(_ chunk: AudioChunk) {
        lag = FadingLine(timeConstant: 10)
        (begin, counted, lastJudgement, away) = (chunk.time, chunk.duration, nil, nil)
        lag.add(0, at: 0)
    }

    private func seconds(_ nanoseconds: Int64) -> Double { Double(nanoseconds) / 1e9 }
}

/// The straight line nearest to points whose weight fades as they grow old (weighted least squares).
struct FadingLine: Sendable {
    /// In which a point's weight falls to 1/e.
    private let timeConstant: Double
    private var last = 0.0
    private var first: Double?
    /// Sums over all points, weighted, of 1, x, y, x² and xy; x counts from the last point on, so that nothing grows.
    private var (n, x, y, xx, xy) = (0.0, 0.0, 0.0, 0.0, 0.0)

    init(timeConstant: Double) { self.timeConstant = timeConstant }

    /// - Parameter time: not before the last one's.
    mutating func add(_ value: Double, at time: Double) {
        let step = max(time - last, 0)
        let fading = exp(-step / timeConstant)
        (xx, xy) = (xx - 2 * step * x + step * step * n, xy - step * y)
        x -= step * n
        (n, x, y, xx, xy) = (
            n * fading + 1, x * fading, y * fading + value, xx * fading, xy * fading
        )
        last = time
        if first == nil { first = time }
    }

    /// From the first point to the last.
    var length: Double { last - (first ?? last) }
    /// By how much it rises in a unit of time; 0 for a single point.
    var slope: Double {
        let spread = n * xx - x * x
        return spread > 1e-12 ? (n * xy - x * y) / spread : 0
    }
    /// Where it is at the last point.
    var level: Double { n > 0 ? (y - slope * x) / n : 0 }
}
