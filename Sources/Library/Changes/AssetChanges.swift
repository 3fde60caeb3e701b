// SPDX-License-Identifier: GPL-3.0-or-later

/// How a fetch would find other assets, or the same in other places, than it did
/// (PHFetchResultChangeDetails' counterpart).
///
/// Who shows the result before comes to the one after in three steps: take away ``removed`` (places
/// before), put in ``inserted`` (places after), and put each of ``moved`` where it belongs; all others
/// keep their order.
public struct AssetChanges: Sendable {
    /// An asset that has another place among those that are in both results.
    public struct Move: Hashable, Sendable {
        /// Its place before.
        public let from: Int
        /// Its place after.
        public let to: Int
    }

    /// What the fetch finds now. Ask it for the next changes.
    public let result: FetchResult<Asset>
    /// Places before, of what is found no longer.
    public let removed: RangeSet<Int>
    /// Places after, of what was not found before.
    public let inserted: RangeSet<Int>
    /// Places after, of what is found as before, and is not as it was.
    public let changed: RangeSet<Int>
    /// In the order of their places after.
    public let moved: [Move]

    /// Whether only what assets are has changed, not which and where.
    public var hasOnlyContentChanges: Bool {
        removed.isEmpty && inserted.isEmpty && moved.isEmpty
    }

    /// - Parameter updated: What may have another place or content; all others are as they were.
    init(
        _ result: FetchResult<Asset>, before: [Int64], after: [Int64], updated: Set<Int64>
    ) {
        self.result = result
        let (old, new) = (Set(before), Set(after))
        removed = Self.places(of: before) { !new.contains($0) }
        inserted = Self.places(of: after) { !old.contains($0) }
        changed = Self.places(of: after) { old.contains($0) && updated.contains($0) }
        let overtaking = Self.overtaking(
            before.filter(new.contains), after.filter(old.contains), updated)
        var from: [Int64: Int] = [:]
        for (place, sequence) in before.enumerated() where overtaking.contains(sequence) {
            from[sequence] = place
        }
        moved = after.enumerated().compactMap { place, sequence in
            from[sequence].map { Move(from: $0, to: place) }
        }
    }

    /// Of two orders of the same assets, those without which the orders are one: only what was updated
    /// can have overtaken others.
    private static func overtaking(
        _ before: [Int64], _ after: [Int64], _ updated: Set<Int64>
    ) -> Set<Int64> {
        // How many of those that keep their order come before each of the others.
        func ranks(_ order: [Int64]) -> [(sequence: Int64, rank: Int)] {
            var rank = 0
            var ranks: [(sequence: Int64, rank: Int)] = []
            for sequence in order {
                if updated.contains(sequence) { ranks.append((sequence, rank)) } else { rank += 1 }
            }
            return ranks
        }
        let (old, new) = (ranks(before), ranks(after))
        let former = Dictionary(uniqueKeysWithValues: old.map { ($0.sequence, $0.rank) })
        var overtaking = Set(new.filter { former[$0.sequence] != $0.rank }.map(\.sequence))
        // Among themselves.
        let stillBefore = old.filter { !overtaking.contains($0.sequence) }
        let stillAfter = new.filter { !overtaking.contains($0.sequence) }
        for (one, other) in zip(stillBefore, stillAfter) where one.sequence != other.sequence {
            overtaking.insert(one.sequence)
            overtaking.insert(other.sequence)
        }
        return overtaking
    }

    private static func places(
        of sequences: [Int64], where isWanted: (Int64) -> Bool
    ) -> RangeSet<Int> {
        var places = RangeSet<Int>()
        for (place, sequence) in sequences.enumerated() where isWanted(sequence) {
            places.insert(contentsOf: place..<place + 1)
        }
        return places
    }
}
