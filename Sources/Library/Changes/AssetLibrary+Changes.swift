// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import GRDB
internal import LinuxIO
internal import Store

extension AssetLibrary {
    /// Makes changes in one transaction and returns when they survive a power cut: all of them, or, when
    /// this throws, none.
    ///
    /// Files of which assets were to be made are taken away when it throws. Whose power or medium fails just then may find
    /// them taken in by the next open, without the other changes.
    ///
    /// - Parameter origin: Whose they are, for those who look at changes.
    /// - Returns: how many assets and collections are not as they were.
    /// - Throws: `notFound` for what is not there; `notDeleted` for a purge of what is not in "recently
    ///   deleted"; `notEmpty` for a folder with something in it; `invalidValue` for a keyword, caption,
    ///   title or place that cannot be, and for more than 100 new assets; of a new asset `conflict` when another one has that content or id, `invalid`,
    ///   `damaged` when the file is not what was said; `readOnly`, `full`, `io`, `closed`.
    @discardableResult
    public nonisolated func performChanges(
        from origin: ChangeOrigin = .operator,
        _ request: @Sendable (inout LibraryChanges) -> Void
    ) async throws(LibraryError) -> Int {
        var changes = LibraryChanges()
        request(&changes)
        return try await perform(changes, from: origin)
    }

    /// As ``performChanges(from:_:)``, of changes that are put together already.
    /// - Throws: as ``performChanges(from:_:)``.
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

    /// What cannot be removed now is at the next open.
    func removePurged() {
        do {
            try PurgedFiles(layout: layout, database: database).remove()
        } catch let error as StoreError {
            degrade(after: error)
        } catch {}
    }
}

/// One transaction in which a person or program changes assets and collections.
struct ChangeTransaction {
    /// What is not as it was: an asset's sequence or a collection's id.
    enum Changed: Hashable {
        case asset(Int64)
        case collection(AssetCollection.Identifier)
    }

    let db: Database
    /// Nanoseconds since 1970.
    let now: Int64
    private let origin: ChangeOrigin
    private(set) var changed = Set<Changed>()
    /// Whether originals are to be removed behind it.
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

    /// Changes one row or several; answers whether any is another than before.
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

/// What happened, as the history has it.
enum ChangeKind: String {
    case inserted, updated, deleted
}
