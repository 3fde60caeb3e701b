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

    /// The changes of a result in which nothing moves; `nil` without any.
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

    /// `nil` when both are the same.
    /// - Parameters:
    ///   - before: What names the objects, in the order before.
    ///   - after: The same, in the order after.
    ///   - mayDiffer: Whether something happened to an object: for all others little memory is needed.
    ///   - candidates: Places after, of all objects that may have changed; `nil` for every place.
    ///   - isChanged: Whether an object that is in both is not as it was.
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

/// An object that has another place among those that are in both results.
public struct FetchResultMove: Hashable, Sendable {
    /// Its place before.
    public let from: Int
    /// Its place after.
    public let to: Int
}
