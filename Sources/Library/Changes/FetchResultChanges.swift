// SPDX-License-Identifier: GPL-3.0-or-later

/// How a fetch of assets would find others, or the same in other places, than it did.
public typealias AssetChanges = FetchResultChanges<Asset>

/// How a fetch would find other objects, or the same in other places, than it did
/// (PHFetchResultChangeDetails' counterpart).
///
/// Who shows the result before comes to the one after in three steps: take away ``removed`` (places
/// before), put in ``inserted`` (places after), and put each of ``moved`` where it belongs; all others
/// keep their order.
public struct FetchResultChanges<Element: Sendable>: Sendable {
    /// What the fetch finds now. Ask it for the next changes.
    public let result: FetchResult<Element>
    /// Places before, of what is found no longer.
    public let removed: RangeSet<Int>
    /// Places after, of what was not found before.
    public let inserted: RangeSet<Int>
    /// Places after, of what is found as before, and is not as it was.
    public let changed: RangeSet<Int>
    /// In the order of their places after; as few as there can be.
    public let moved: [FetchResultMove]

    /// Whether only what the objects are has changed, not which and where.
    public var hasOnlyContentChanges: Bool {
        removed.isEmpty && inserted.isEmpty && moved.isEmpty
    }

    /// `nil` when both are the same.
    /// - Parameters:
    ///   - before: What names the objects, in the order before.
    ///   - after: The same, in the order after.
    ///   - isChanged: Whether an object that is in both is not as it was.
    init?<Name: Hashable>(
        _ result: FetchResult<Element>, before: [Name], after: [Name],
        isChanged: (Name) -> Bool
    ) {
        self.result = result
        var places: [Name: Int] = [:]
        places.reserveCapacity(before.count)
        for (place, name) in before.enumerated() { places[name] = place }
        var isLeft = [Bool](repeating: true, count: before.count)
        var inserted = RangeSet<Int>()
        var changed = RangeSet<Int>()
        var staying: [FetchResultMove] = []
        for (place, name) in after.enumerated() {
            guard let former = places[name] else {
                inserted.insert(place, within: after.indices)
                continue
            }
            isLeft[former] = false
            staying.append(FetchResultMove(from: former, to: place))
            if isChanged(name) { changed.insert(place, within: after.indices) }
        }
        self.inserted = inserted
        self.changed = changed
        var removed = RangeSet<Int>()
        for place in before.indices where isLeft[place] {
            removed.insert(place, within: before.indices)
        }
        self.removed = removed
        moved = Self.moves(among: staying)
        if hasOnlyContentChanges && changed.isEmpty { return nil }
    }

    /// All but a longest part of them whose order is the same before and after.
    /// - Parameter staying: In the order after.
    private static func moves(among staying: [FetchResultMove]) -> [FetchResultMove] {
        // Of each length the part that ends earliest before, by its last one's index; and what each one follows.
        var ends: [Int] = []
        var follows = [Int](repeating: -1, count: staying.count)
        for (index, one) in staying.enumerated() {
            var low = 0
            var high = ends.count
            if let last = ends.last, staying[last].from < one.from { low = high }
            while low < high {
                let middle = (low + high) / 2
                if staying[ends[middle]].from < one.from { low = middle + 1 } else { high = middle }
            }
            if low > 0 { follows[index] = ends[low - 1] }
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        if ends.count == staying.count { return [] }
        var keepsOrder = [Bool](repeating: false, count: staying.count)
        var index = ends.last ?? -1
        while index >= 0 {
            keepsOrder[index] = true
            index = follows[index]
        }
        return staying.indices.filter { !keepsOrder[$0] }.map { staying[$0] }
    }
}

/// An object that has another place among those that are in both results.
public struct FetchResultMove: Hashable, Sendable {
    /// Its place before.
    public let from: Int
    /// Its place after.
    public let to: Int
}
