// SPDX-License-Identifier: GPL-3.0-or-later

import Appliance
import LinuxIO
import Media
import Recording
import Synchronization
import Testing

@Suite("claims on frames", .timeLimit(.minutes(1)))
struct FrameClaimsTests {
    @Test("the board's turn is that of the photo's moment, also when the claim is made ahead of it")
    func turning() async {
        let asked = Mutex<[Int64]>([])
        let claims = FrameClaims(
            PhotoOutput(),
            orientation: {
                asked.withLock { $0.append(Clock.monotonic) }
                return .quarter
            }, lifetime: .max)
        let ahead = Clock.monotonic + 400_000_000
        #expect(await claims.take(ahead, exposedAfter: nil).rotation == .quarter)
        let past = Clock.monotonic - 50_000_000
        #expect(await claims.take(past, exposedAfter: past).rotation == .quarter)
        let times = asked.withLock(\.self)
        #expect(times.count == 2 && times[0] >= ahead)
    }
}
