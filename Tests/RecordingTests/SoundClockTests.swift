// SPDX-License-Identifier: GPL-3.0-or-later

import Media
import Recording
import TestSupport
import Testing

@Suite("SoundClock")
struct SoundClockTests {
    private static let format = AudioFormat(sampleRate: 48_000, channels: 1)

    private static func chunk(at time: Int64, isFirst: Bool = false) -> AudioChunk {
        AudioChunk(
            format, samples: [Int16](repeating: 0, count: 1200), time: time, isFirst: isFirst)
    }

    /// Runs sound whose clock is off by `drift` millionths, in chunks of 25 ms with inexact times.
    ///
    /// - Returns: The distances of the sound from its place after ten seconds, in milliseconds; the
    ///   number of restarts; and the final correction as a share.
    private func run(
        _ drift: Double, seconds: Double, isCorrected: Bool = true
    ) -> (errors: [Double], restarts: Int, share: Double) {
        var random = Seeded(7)
        var clock = SoundClock()
        // The time of the chunk's first sample, and the end of the encoded sound, in seconds.
        var (time, end, share, restarts) = (0.0, nil as Double?, 0.0, 0)
        var errors: [Double] = []
        while time < seconds {
            let noise = Double.random(in: -0.002...0.002, using: &random)
            let told = Int64((time + noise) * 1e9)
            switch clock.judge(Self.chunk(at: told), encodedUntil: end.map { Int64($0 * 1e9) }) {
            case .follow: break
            case .correct(let wanted): share = isCorrected ? wanted : 0
            case .restart:
                restarts += 1
                end = nil
            }
            if time > 10, let end { errors.append((time - end) * 1000) }
            end = (end ?? time) + 0.025 * (1 + share)
            // A fast clock has its samples sooner.
            time += 0.025 / (1 + drift / 1e6)
        }
        return (errors, restarts, share)
    }

    @Test(
        "sound stays with the pictures, whatever its clock does",
        arguments: [-6000, -200, 0, 200, 6000.0])
    func stays(drift: Double) {
        let (errors, restarts, share) = run(drift, seconds: 1800)
        #expect(restarts == 0)
        #expect(errors.allSatisfy { abs($0) < 5 })
        // The clock found out how fast the card's clock runs.
        #expect(abs(share + drift / 1e6) < 0.001)
    }

    @Test("uncorrected sound drifts away and restarts")
    func control() {
        #expect(run(6000, seconds: 600, isCorrected: false).restarts > 10)
    }

    @Test("lost samples restart the sound once they are flagged or shown by two chunks")
    func lost() {
        var clock = SoundClock()
        #expect(clock.judge(Self.chunk(at: 0), encodedUntil: nil) == .follow)
        #expect(clock.judge(Self.chunk(at: 125_000_000), encodedUntil: 25_000_000) == .follow)
        #expect(clock.judge(Self.chunk(at: 150_000_000), encodedUntil: 50_000_000) == .restart)
        #expect(clock.judge(Self.chunk(at: 50_000_000), encodedUntil: 175_000_000) == .follow)
        #expect(clock.judge(Self.chunk(at: 75_000_000), encodedUntil: 200_000_000) == .restart)
        #expect(clock.judge(Self.chunk(at: 80_000_000), encodedUntil: 75_000_000) == .follow)
        #expect(
            clock.judge(Self.chunk(at: 110_000_000, isFirst: true), encodedUntil: 105_000_000)
                == .restart)
    }

    @Test(
        "a single chunk with a wrong time is no gap, however often it happens",
        arguments: [-1, 1])
    func mistaken(sign: Int64) {
        var clock = SoundClock()
        for number in 0..<100 as Range<Int64> {
            let time = number * 25_000_000
            let isMistaken = number % 20 == 10
            let verdict = clock.judge(
                Self.chunk(at: time + (isMistaken ? sign * 200_000_000 : 0)),
                encodedUntil: number == 0 ? nil : time)
            #expect(verdict != .restart)
            // The wrong time is not used for a correction either.
            if case .correct(let share) = verdict { #expect(abs(share) < 0.0001) }
        }
    }

    @Test("the measured speed of the card's clock is still used after a gap")
    func remembered() {
        var clock = SoundClock()
        var end = 0.0
        for number in 0..<400 {
            // The clock is fast by 0.4 %, and corrected.
            let time = Double(number) * 0.0249
            let verdict = clock.judge(
                Self.chunk(at: Int64(time * 1e9)),
                encodedUntil: number == 0 ? nil : Int64(end * 1e9))
            #expect(verdict != .restart)
            end = time + 0.0249
        }
        let begin: Int64 = 20_000_000_000
        #expect(clock.judge(Self.chunk(at: begin, isFirst: true), encodedUntil: 0) == .restart)
        var shares: [Double] = []
        for number in 1..<40 {
            let time = begin + Int64(number) * 24_900_000
            if case .correct(let share) = clock.judge(Self.chunk(at: time), encodedUntil: time) {
                shares.append(share)
            }
        }
        #expect(shares.count == 1 && abs(shares[0] + 0.004) < 0.0005, "\(shares)")
    }
}
