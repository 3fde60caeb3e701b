// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Media
import TestSupport
import Testing

@Suite("SoundContinuity: samples lost without an error")
struct SoundContinuityTests {
    private static let format = AudioFormat(sampleRate: 48_000, channels: 1)
    private static let second: Int64 = 1_000_000_000

    /// Returns a chunk of 50 ms.
    private static func chunk(at time: Int64) -> AudioChunk {
        AudioChunk(format, samples: [Int16](repeating: 0, count: 2400), time: time)
    }

    @Test("an overrun of the unread buffer is detected once", arguments: [second / 10, 2 * second])
    func goneRound(buffer: Int64) {
        var continuity = SoundContinuity(buffer: buffer)
        for number in 0..<10 as Range<Int64> {
            let isBroken = continuity.isBroken(by: Self.chunk(at: number * 50_000_000))
            #expect(!isBroken)
        }
        let isBroken = continuity.isBroken(by: Self.chunk(at: Self.second / 2 + buffer))
        #expect(isBroken)
        let isBrokenAgain = continuity.isBroken(
            by: Self.chunk(at: Self.second * 55 / 100 + buffer))
        #expect(!isBrokenAgain)
    }

    @Test("noisy times and an inexact clock do not count as lost samples")
    func noisy() {
        var random = Seeded(5)
        var continuity = SoundContinuity(buffer: Self.second / 10)
        for number in 0..<2000 as Range<Int64> {
            let noise = Int64.random(in: -20_000_000...20_000_000, using: &random)
            let isBroken = continuity.isBroken(by: Self.chunk(at: number * 50_300_000 + noise))
            #expect(!isBroken)
        }
    }

    @Test("the first chunk after a restart does not count as a loss")
    func restarted() {
        var continuity = SoundContinuity(buffer: Self.second)
        _ = continuity.isBroken(by: Self.chunk(at: 0))
        continuity.restart()
        let isBroken = continuity.isBroken(by: Self.chunk(at: 100 * Self.second))
        #expect(!isBroken)
    }
}
