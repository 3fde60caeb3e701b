// SPDX-License-Identifier: GPL-3.0-or-later

import Media
import Playback
import TestSupport
import Testing

@Suite("times of packets", .timeLimit(.common))
struct PacketTimesTests {
    @Test("pictures find their times in any order, and packets without pictures are forgotten")
    func bounded() {
        var times = PacketTimes()
        var waiting: [Int] = []
        for number in 0..<10_000 {
            let tag = times.nextTag
            times.add(
                time: MediaTime(value: Int64(number), timescale: 25),
                duration: MediaTime(value: 1, timescale: 25))
            #expect(tag == number + 1)
            // Each third packet gives no picture; the others wait for up to 16 packets.
            if number % 3 != 0 { waiting.append(tag) }
            guard waiting.count > 16 else { continue }
            let tagOut = waiting.remove(at: number % 16)
            if tagOut < tag - PacketTimes.limit { continue }
            #expect(times.take(tagOut)?.time.value == Int64(tagOut - 1))
            #expect(times.take(tagOut) == nil)
        }
        #expect(times.count <= PacketTimes.limit)
        times.removeAll()
        #expect(times.count == 0)
        #expect(times.nextTag == 10_001)
    }
}
