// SPDX-License-Identifier: GPL-3.0-or-later

import Recording
import TestSupport
import Testing

@Suite("the sound's clock")
struct SoundClockTests {
    /// Sound whose clock is off by so many millionths, in chunks of 25 ms told with some noise, for so long.
    ///
    /// - Returns: the errors in milliseconds after the first ten seconds, and how often it began anew.
    private func run(
        _ drift: Double, seconds: Double, isCorrected: Bool = true
    ) -> (errors: [Double], restarts: Int) {
        var random = Seeded(7)
        var clock = SoundClock()
        // Where the encoder is, less where it should be, in seconds.
        var (behind, share, restarts) = (0.0, 0.0, 0)
        var errors: [Double] = []
        for number in 0..<Int(seconds / 0.025) {
            let now = Int64(Double(number) * 0.025e9)
            let noise = Double.random(in: -0.002...0.002, using: &random)
            switch clock.judge(Int64((behind + noise) * 1e9), at: now) {
            case .follow: break
            case .correct(let wanted): share = isCorrected ? wanted : 0
            case .restart:
                restarts += 1
                behind = 0
            }
            // A clock that is fast brings more samples than the time has.
            behind -= 0.025 * (drift / 1e6 + share)
            if now > 10_000_000_000 { errors.append(behind * 1000) }
        }
        return (errors, restarts)
    }

    @Test(
        "sound stays with the pictures, whatever its clock does",
        arguments: [-6000, -200, 0, 200, 6000.0])
    func stays(drift: Double) {
        let (errors, restarts) = run(drift, seconds: 600)
        #expect(restarts == 0)
        #expect(errors.allSatisfy { abs($0) < 10 })
    }

    @Test("the control: without correction it runs away, and begins anew")
    func control() {
        #expect(run(6000, seconds: 600, isCorrected: false).restarts > 10)
    }

    @Test("lost samples are a gap, not a correction")
    func lost() {
        var clock = SoundClock()
        #expect(clock.judge(100_000_000, at: 0) == .restart)
        #expect(clock.judge(-100_000_000, at: 1_000_000_000) == .restart)
    }
}
