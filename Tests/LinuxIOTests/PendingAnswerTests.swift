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

    @Test("what was waited for keeps no memory until its limit")
    func memory() async throws {
        let (before, waits) = (try kilobytes(), 20_000)
        for _ in 0..<waits {
            let answer = PendingAnswer<Int>()
            let waiting = Task { await answer.value(within: .seconds(3600)) }
            // The timer has begun.
            for _ in 0..<20 { await Task.yield() }
            answer.give(1)
            #expect(await waiting.value == 1)
        }
        // A sleep of a task that is cancelled keeps 700 bytes.
        #expect(try kilobytes() - before < waits / 5)
    }

    /// The process's own memory.
    private func kilobytes() throws -> Int {
        let text = try readSmallFile("/proc/self/smaps_rollup")
        let line = text.split(separator: "\n").first { $0.hasPrefix("Private_Dirty") }
        return line.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
    }
}
