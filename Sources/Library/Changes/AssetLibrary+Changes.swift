// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import GRDB
internal import LinuxIO
internal import Store

extension AssetLibrary {
    /// Makes changes in one transaction and returns when they survive a power cut. If it throws, it
    /// makes none of them and removes the files for new assets. If the power or the medium fails
    /// just then, the next open may adopt these files without the other changes.
    /// - Parameter origin: The cause of the changes, which the history records.
    /// - Returns: The number of assets and collections that have changed.
    /// - Throws: `notFound` for a missing asset, album or folder; `notDeleted` for a purge of an
    ///   asset not in "recently deleted"; `notEmpty` for a folder with content; `invalidValue` for
    ///   an invalid keyword, caption, title or place, and more than 100 new assets; for a new asset
    ///   `conflict` if another has its content or id, `invalid`, `damaged` if its file is not as
    ///   stated; `readOnly`, `full`, `io`, `closed`.
    @discardableResult
    public nonisolated func performChanges(
        from origin: ChangeOrigin = .operator,
        _ request: @Sendable (inout LibraryChanges) -> Void
    ) async throws(LibraryError) -> Int {
        var changes = LibraryChanges()
        request(&changes)
        return try await perform(changes, from: origin)
    }

    /// Makes changes like ``performChanges(from:_:)``, and throws the same errors.
    @discardableResult
    public nonisolated func perform(
        _ changes: LibraryChanges, from origin: ChangeOrigin = .operator
    ) async throws(LibraryError) -> Int {
        do throws(LibraryError) {
            var creation = AssetCreation()
            for file in changes.newFiles { try await creation.add(file, in: self) }
            return try await make(changes, creation, from: origin)
        } catch {
            await discard(changes.newFiles.map(\.id))
            throw error
        }
    }

    private func make(
        _ changes: LibraryChanges, _ creation: AssetCreation, from origin: ChangeOrigin
    ) throws(LibraryError) -> Int {
        try requireWritable()
        if changes.steps.isEmpty { return 0 }
        let now = Clock.wall
        let (count, isPurging) = try creating(creation) { () throws(LibraryError) in
            try change(from: origin) { db in
                var transaction = ChangeTransaction(db, origin, now)
                for step in changes.steps { try transaction.make(step, creation) }
                return (transaction.changed.count, transaction.isPurging)
            }
        }
        if isPurging { removePurged() }
        return count
    }

    /// Removes the files of purged assets. The next open removes those that are left.
    func removePurged() {
        do {
            try PurgedFiles(layout: layout, database: database).remove()
        } catch let error as StoreError {
            degrade(after: error)
        } catch {}
    }
}

/// A transaction in which a person or program changes assets and collections.
struct ChangeTransaction {
    /// A changed object: an asset by its sequence, or a collection.
    enum Changed: Hashable {
        case asset(Int64)
        case collection(AssetCollection.Identifier)
    }

    let db: Database
    /// Nanoseconds since 1970.
    let now: Int64
    private let origin: ChangeOrigin
    private(set) var changed = Set<Changed>()
    /// Whether files are to be removed after the transaction.
    var isPurging = false

    init(_ db: Database, _ origin: ChangeOrigin, _ now: Int64) {
        self.db = db
        self.origin = origin
        self.now = now
    }

    mutating func make(_ step: LibraryChanges.Step, _ creation: AssetCreation) throws {
        switch step {
        case .createAsset(let file):
            guard let new = creation.asset(file.id) else { break }
            changed.insert(.asset(try new.insert(db, origin: origin, now: now).sequence))
        case .assets(let assets, let change): try self.change(assets, change)
        case .create(let id, let title, let folder): try create(id, title, in: folder)
        case .collection(let id, let change): try self.change(id, change)
        }
    }

    /// Executes a statement and returns whether it has changed any row.
    func execute(_ sql: String, _ arguments: [(any DatabaseValueConvertible)?]) throws -> Bool {
        try db.cachedStatement(sql: sql).execute(arguments: StatementArguments(arguments))
        return db.changesCount > 0
    }

    mutating func log(_ kind: ChangeKind, asset sequence: Int64) throws {
        changed.insert(.asset(sequence))
        _ = try execute(
            "INSERT INTO change (kind, asset, origin) VALUES (?, ?, ?)",
            [kind.rawValue, sequence, origin.rawValue])
    }

    mutating func log(_ kind: ChangeKind, _ collection: AssetCollection.Identifier) throws {
        changed.insert(.collection(collection))
        _ = try execute(
            "INSERT INTO change (kind, asset, origin, collection) VALUES (?, 0, ?, ?)",
            [kind.rawValue, origin.rawValue, collection.text])
    }
}

/// The kind of a change, as the history stores it.
enum ChangeKind: String {
    case inserted, updated, deleted
}
