// SPDX-License-Identifier: GPL-3.0-or-later

import Controls
import Testing

@Suite("LampPattern")
struct LampPatternTests {
    @Test("off and on never change")
    func steady() {
        #expect(LampPattern.off.state(at: 7) == (false, nil))
        #expect(LampPattern.on.state(at: 7) == (true, nil))
    }

    @Test("a pattern repeats its number of flashes and a pause", arguments: 1...5)
    func flashes(count: Int) {
        let pattern = LampPattern.flashes(count)
        var time: Int64 = 0
        var changes: [(time: Int64, isLit: Bool)] = []
        while changes.count < 6 * count {
            let state = pattern.state(at: time)
            changes.append((time, state.isLit))
            guard let next = state.changesAt else { break }
            #expect(next > time)
            // The state stays the same until `changesAt`.
            #expect(pattern.state(at: next - 1).isLit == state.isLit)
            #expect(pattern.state(at: next - 1).changesAt == next)
            time = next
        }
        #expect(changes.count == 6 * count)
        for (index, change) in changes.enumerated() { #expect(change.isLit == (index % 2 == 0)) }
        // The pauses between groups are much longer than those within one, so a person can count.
        let dark = zip(changes, changes.dropFirst()).filter { !$0.0.isLit }
            .map { $0.1.time - $0.0.time }
        for (index, length) in dark.enumerated() {
            #expect((length > 1_000_000_000) == ((index + 1) % count == 0))
        }
    }
}
