// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
package import Media

/// Keeps sound in step with the frames' clock: computes how many samples to add or remove. A line
/// fitted to the times of the card's samples gives its clock's rate, and the sound's position
/// without the noise of single chunks.
package struct SoundClock: Sendable {
    package enum Verdict: Equatable {
        /// Change nothing now.
        case follow
        /// Add this share of samples; remove samples if negative.
        case correct(Double)
        /// Start anew: samples were lost, or two chunks in a row are too far off to be corrected.
        case restart
    }

    /// Nanoseconds; no clock drifts that far between two corrections.
    private static let limit: Int64 = 60_000_000
    private static let interval: Int64 = 500_000_000
    /// The share of the distance that is corrected per second.
    private static let proportion = 0.5
    /// The largest share. No card's clock is off by more, and more would be audible.
    private static let largestShare = 0.01

    /// How many seconds later chunks come than the samples since the first chunk account for.
    private var lag = FadingLine(timeConstant: 10)
    /// The first chunk's time, and the nominal duration of all samples since, in nanoseconds.
    private var begin: Int64 = 0
    private var counted: Int64 = 0
    private var lastJudgement: Int64?
    /// The previous chunk's distance if it was too far off, in nanoseconds.
    private var away: Int64?
    /// How slow the card's clock is, as last computed; negative if it is fast.
    private var drift = 0.0

    package init() {}

    /// Returns the action for a chunk. `end` is where the sound encoded before it ends, corrections
    /// included, in nanoseconds; `nil` before the first chunk.
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
            // A single chunk that is far off has a wrong time: after a stall the driver's position
            // may lag behind its clock.
            away = distance
            counted += chunk.duration
            return .follow
        }
        away = nil
        lag.add(seconds(chunk.time - begin - counted), at: seconds(chunk.time - begin))
        counted += chunk.duration
        guard chunk.time - (lastJudgement ?? begin) >= Self.interval else { return .follow }
        lastJudgement = chunk.time
        // The slope of a short line is noise.
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

/// The straight line nearest to points whose weight fades with age (weighted least squares).
struct FadingLine: Sendable {
    /// The time in which a point's weight falls to 1/e.
    private let timeConstant: Double
    private var last = 0.0
    private var first: Double?
    /// Weighted sums of 1, x, y, x² and xy; x counts from the last point, so that no sum grows.
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

    var length: Double { last - (first ?? last) }
    /// The rise per unit of time; 0 for a single point.
    var slope: Double {
        let spread = n * xx - x * x
        return spread > 1e-12 ? (n * xy - x * y) / spread : 0
    }
    /// The value at the last point.
    var level: Double { n > 0 ? (y - slope * x) / n : 0 }
}
