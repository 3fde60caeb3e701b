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

    @Test("30,000 NTSC frames do not drift")
    func noDrift() {
        var time = MediaTime.zero
        for _ in 0..<30_000 { time = time + MediaTime(value: 1001, timescale: 30_000) }
        #expect(time == MediaTime(value: 1001, timescale: 1))
    }

    @Test("a time that does not fit a timescale is rounded half away from zero and flagged")
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

    @Test("values at the limits of Int64 neither trap nor wrap")
    func extremes() {
        let large = MediaTime(value: .max, timescale: 1)
        #expect(large + large == .positiveInfinity)
        #expect(MediaTime(value: .min, timescale: 1) - large == .negativeInfinity)
        #expect(large.converted(toTimescale: 1000) == .positiveInfinity)
        #expect(large > MediaTime(value: .max - 1, timescale: 1))
        #expect(MediaTime(value: .max, timescale: .max) < large)
    }

    @Test("an overflowing sum gets a coarser timescale, and a time minus itself is zero")
    func overflow() {
        let most = MediaTime(value: .max, timescale: 600)
        let sum = most + most
        #expect(sum.isNumeric && sum.timescale == 300 && sum.value == .max)
        let least = MediaTime(value: .min, timescale: 1)
        #expect(least - least == .zero)
        #expect(-least == .positiveInfinity)
        #expect(-MediaTime(value: 7, timescale: 30) == MediaTime(value: -7, timescale: 30))
        // These timescales have no common one that fits.
        let (one, other) = (
            MediaTime(value: 1, timescale: .max), MediaTime(value: 1, timescale: .max - 1)
        )
        let rounded = one + other
        #expect(rounded.timescale == .max && rounded.value == 2)
        #expect(rounded.flags.contains(.hasBeenRounded))
    }

    @Test("a duration adds to a time of any epoch; times of one epoch differ by a duration")
    func epochs() {
        let duration = MediaTime(value: 1, timescale: 2)
        let third = MediaTime(value: 5, timescale: 2, epoch: 3)
        #expect((third + duration).epoch == 3 && (duration + third).epoch == 3)
        #expect((third - third) == .zero && (third - third).epoch == 0)
        #expect(!(third - MediaTime(value: 5, timescale: 2, epoch: 4)).isValid)
        #expect(third > MediaTime(value: 500, timescale: 2, epoch: 2))
    }

    @Test("invalid, infinite and indefinite times follow CMTimeAdd and CMTimeCompare")
    func special() {
        let one = MediaTime(value: 1, timescale: 1)
        let (plus, minus) = (MediaTime.positiveInfinity, MediaTime.negativeInfinity)
        #expect(!(one + .invalid).isValid && !(MediaTime.invalid - plus).isValid)
        #expect(one + plus == plus && one - plus == minus && plus + plus == plus)
        #expect(!(plus - plus).isValid && !(minus + plus).isValid)
        #expect(one + .indefinite == .indefinite && plus + .indefinite == plus)
        #expect(-plus == minus && -MediaTime.indefinite == .indefinite)
        #expect(!(-MediaTime.invalid).isValid)
        let order = [minus, -one, one, .indefinite, plus, .invalid]
        for (index, time) in order.enumerated() {
            #expect(order.map { $0 < time } == order.indices.map { $0 < index })
            #expect(order.map { $0 == time } == order.indices.map { $0 == index })
        }
        #expect(!MediaTime(value: 1, timescale: 0).isValid)
        // An infinite time that is not valid is no time.
        let none = MediaTime(value: 0, timescale: 1, flags: .positiveInfinity)
        #expect(none.seconds.isNaN && !(one - none).isValid && none == .invalid)
    }
}
