// SPDX-License-Identifier: GPL-3.0-or-later

struct Countdown: Sendable {
    /// The longest delay from an edge to the machine if no longer gesture had to be recognized.
    private static let ordinaryDelay: Int64 = 100_000_000

    let moment: Int64
    /// The length; 0 for no countdown.
    let seconds: Int
    private let stepsPerSecond: Int

    /// Starts a countdown for a press whose first edge is `edge`; one in the future counts as now.
    /// Unless the frames of the edge are still available (`reachesBack`), a press that is
    /// recognized late counts from now if it has no countdown.
    init(seconds: Int, from edge: Int64, at now: Int64, reachesBack: Bool) {
        self.seconds = min(max(seconds, 0), 60)
        // The ring has at most 60 steps.
        stepsPerSecond = max(1, min(4, 60 / max(1, self.seconds)))
        // A long press is recognized late; its countdown shows all digits anyway.
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

    /// A wait until `moment` without digits.
    init(at moment: Int64) {
        self.moment = moment
        (seconds, stepsPerSecond) = (0, 1)
    }

    /// Returns what to show and until when; `nil` after the end and without a countdown.
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
