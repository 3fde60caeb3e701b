// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Testing

@Suite("StreamProgress")
struct StreamProgressTests {
    private let second: Int64 = 1_000_000_000
    private let start: Int64 = 100 * 1_000_000_000
    private var progress: StreamProgress

    init() { progress = StreamProgress(frameInterval: 33_333_333, at: start) }

    /// Keeps the camera silent for `patience` and `delay`, and restarts it if it has stalled.
    ///
    /// - Returns: The time of the restart; `nil` if the silence is excused.
    private mutating func fallSilent(from last: Int64, noticedLateBy delay: Int64 = 0) -> Int64? {
        let now = last + progress.patience + delay
        guard progress.hasStalled(at: now, after: progress.patience) else { return nil }
        progress.wasRestarted(at: now)
        return now
    }

    @Test("each wait for the first frame is twice as long, and sparse frames get more time")
    mutating func slow() throws {
        let silence = fallSilent(from: start)
        let first = try #require(silence)
        #expect(first - start == second)
        let longer = fallSilent(from: first)
        let next = try #require(longer)
        #expect(next - first == 2 * second)
        #expect(progress.patience == 4 * second)
        progress.hasDelivered = true
        progress.frameCame(at: next + second * 11 / 10)
        #expect(progress.patience == second * 33 / 10)
        progress.frameCame(at: next + second * 12 / 10)
        #expect(progress.patience == second)
    }

    @Test("a camera that stays silent is opened again after three restarts")
    mutating func hopeless() throws {
        var last = start
        for _ in 0..<3 {
            let restart = fallSilent(from: last)
            last = try #require(restart)
            #expect(!progress.isHopeless)
        }
        _ = fallSilent(from: last)
        #expect(progress.isHopeless)
        progress.frameCame(at: last)
        #expect(!progress.isHopeless)
    }

    @Test("a silence that is noticed late is excused once")
    mutating func away() throws {
        let delay = second * 3 / 10
        let excused = fallSilent(from: start, noticedLateBy: delay)
        #expect(excused == nil)
        let noticed = start + second + delay
        // The wait starts again. A second late silence counts as the camera's.
        var other = progress
        let hasStalled = other.hasStalled(at: noticed + second, after: second)
        #expect(hasStalled)
        let again = fallSilent(from: noticed, noticedLateBy: delay)
        #expect(again != nil)
        // The next frame allows another excuse.
        progress.frameCame(at: noticed + 3 * second)
        let later = fallSilent(from: noticed + 3 * second, noticedLateBy: delay)
        #expect(later == nil)
    }

    @Test("an excused silence does not count as the distance between frames")
    mutating func excusedGap() {
        progress.hasDelivered = true
        progress.frameCame(at: start + second / 30)
        let excused = fallSilent(from: start + second / 30, noticedLateBy: 20 * second)
        #expect(excused == nil)
        progress.frameCame(at: start + 25 * second)
        #expect(progress.patience == second)
    }
}
