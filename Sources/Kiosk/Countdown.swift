// SPDX-License-Identifier: GPL-3.0-or-later

/// The time from a press to what it is for.
struct Countdown: Sendable {
    /// From an edge to the machine, where nothing had to be waited for.
    private static let ordinaryDelay: Int64 = 100_000_000

    /// When it is over.
    let moment: Int64
    /// 0 for none.
    let seconds: Int
    private let stepsPerSecond: Int

    /// - Parameters:
    ///   - edge: the press's first; one in the future is now.
    ///   - reachesBack: whether what was then is there still when the press is noticed long after it; else one without
    ///     a countdown is for now.
    init(seconds: Int, from edge: Int64, at now: Int64, reachesBack: Bool) {
        self.seconds = min(max(seconds, 0), 60)
        // At most 60 steps in all.
        stepsPerSecond = max(1, min(4, 60 / max(1, self.seconds)))
        // A long press is long ago when it is recognised: the digits are shown all the same.
        let edge = min(max(0, edge), now)
        let isLate = now - edge > Self.ordinaryDelay
        let begin =
            if !isLate {
                edge
            } else if self.seconds > 0 {
                now - Self.ordinaryDelay
            } else {
                reachesBack ? edge : now
            }
        moment = begin + Int64(self.seconds) * 1_000_000_000
    }

    /// None: what is waited for comes at a moment of its own.
    init(at moment: Int64) {
        self.moment = moment
        (seconds, stepsPerSecond) = (0, 1)
    }

    /// What it shows and until when; `nil` when it is over or was none.
    func face(at now: Int64) -> (countdown: Scene.Countdown, end: Int64)? {
        guard seconds > 0, now < moment else { return nil }
        let length = 1_000_000_000 / Int64(stepsPerSecond)
        let steps = seconds * stepsPerSecond
        let step = min(steps, Int((moment - now + length - 1) / length))
        let digits = (step + stepsPerSecond - 1) / stepsPerSecond
        let countdown = Scene.Countdown(digits: digits, step: step, steps: steps)
        return (countdown, moment - Int64(step - 1) * length)
    }
}
