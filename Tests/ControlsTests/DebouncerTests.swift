// SPDX-License-Identifier: GPL-3.0-or-later

import Controls
import TestSupport
import Testing

private let millisecond: Int64 = 1_000_000
private let debounce = 20 * millisecond

@Suite("Debouncer")
struct DebouncerTests {
    @Test("19 or 20 edges 1 ms apart are one press at the first edge")
    func slowBounce() {
        for count in [19, 20] {
            let run = Run(trace: bounce(count, every: millisecond, from: 1000))
            #expect(run.presses == [1000])
            #expect(run.releases.count == (count == 20 ? 1 : 0))
            #expect(run.debouncer.isPressed == (count == 19))
        }
    }

    @Test("50 or 51 edges in 20 ms are one press")
    func fastBounce() {
        for count in [50, 51] {
            let run = Run(trace: bounce(count, every: 20 * millisecond / 50, from: 1000))
            #expect(run.presses == [1000])
            #expect(run.debouncer.isPressed == (count == 51))
        }
    }

    @Test("300 presses at 3 per second, bouncing at both ends, are 300 presses")
    func threePerSecond() {
        var random = Seeded(3)
        var trace: [Edge] = []
        var wanted: [Int64] = []
        for press in 0..<300 {
            let start = Int64(press) * 333 * millisecond + 1
            wanted.append(start)
            trace += bounce(
                Int.random(in: 0...20, using: &random) * 2 + 1, every: millisecond / 4, from: start)
            trace += bounce(
                Int.random(in: 0...20, using: &random) * 2 + 1, every: millisecond / 4,
                from: start + 120 * millisecond, active: false)
        }
        let run = Run(trace: trace)
        #expect(run.presses == wanted)
        #expect(run.releases == wanted.map { $0 + 120 * millisecond })
        #expect(run.debouncer.bounces == trace.count - 600)
    }

    @Test("a button held for an hour is one press and is checked once per second")
    func held() {
        var run = Run(trace: [])
        run.deliver(Edge(isActive: true, time: 5))
        run.advance(to: 3600 * 1000 * millisecond, level: true)
        run.deliver(Edge(isActive: false, time: 3600 * 1000 * millisecond))
        run.finish()
        #expect(run.presses == [5])
        #expect(run.releases == [3600 * 1000 * millisecond])
        #expect((3598...3601).contains(run.settled))
    }

    @Test("an idle button needs no deadline")
    func idle() {
        var run = Run(trace: bounce(7, every: millisecond, from: 0))
        run.deliver(Edge(isActive: false, time: 500 * millisecond))
        run.finish()
        #expect(run.debouncer.nextDeadline == nil)
    }

    @Test("a button held at the start gives no events until it is pressed again")
    func heldAtStart() {
        var run = Run(trace: [], level: true)
        run.advance(to: 5000 * millisecond, level: true)
        run.deliver(Edge(isActive: false, time: 5000 * millisecond))
        run.advance(to: 6000 * millisecond, level: false)
        #expect(run.presses.isEmpty && run.releases.isEmpty)
        run.deliver(Edge(isActive: true, time: 6000 * millisecond))
        run.deliver(Edge(isActive: false, time: 6100 * millisecond))
        run.finish()
        #expect(run.presses == [6000 * millisecond])
        #expect(run.releases == [6100 * millisecond])
    }

    @Test("edges lost to a full kernel buffer leave the button neither stuck nor deaf")
    func overflow() {
        // 16 of 21 edges arrive. The last of them is inactive, but the line is active.
        var run = Run(trace: [])
        let edges = bounce(21, every: millisecond, from: 0)
        for edge in edges.prefix(16) { run.deliver(edge) }
        run.advance(to: 300 * millisecond, level: true)
        #expect(run.debouncer.isPressed)
        run.deliver(Edge(isActive: false, time: 300 * millisecond))
        run.advance(to: 600 * millisecond, level: false)
        #expect(run.presses == [0])
        #expect(run.releases == [300 * millisecond])
        run.deliver(Edge(isActive: true, time: 600 * millisecond))
        #expect(run.presses == [0, 600 * millisecond])
    }

    @Test("a lost release is found within about a second, and the next press counts")
    func lostRelease() {
        var run = Run(trace: [])
        run.deliver(Edge(isActive: true, time: 0))
        run.advance(to: 200 * millisecond, level: true)
        run.advance(to: 1500 * millisecond, level: false)
        #expect(!run.debouncer.isPressed && run.releases.count == 1)
        run.deliver(Edge(isActive: true, time: 1500 * millisecond))
        #expect(run.presses == [0, 1500 * millisecond])
    }

    @Test("a level read before the deadline changes nothing")
    func earlySettle() {
        var debouncer = Debouncer(debounce: debounce, level: false, at: 0)
        _ = debouncer.edge(true, at: 100)
        let before = debouncer.nextDeadline
        #expect(debouncer.settle(level: false, at: 100 + debounce - 1) == .init())
        #expect(debouncer.isPressed && debouncer.nextDeadline == before)
    }

    @Test("a level that is ahead of its edge does not count as a lost edge")
    func edgeOnItsWay() {
        var debouncer = Debouncer(debounce: debounce, level: false, at: 0)
        _ = debouncer.edge(true, at: 0)
        #expect(debouncer.settle(level: false, at: debounce) == .init())
        _ = debouncer.edge(false, at: debounce - 100)
        #expect(debouncer.settle(level: false, at: 2 * debounce) == .init(released: debounce - 100))
        #expect(debouncer.bounces == 0)
    }

    @Test("edges read in one late batch give every press")
    func batch() {
        var debouncer = Debouncer(debounce: debounce, level: false, at: 0)
        var outcomes: [Debouncer.Outcome] = []
        for press in 1...3 {
            let start = Int64(press) * 333 * millisecond
            outcomes.append(debouncer.edge(true, at: start))
            outcomes.append(debouncer.edge(false, at: start + 100 * millisecond))
        }
        #expect(outcomes.compactMap(\.pressed) == [333, 666, 999].map { $0 * millisecond })
        #expect(outcomes.compactMap(\.released) == [433, 766].map { $0 * millisecond })
    }

    @Test("a press whose edge arrives after the previous gesture ended is not lost")
    func lateEdge() {
        var run = Run(trace: [])
        run.deliver(Edge(isActive: true, time: 0))
        run.deliver(Edge(isActive: false, time: 100 * millisecond))
        run.advance(to: 121 * millisecond, level: false)
        #expect(run.releases == [100 * millisecond])
        // The edge's timestamp lies within the ended gesture, and the line stays active.
        run.deliver(Edge(isActive: true, time: 119 * millisecond))
        run.advance(to: 300 * millisecond, level: true)
        #expect(run.presses == [0, 119 * millisecond])
    }

    @Test("a bounce that arrives after its gesture ended is no press")
    func lateBounce() {
        var run = Run(trace: [])
        run.deliver(Edge(isActive: true, time: 0))
        run.deliver(Edge(isActive: false, time: 100 * millisecond))
        run.advance(to: 121 * millisecond, level: false)
        run.deliver(Edge(isActive: true, time: 101 * millisecond))
        run.deliver(Edge(isActive: false, time: 102 * millisecond))
        run.finish()
        #expect(run.presses == [0] && run.debouncer.bounces == 2)
    }

    @Test("a press whose level the kernel read too late is still one press")
    func levelGone() {
        var run = Run(trace: [])
        run.advance(to: 1000 * millisecond, level: false)
        run.deliver(Edge(isActive: false, time: 1000 * millisecond))
        run.deliver(Edge(isActive: false, time: 1060 * millisecond))
        run.advance(to: 2000 * millisecond, level: false)
        run.deliver(Edge(isActive: false, time: 2000 * millisecond))
        run.finish()
        #expect(run.presses == [1000 * millisecond, 2000 * millisecond])
        #expect(!run.debouncer.isPressed)
    }

    @Test("a single pulse shorter than the shortest press is rejected, a longer one is not")
    func glitch() {
        for (length, isPress) in [(1, false), (2, false), (3, true), (19, true), (400, true)] {
            var run = Run(trace: [], shortest: 3 * millisecond)
            let start = 1000 * millisecond
            run.advance(to: start, level: false)
            run.deliver(Edge(isActive: true, time: start))
            #expect(run.touches == [start] && run.presses.isEmpty)
            run.advance(to: start + Int64(length) * millisecond, level: true)
            run.deliver(Edge(isActive: false, time: start + Int64(length) * millisecond))
            run.finish()
            #expect(run.presses == (isPress ? [start] : []), "\(length) ms")
            #expect(run.rejections == (isPress ? [] : [start]), "\(length) ms")
            #expect(run.releases.count == (isPress ? 1 : 0))
            #expect(!run.debouncer.isPressed)
        }
    }

    @Test("a held press is confirmed after the shortest time without another edge")
    func confirmed() {
        var debouncer = Debouncer(
            debounce: debounce, shortest: 3 * millisecond, level: false, at: 0)
        #expect(debouncer.edge(true, at: 100) == .init(touched: 100))
        let due = 100 + 3 * millisecond
        #expect(debouncer.nextDeadline == due)
        #expect(debouncer.settle(level: true, at: due - 1) == .init())
        #expect(debouncer.settle(level: true, at: due) == .init(pressed: 100))
        #expect(debouncer.nextDeadline == 100 + debounce)
    }

    @Test("the shortest press may be longer than the debounce time")
    func longShortest() {
        for (length, isPress) in [(30, false), (49, false), (50, true), (500, true)] {
            var run = Run(trace: [], shortest: 50 * millisecond)
            let start = 1000 * millisecond
            run.advance(to: start, level: false)
            run.deliver(Edge(isActive: true, time: start))
            run.advance(to: start + Int64(length) * millisecond, level: true)
            run.deliver(Edge(isActive: false, time: start + Int64(length) * millisecond))
            run.advance(to: start + 3000 * millisecond, level: false)
            #expect(run.presses == (isPress ? [start] : []), "\(length) ms")
            #expect(run.rejections == (isPress ? [] : [start]), "\(length) ms")
        }
    }

    @Test("several short pulses are one bouncing press")
    func shortPulses() {
        let trace = bounce(6, every: millisecond, from: 1000)
        let run = Run(trace: trace, shortest: 3 * millisecond)
        #expect(run.presses == [1000] && run.rejections.isEmpty && run.releases.count == 1)
    }

    @Test("a short pulse whose end is lost counts as a press")
    func lostEnd() {
        var run = Run(trace: [], shortest: 3 * millisecond)
        run.deliver(Edge(isActive: true, time: 1000))
        run.advance(to: 5000 * millisecond, level: false)
        #expect(run.presses == [1000] && run.releases.count == 1)
    }

    @Test("each touch of a random trace becomes a press or is rejected, exactly once")
    func randomPulses() {
        var rejected = 0
        for seed in 0..<2000 as Range<UInt64> {
            var random = Seeded(seed)
            let trace = randomTrace(&random)
            let plain = Run(trace: trace)
            for isPrompt in [true, false] {
                let run = Run(trace: trace, isPrompt: isPrompt, shortest: debounce / 10)
                // A gesture is rejected exactly when it is one pulse that is too short.
                let short = zip(trace, trace.dropFirst()).enumerated().filter { index, pair in
                    plain.presses.contains(pair.0.time) && pair.0.isActive
                        && pair.1.time - pair.0.time < debounce / 10
                        && (index + 2 == trace.count
                            || trace[index + 2].time - pair.1.time >= debounce)
                }.map(\.element.0.time)
                #expect(run.touches == plain.presses, "seed \(seed)")
                #expect(run.rejections == short, "seed \(seed)")
                #expect(
                    run.presses == plain.presses.filter { !short.contains($0) }, "seed \(seed)")
                #expect(run.alternates, "seed \(seed)")
                rejected += short.count
            }
        }
        #expect(rejected > 1000)
    }

    @Test("an earlier timestamp does not bring the deadline forward")
    func lateTimestamp() {
        var debouncer = Debouncer(debounce: debounce, level: false, at: 0)
        _ = debouncer.edge(true, at: 100)
        _ = debouncer.edge(false, at: 90)
        #expect(debouncer.nextDeadline == 100 + debounce)
    }

    @Test("a release whose last edge was lost has the time of the first inactive edge")
    func lostLastEdge() {
        var run = Run(trace: [])
        run.deliver(Edge(isActive: true, time: 0))
        run.advance(to: 100 * millisecond, level: true)
        run.deliver(Edge(isActive: false, time: 100 * millisecond))
        run.deliver(Edge(isActive: true, time: 101 * millisecond))
        run.advance(to: 300 * millisecond, level: false)
        #expect(run.releases == [100 * millisecond])
    }

    @Test("timestamps out of order never give two presses without a release between them")
    func unsorted() {
        for seed in 0..<500 as Range<UInt64> {
            var random = Seeded(seed)
            var trace = randomTrace(&random)
            for index in trace.indices.dropLast() where Bool.random(using: &random) {
                let time = trace[index].time
                trace[index].time = trace[index + 1].time
                trace[index + 1].time = time
            }
            let run = Run(trace: trace)
            #expect(run.alternates, "seed \(seed)")
            #expect(run.debouncer.isPressed == trace.last?.isActive, "seed \(seed)")
            #expect(run.presses.count <= trace.count { $0.isActive }, "seed \(seed)")
        }
    }

    @Test("random traces give the oracle's result, settled on time or only at the end")
    func randomTraces() {
        var presses = 0
        for seed in 0..<2000 as Range<UInt64> {
            var random = Seeded(seed)
            let trace = randomTrace(&random)
            let wanted = Oracle(trace)
            for isPrompt in [true, false] {
                let run = Run(trace: trace, isPrompt: isPrompt)
                #expect(run.presses == wanted.presses, "seed \(seed)")
                #expect(run.releases == wanted.releases, "seed \(seed)")
                #expect(
                    run.debouncer.bounces == wanted.bounces(of: trace.count), "seed \(seed)")
                #expect(run.alternates, "seed \(seed)")
            }
            presses += wanted.presses.count
        }
        #expect(presses > 10_000)
    }

    @Test("random traces with lost edges end at the line's level without invented presses")
    func lossyTraces() {
        for seed in 0..<2000 as Range<UInt64> {
            var random = Seeded(seed)
            let trace = randomTrace(&random)
            var run = Run(trace: [])
            var level = false
            for edge in trace {
                run.advance(to: edge.time, level: level)
                level = edge.isActive
                if Int.random(in: 0..<4, using: &random) > 0 { run.deliver(edge) }
            }
            let end = (trace.last?.time ?? 0) + 5000 * millisecond
            run.advance(to: end, level: level)
            #expect(run.alternates, "seed \(seed)")
            // An active level at the end is not checked, because all its edges may be lost.
            if !level { #expect(!run.debouncer.isPressed, "seed \(seed)") }
            #expect(run.presses.count <= trace.count { $0.isActive }, "seed \(seed)")
        }
    }
}

struct Edge {
    var isActive: Bool
    var time: Int64
}

/// Returns the edges of one bouncing contact, the first of them `active`.
private func bounce(
    _ count: Int, every interval: Int64, from start: Int64, active: Bool = true
) -> [Edge] {
    (0..<count).map { Edge(isActive: ($0 % 2 == 0) == active, time: start + Int64($0) * interval) }
}

/// Returns alternating edges with gaps of all sizes around the debounce time, including its exact
/// value.
private func randomTrace(_ random: inout Seeded) -> [Edge] {
    var time: Int64 = 0
    return (0..<Int.random(in: 1...60, using: &random)).map { index in
        let sizes = [0...debounce / 10, debounce - 3...debounce + 3, debounce...50 * debounce]
        let size = sizes[Int.random(in: 0..<sizes.count, using: &random)]
        time += Int64.random(in: size, using: &random)
        return Edge(isActive: index % 2 == 0, time: time + debounce)
    }
}

/// The meaning of a complete trace. A press is an active edge after at least the debounce time
/// without an edge. A release is an inactive edge that is followed by such a time. It has the time
/// of the first inactive edge of its run of edges.
private struct Oracle {
    var presses: [Int64] = []
    var releases: [Int64] = []

    init(_ trace: [Edge]) {
        func gap(before index: Int) -> Int64 {
            index == 0 || index == trace.count
                ? .max : trace[index].time - trace[index - 1].time
        }
        for (index, edge) in trace.enumerated() {
            if edge.isActive && gap(before: index) >= debounce { presses.append(edge.time) }
            guard !edge.isActive && gap(before: index + 1) >= debounce else { continue }
            var first = index
            while gap(before: first) < debounce { first -= 1 }
            let closing = trace[first...index].first { !$0.isActive }
            releases.append(closing?.time ?? edge.time)
        }
    }

    func bounces(of edges: Int) -> Int { edges - presses.count - releases.count }
}

/// A debouncer that is settled at each deadline, or only at the end.
private struct Run {
    var debouncer: Debouncer
    var presses: [Int64] = []
    var releases: [Int64] = []
    var touches: [Int64] = []
    var rejections: [Int64] = []
    var alternates = true
    var settled = 0
    private var level: Bool
    private var isOn = false

    init(
        trace: [Edge], level: Bool = false, isPrompt: Bool = true, shortest: Int64 = 0
    ) {
        debouncer = Debouncer(debounce: debounce, shortest: shortest, level: level, at: 0)
        self.level = level
        for edge in trace {
            if isPrompt { advance(to: edge.time, level: self.level) }
            deliver(edge)
        }
        finish()
    }

    mutating func deliver(_ edge: Edge) {
        level = edge.isActive
        take(debouncer.edge(edge.isActive, at: edge.time))
    }

    mutating func advance(to time: Int64, level: Bool) {
        self.level = level
        while let deadline = debouncer.nextDeadline, deadline < time {
            settled += 1
            take(debouncer.settle(level: level, at: deadline))
        }
    }

    mutating func finish() {
        for _ in 0..<3 {
            guard let deadline = debouncer.nextDeadline else { return }
            settled += 1
            take(debouncer.settle(level: level, at: deadline))
        }
    }

    private mutating func take(_ outcome: Debouncer.Outcome) {
        if let time = outcome.released {
            alternates = alternates && isOn
            isOn = false
            releases.append(time)
        }
        if let time = outcome.rejected { rejections.append(time) }
        if let time = outcome.touched { touches.append(time) }
        if let time = outcome.pressed {
            alternates = alternates && !isOn
            isOn = true
            presses.append(time)
        }
    }
}
