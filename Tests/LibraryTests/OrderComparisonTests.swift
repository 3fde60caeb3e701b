// SPDX-License-Identifier: GPL-3.0-or-later

import Library
import TestSupport
import Testing

@Suite("OrderComparison")
struct OrderComparisonTests {
    @Test(
        "removals, insertions and moves are minimal for any guess of what may differ",
        arguments: 0..<300)
    func random(seed: Int) {
        var generator = Seeded(UInt64(seed))
        let before = Array(
            (0..<Int.random(in: 0...40, using: &generator)).shuffled(using: &generator))
        let after = changed(before, &generator)
        let (old, new) = (Set(before), Set(after))
        // The guesses: the objects that differ, none, all, and a random selection.
        let touched = before.filter { !new.contains($0) } + after.filter { !old.contains($0) }
        let guesses = [
            Set(touched), [], old.union(new),
            Set((before + after).filter { _ in Bool.random(using: &generator) }),
        ]
        for guess in guesses {
            let comparison = OrderComparison(before, after, mayDiffer: guess.contains)
            #expect(
                places(comparison.removed) == before.indices.filter { !new.contains(before[$0]) })
            #expect(
                places(comparison.inserted) == after.indices.filter { !old.contains(after[$0]) })
            let staying = comparison.runs.flatMap { run in
                (0..<run.count).map { (run.from + $0, run.to + $0) }
            }
            #expect(staying.allSatisfy { before[$0.0] == after[$0.1] })
            #expect(staying.map(\.1) == after.indices.filter { old.contains(after[$0]) })
            let moves = comparison.moves
            #expect(moves.allSatisfy { before[$0.from] == after[$0.to] })
            #expect(moves.map(\.to) == moves.map(\.to).sorted())
            #expect(moves.count == staying.count - longestGrowing(staying.map(\.0)))
            let moving = Set(moves.map(\.to))
            let left = staying.filter { !moving.contains($0.1) }.map(\.0)
            #expect(left == left.sorted())
        }
    }

    @Test("unchanged objects form as few runs as the changes between them allow")
    func runs() {
        let before = Array(0..<100_000)
        var after = before
        after.removeSubrange(500..<510)
        after.insert(100_000, at: 70_000)
        let comparison = OrderComparison(before, after) {
            (500..<510).contains($0) || $0 == 100_000
        }
        #expect(comparison.runs.map(\.count) == [500, 69_500, 29_990])
        #expect(comparison.moves.isEmpty)
    }

    /// Removes, inserts and moves some objects, one or a few at a time.
    private func changed(_ before: [Int], _ generator: inout Seeded) -> [Int] {
        var after = before
        for number in 0..<Int.random(in: 0...6, using: &generator) {
            let place = Int.random(in: 0...after.count, using: &generator)
            let end = min(after.count, place + Int.random(in: 0...5, using: &generator))
            switch Int.random(in: 0...2, using: &generator) {
            case 0: after.removeSubrange(place..<end)
            case 1: after.insert(1000 + number, at: place)
            default:
                let moving = Array(after[place..<end])
                after.removeSubrange(place..<end)
                after.insert(
                    contentsOf: moving, at: Int.random(in: 0...after.count, using: &generator))
            }
        }
        return after
    }

    private func places(_ set: RangeSet<Int>) -> [Int] { set.ranges.flatMap { Array($0) } }

    /// Returns the length of the longest increasing subsequence, by comparing all pairs.
    private func longestGrowing(_ values: [Int]) -> Int {
        var lengths: [Int] = []
        for (index, value) in values.enumerated() {
            lengths.append(
                1 + ((0..<index).filter { values[$0] < value }.map { lengths[$0] }.max() ?? 0))
        }
        return lengths.max() ?? 0
    }
}
