// SPDX-License-Identifier: GPL-3.0-or-later

/// The differences between two orders of uniquely named objects. Its memory grows with the
/// differences, not with the number of objects.
package struct OrderComparison<Name: Hashable> {
    /// Objects that follow each other in both orders, by the first one's indexes before and after.
    package struct Run {
        package let from: Int
        package let to: Int
        package var count = 1
    }

    /// The objects in both orders, in the longest possible runs, by their index after.
    package let runs: [Run]
    /// The indexes before of objects that are not in the order after.
    package let removed: RangeSet<Int>
    /// The indexes after of objects that are not in the order before.
    package let inserted: RangeSet<Int>

    /// Compares two orders. `mayDiffer` tells whether an object may have changed; a wrong guess
    /// only costs memory.
    package init(_ before: [Name], _ after: [Name], mayDiffer: (Name) -> Bool) {
        var runs: [Run] = []
        // The indexes that the walk along both orders finds in only one of them.
        var (looseBefore, looseAfter): ([Int], [Int]) = ([], [])
        var (from, to) = (0, 0)
        while from < before.count, to < after.count {
            if before[from] == after[to] {
                runs.join(Run(from: from, to: to))
                from += 1
                to += 1
            } else if mayDiffer(before[from]) {
                looseBefore.append(from)
                from += 1
            } else if mayDiffer(after[to]) {
                looseAfter.append(to)
                to += 1
            } else {
                looseBefore.append(from)
                looseAfter.append(to)
                from += 1
                to += 1
            }
        }
        looseBefore += from..<before.count
        looseAfter += to..<after.count

        var places = Dictionary(looseBefore.map { (before[$0], $0) }) { $1 }
        var inserted = RangeSet<Int>()
        for place in looseAfter {
            if let former = places.removeValue(forKey: after[place]) {
                runs.append(Run(from: former, to: place))
            } else {
                inserted.insert(place, within: after.indices)
            }
        }
        var removed = RangeSet<Int>()
        for place in looseBefore where places[before[place]] != nil {
            removed.insert(place, within: before.indices)
        }
        runs.sort { $0.to < $1.to }
        var joined: [Run] = []
        for run in runs { joined.join(run) }
        (self.runs, self.inserted, self.removed) = (joined, inserted, removed)
    }

    /// The fewest objects to move so that all others keep their order, by their index after.
    package var moves: [FetchResultMove] {
        // The heaviest sequence of runs whose indexes before increase stays. A run stays or moves
        // as a whole, because no other object comes between its own.
        let rank = Dictionary(
            uniqueKeysWithValues: runs.map(\.from).sorted().enumerated().map { ($1, $0) })
        var heaviest = PrefixMaximum(count: runs.count)
        var follows: [Int?] = []
        var end: (weight: Int, run: Int)?
        for (index, run) in runs.enumerated() {
            let place = rank[run.from] ?? 0
            let previous = heaviest.maximum(before: place)
            let weight = (previous?.weight ?? 0) + run.count
            follows.append(previous?.run)
            heaviest.raise(place, to: (weight, index))
            if weight > end?.weight ?? 0 { end = (weight, index) }
        }
        var stays = [Bool](repeating: false, count: runs.count)
        var next = end?.run
        while let index = next {
            stays[index] = true
            next = follows[index]
        }
        return zip(runs, stays).flatMap { run, stays in
            stays
                ? [] : (0..<run.count).map { FetchResultMove(from: run.from + $0, to: run.to + $0) }
        }
    }
}

extension Array {
    /// Appends a run, or extends the last one by it.
    fileprivate mutating func join<Name>(_ run: Element)
    where Element == OrderComparison<Name>.Run {
        if let last, last.from + last.count == run.from, last.to + last.count == run.to {
            self[count - 1].count += run.count
        } else {
            append(run)
        }
    }
}

/// The maximum of the entries before an index, where entries only grow (a Fenwick tree).
private struct PrefixMaximum {
    typealias Entry = (weight: Int, run: Int)
    private var entries: [Entry?]

    init(count: Int) { entries = Array(repeating: nil, count: count + 1) }

    func maximum(before place: Int) -> Entry? {
        var (index, best): (Int, Entry?) = (place, nil)
        while index > 0 {
            if let entry = entries[index], entry.weight > best?.weight ?? 0 { best = entry }
            index &= index - 1
        }
        return best
    }

    mutating func raise(_ place: Int, to entry: Entry) {
        var index = place + 1
        while index < entries.count {
            if entry.weight > entries[index]?.weight ?? 0 { entries[index] = entry }
            index += index & -index
        }
    }
}
