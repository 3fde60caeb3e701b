// SPDX-License-Identifier: GPL-3.0-or-later

import Media
import Testing

@Suite("MediaTime")
struct MediaTimeTests {
    @Test("sums in different timescales are exact")
    func exactSum() {
        let ntsc = MediaTime(value: 1001, timescale: 30_000)
        let sum = ntsc + MediaTime(value: 1, timescale: 48_000)
        #expect(sum == MediaTime(value: 8013, timescale: 240_000))
        #expect(!sum.flags.contains(.hasBeenRounded))
    }

    @Test("a thousand NTSC frames do not drift")
    func noDrift() {
        var time = MediaTime.zero
        for _ in 0..<30_000 { time = time + MediaTime(value: 1001, timescale: 30_000) }
        #expect(time == MediaTime(value: 1001, timescale: 1))
    }

    @Test("what does not fit a timescale is rounded half away from zero, and says so")
    func rounding() {
        let half = MediaTime(value: 5, timescale: 10).converted(toTimescale: 1)
        #expect(half.value == 1)
        #expect(half.flags.contains(.hasBeenRounded))
        #expect(MediaTime(value: -5, timescale: 10).converted(toTimescale: 1).value == -1)
        #expect(MediaTime(value: 4, timescale: 10).converted(toTimescale: 1).value == 0)
        #expect(
            !MediaTime(value: 10, timescale: 10).converted(toTimescale: 1).flags
                .contains(.hasBeenRounded))
    }

    @Test("equal instants are equal and hash alike, whatever their timescale")
    func equality() {
        let (a, b) = (MediaTime(value: 1, timescale: 2), MediaTime(value: 300, timescale: 600))
        #expect(a == b)
        #expect(a.hashValue == b.hashValue)
        #expect(a < MediaTime(value: 301, timescale: 600))
        #expect(MediaTime(value: 0, timescale: 5).hashValue == MediaTime.zero.hashValue)
    }

    @Test("values at the edge of Int64 neither trap nor wrap")
    func extremes() {
        let large = MediaTime(value: .max, timescale: 1)
        #expect(large + large == .positiveInfinity)
        #expect(MediaTime(value: .min, timescale: 1) - large == .negativeInfinity)
        #expect(large.converted(toTimescale: 1000) == .positiveInfinity)
        #expect(large > MediaTime(value: .max - 1, timescale: 1))
        #expect(MediaTime(value: .max, timescale: .max) < large)
    }

    @Test("invalid, infinite and indefinite times follow CMTime's rules")
    func special() {
        let one = MediaTime(value: 1, timescale: 1)
        #expect(!(one + .invalid).isValid)
        #expect(one + .positiveInfinity == .positiveInfinity)
        #expect(!(MediaTime.positiveInfinity - .positiveInfinity).isNumeric)
        #expect(one + .indefinite == .indefinite)
        #expect(MediaTime.negativeInfinity < one && one < .positiveInfinity)
        #expect(!MediaTime(value: 1, timescale: 0).isValid)
    }
}
