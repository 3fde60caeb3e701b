// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB

extension AssetQuery {
    /// The new result of a query, derived from the one before.
    struct Update {
        let sequences: SequenceList
        /// The old indexes of touched assets that were found.
        let left: [Int]
        /// The new indexes of touched assets that are found.
        let entered: [Int]
    }

    /// A new query is run for more touched assets than this: each costs some twenty look-ups.
    private static let mostTouched = 1000

    /// Derives the new result if only `touched` assets may differ from `before`; `nil` if a new
    /// query is needed. In the order of the sequence, the cost depends on `touched` alone.
    func update(_ db: Database, _ before: SequenceList, touched: [Int64]) throws -> Update? {
        guard dependsOnAssetsAlone, touched.count <= Self.mostTouched else { return nil }
        let left = places(of: Set(touched), in: before)
        let kept = before.edited(removing: left, inserting: [])
        var inserted: [(place: Int, sequence: Int64)] = []
        for asset in try assets(db, among: touched) {
            let start = inserted.last?.place ?? 0
            inserted.append((try place(of: asset, in: kept, from: start, db), asset.sequence))
        }
        return Update(
            sequences: kept.edited(removing: [], inserting: inserted), left: left,
            entered: inserted.enumerated().map { $1.place + $0 })
    }

    /// Returns the indexes of these assets in ascending order.
    private func places(of touched: Set<Int64>, in before: SequenceList) -> [Int] {
        guard isInOrderOfSequence else {
            return before.elements.indices(where: { touched.contains($0) }).ranges.flatMap(
                Array.init)
        }
        return touched.compactMap { sequence in
            let place = (0..<before.count).partitioningIndex {
                isBackwards ? before[$0] <= sequence : before[$0] >= sequence
            }
            return place < before.count && before[place] == sequence ? place : nil
        }.sorted()
    }

    /// Returns the index at which an asset belongs among others in this query's order.
    private func place(
        of asset: Asset, in others: SequenceList, from start: Int, _ db: Database
    ) throws -> Int {
        let cursor = FetchCursor(asset, in: options)
        return try (start..<others.count).partitioningIndex { place in
            let other = others[place]
            return isInOrderOfSequence
                ? (isBackwards ? other < asset.sequence : other > asset.sequence)
                : try comes(db, other, after: cursor)
        }
    }
}
