// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB

extension AssetLibrary {
    /// Returns the current moment, for ``changes(since:from:)``. Throws `closed`, `io`.
    public nonisolated func currentChangeToken() async throws(LibraryError) -> ChangeToken {
        try await reading { db in try Self.token(db) }
    }

    /// Returns what has happened to assets and collections since a moment.
    /// - Parameter origins: The origins of the changes to include; `nil` for all.
    /// - Throws: `expired` if the history does not go back that far: read everything again and
    ///   continue with ``currentChangeToken()``; `closed`, `io`.
    public nonisolated func changes(
        since token: ChangeToken, from origins: Set<ChangeOrigin>? = nil
    ) async throws(LibraryError) -> ChangeHistory {
        try await reading { db in try Self.history(db, since: token, from: origins) }
    }

    /// Returns a stream that reports changes from now on, at most four times a second. An element
    /// is the moment after the newest change, for ``changes(since:from:)`` and
    /// ``FetchResult/changes()``. The stream ends when the library is closed.
    /// - Parameter origins: The origins of the changes to report; `nil` for all.
    public nonisolated func changeTokens(
        from origins: Set<ChangeOrigin>? = nil
    ) -> AsyncStream<ChangeToken> {
        observers.tokens(from: origins)
    }

    /// Runs a transaction that changes the library, and notifies the observers.
    func change<Value>(
        from origin: ChangeOrigin, _ body: (Database) throws -> Value
    ) throws(LibraryError) -> Value {
        // The writer reads the token, because a read could wait for other readers.
        let (value, token) = try databaseWrite { db in (try body(db), try Self.token(db)) }
        observers.post(token, from: origin)
        return value
    }

    nonisolated static func token(_ db: Database) throws -> ChangeToken {
        let last = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT seq FROM sqlite_sequence WHERE name = 'change'"))
        return ChangeToken(last ?? 0)
    }

    nonisolated static func history(
        _ db: Database, since token: ChangeToken, from origins: Set<ChangeOrigin>?
    ) throws -> ChangeHistory {
        let now = try Self.token(db)
        let first = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT token FROM change ORDER BY token LIMIT 1"))
        guard token <= now, token.value >= (first ?? now.value + 1) - 1 else {
            throw LibraryError(
                .expired,
                "changes since \(token.value): the history goes back to \(first ?? now.value)")
        }
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT kind, asset, origin, collection FROM change
                    WHERE token > ? ORDER BY token
                    """), arguments: [token.value])
        var assets = Happened<Int64>()
        var collections = Happened<String>()
        while let row = try rows.next() {
            let (kind, origin, collection): (String, String, String?) = (row[0], row[2], row[3])
            guard origins?.contains(where: { $0.rawValue == origin }) ?? true else { continue }
            if let collection {
                collections.note(kind, collection)
            } else {
                assets.note(kind, row[1])
            }
        }
        func identifiers(_ texts: Set<String>) -> [AssetCollection.Identifier] {
            texts.sorted().compactMap(AssetCollection.Identifier.init(text:))
        }
        return ChangeHistory(
            token: now, inserted: assets.inserted.sorted(), updated: assets.updated.sorted(),
            deleted: assets.deleted.sorted(),
            insertedCollections: identifiers(collections.inserted),
            updatedCollections: identifiers(collections.updated),
            deletedCollections: identifiers(collections.deleted))
    }
}

/// The objects that were changed, each in at most one of the sets.
private struct Happened<Name: Hashable> {
    var inserted = Set<Name>()
    var updated = Set<Name>()
    var deleted = Set<Name>()

    mutating func note(_ kind: String, _ name: Name) {
        switch ChangeKind(rawValue: kind) {
        case .inserted: inserted.insert(name)
        case .deleted:
            updated.remove(name)
            inserted.remove(name)
            // Includes objects inserted since the token, which a caller may have read after it.
            deleted.insert(name)
        case .updated, nil:
            if !inserted.contains(name) { updated.insert(name) }
        }
    }
}
