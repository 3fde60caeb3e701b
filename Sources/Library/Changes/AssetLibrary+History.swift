// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB

extension AssetLibrary {
    /// Now, for ``changes(since:from:)``.
    /// - Throws: `closed`, `io`.
    public nonisolated func currentChangeToken() async throws(LibraryError) -> ChangeToken {
        try await reading { db in try Self.token(db) }
    }

    /// What happened to assets since then.
    ///
    /// - Parameter origins: Only what these did; `nil` for all.
    /// - Throws: `expired` when the history does not go so far back: read everything again, and go on
    ///   with ``currentChangeToken()``; `closed`, `io`.
    public nonisolated func changes(
        since token: ChangeToken, from origins: Set<ChangeOrigin>? = nil
    ) async throws(LibraryError) -> ChangeHistory {
        try await reading { db in try Self.history(db, since: token, from: origins) }
    }

    /// Tells of changes from now on, four times a second at the most: the moment after the newest, for
    /// ``changes(since:from:)`` and ``FetchResult/changes()``. Ends when the library is closed.
    ///
    /// - Parameter origins: Only of what these did; `nil` for all.
    public nonisolated func changeTokens(
        from origins: Set<ChangeOrigin>? = nil
    ) -> AsyncStream<ChangeToken> {
        observers.tokens(from: origins)
    }

    /// A transaction that changes assets; observers are told of it.
    func change<Value>(
        from origin: ChangeOrigin, _ body: (Database) throws -> Value
    ) throws(LibraryError) -> Value {
        // Asked of the writer: reading would wait where there are many readers.
        let (value, token) = try databaseWrite { db in (try body(db), try Self.token(db)) }
        observers.post(token, from: origin)
        return value
    }

    nonisolated static func token(_ db: Database) throws -> ChangeToken {
        let last = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT seq FROM sqlite_sequence WHERE name = 'change'"))
        return ChangeToken(value: last ?? 0)
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
                sql: "SELECT kind, asset, origin FROM change WHERE token > ? ORDER BY token"),
            arguments: [token.value])
        var inserted = Set<Int64>()
        var updated = Set<Int64>()
        var deleted = Set<Int64>()
        while let row = try rows.next() {
            let (kind, asset, origin): (String, Int64, String) = (row[0], row[1], row[2])
            guard origins?.contains(where: { $0.rawValue == origin }) ?? true else { continue }
            switch kind {
            case "inserted": inserted.insert(asset)
            case "deleted":
                updated.remove(asset)
                if inserted.remove(asset) == nil { deleted.insert(asset) }
            default:
                if !inserted.contains(asset) { updated.insert(asset) }
            }
        }
        return ChangeHistory(
            token: now, inserted: inserted.sorted(), updated: updated.sorted(),
            deleted: deleted.sorted())
    }
}
