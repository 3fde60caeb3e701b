// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxIO
import TestSupport
import Testing

@Suite("PendingAnswer", .timeLimit(.common))
struct PendingAnswerTests {
    @Test("the first answer counts, before and after somebody waits for it")
    func first() async {
        let early = PendingAnswer<Int>()
        #expect(early.give(1) && early.give(2))
        #expect(await early.value(within: .seconds(600)) == 1)
        let late = PendingAnswer<Int>()
        let thread = NamedThread("answer") { late.give(3) }
        #expect(late.blockingValue(within: .seconds(600)) == 3)
        await thread.join()
        #expect(await firstAnswer(within: .seconds(600)) { 4 } == 4)
    }

    @Test("whoever answers after the limit is told that nobody waits")
    func late() async {
        let answer = PendingAnswer<Int>()
        #expect(await answer.value(within: .zero) == nil)
        #expect(answer.isGivenUp && !answer.give(1))
        let blocking = PendingAnswer<Int>()
        #expect(blocking.blockingValue(within: .milliseconds(1)) == nil)
        #expect(blocking.isGivenUp && !blocking.give(1))
    }

    @Test("a cancelled task stops waiting")
    func cancelled() async {
        let answer = PendingAnswer<Int>()
        let waiting = Task { await answer.value(within: .seconds(600)) }
        waiting.cancel()
        #expect(await waiting.value == nil)
        #expect(answer.isGivenUp)
    }
}
