// SPDX-License-Identifier: GPL-3.0-or-later

/// The changes of a fetch of assets.
public typealias AssetChanges = FetchResultChanges<Asset>

/// The changes of a fetch's result (PHFetchResultChangeDetails' counterpart).
///
/// A view of the old result becomes one of the new result in three steps: remove ``removed``
/// (indexes before), insert ``inserted`` (indexes after), and put each of ``moved`` in its new
/// place. All others keep their order.
public struct FetchResultChanges<Element: Sendable>: Sendable {
    /// The new result. Ask it for the next changes.
    public let result: FetchResult<Element>
    /// The indexes before of objects that are no longer found.
    public let removed: RangeSet<Int>
    /// The indexes after of objects that were not found before.
    public let inserted: RangeSet<Int>
    /// The indexes after of objects that are still found and have changed.
    public let changed: RangeSet<Int>
    /// The fewest possible moves, by their indexes after.
    public let moved: [FetchResultMove]

    /// Whether objects have changed, but not which are found or in what order.
    public var hasOnlyContentChanges: Bool {
        removed.isEmpty && inserted.isEmpty && moved.isEmpty
    }

    /// Creates the changes of a result in which nothing moves; `nil` if there are none.
    init?(
        _ result: FetchResult<Element>, removed: RangeSet<Int>, inserted: RangeSet<Int>,
        changed: RangeSet<Int>
    ) {
        if removed.isEmpty && inserted.isEmpty && changed.isEmpty { return nil }
        self.result = result
        self.removed = removed
        self.inserted = inserted
        self.changed = changed
        moved = []
    }

    /// Creates the changes between two orders of the objects' names; `nil` if there are none.
    /// - Parameters:
    ///   - mayDiffer: Whether an object may have changed. All others need little memory.
    ///   - candidates: The indexes after of objects that may have changed; `nil` for all.
    ///   - isChanged: Whether an object in both orders has changed.
    init?<Name: Hashable>(
        _ result: FetchResult<Element>, before: [Name], after: [Name],
        mayDiffer: (Name) -> Bool = { _ in true }, candidates: [Int]? = nil,
        isChanged: (Name) -> Bool
    ) {
        let comparison = OrderComparison(before, after, mayDiffer: mayDiffer)
        self.result = result
        (removed, inserted) = (comparison.removed, comparison.inserted)
        moved = comparison.moves
        var changed = RangeSet<Int>()
        for place in candidates ?? Array(after.indices)
        where !comparison.inserted.contains(place) && isChanged(after[place]) {
            changed.insert(place, within: after.indices)
        }
        self.changed = changed
        if hasOnlyContentChanges && changed.isEmpty { return nil }
    }
}

/// An object whose place among the objects in both results has changed.
public struct FetchResultMove: Hashable, Sendable {
    /// The object's index before.
    public let from: Int
    /// The object's index after.
    public let to: Int
}
