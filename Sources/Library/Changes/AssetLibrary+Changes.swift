// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import GRDB
internal import LinuxIO

extension AssetLibrary {
    /// Makes changes in one transaction and returns when they survive a power cut: all of them, or, when
    /// this throws, none.
    ///
    /// - Parameter origin: Whose they are, for those who look at changes.
    /// - Returns: how many assets are not as they were.
    /// - Throws: `notFound` for an asset that is not there; `notDeleted` for a purge of what is not
    ///   in "recently deleted"; `invalidValue` for a keyword or caption that cannot be; `readOnly`, `full`, `io`, `closed`.
    @discardableResult
    public func performChanges(
        from origin: ChangeOrigin = .operator,
        _ request: @Sendable (inout LibraryChanges) -> Void
    ) throws(LibraryError) -> Int {
        var changes = LibraryChanges()
        request(&changes)
        return try perform(changes, from: origin)
    }

    func perform(
        _ changes: LibraryChanges, from origin: ChangeOrigin
    ) throws(LibraryError) -> Int {
        try requireWritable()
        if changes.steps.isEmpty { return 0 }
        let now = Clock.wall
        let (count, isPurging) = try change(from: origin) { db in
            var changed = Set<Int64>()
            var isPurging = false
            for step in changes.steps {
                let statements = try step.change.statements(now: now)
                for id in step.assets {
                    let target = try ChangeTarget(db, id)
                    if case .purge = step.change {
                        try target.purge(db, origin)
                        isPurging = true
                        changed.insert(target.sequence)
                    } else if try target.apply(statements, db, origin, now) {
                        changed.insert(target.sequence)
                    }
                }
            }
            return (changed.count, isPurging)
        }
        if isPurging {
            // What cannot be removed now is at the next open.
            try? PurgedFiles(layout: layout, database: database).remove()
        }
        return count
    }
}

/// An asset that is to be changed, found in the transaction that changes it.
private struct ChangeTarget {
    let id: UUID
    let sequence: Int64
    let path: String
    let isDeleted: Bool

    init(_ db: Database, _ id: UUID) throws {
        let statement = try db.cachedStatement(
            sql: "SELECT sequence, path, deleted_at IS NOT NULL FROM asset WHERE id = ?")
        guard let row = try Row.fetchOne(statement, arguments: [id.text]) else {
            throw LibraryError(.notFound, "asset \(id.text): there is none")
        }
        self.id = id
        sequence = row[0]
        path = row[1]
        isDeleted = row[2]
    }

    /// Answers whether anything is another than before.
    func apply(
        _ statements: [Condition], _ db: Database, _ origin: ChangeOrigin, _ now: Int64
    ) throws -> Bool {
        var isChanged = false
        for statement in statements {
            let arguments = statement.arguments + [sequence.databaseValue]
            try db.cachedStatement(sql: statement.sql)
                .execute(arguments: StatementArguments(arguments))
            if db.changesCount > 0 { isChanged = true }
        }
        guard isChanged else { return false }
        try db.cachedStatement(sql: "UPDATE asset SET modified_at = ? WHERE sequence = ?")
            .execute(arguments: [now, sequence])
        try log("updated", db, origin)
        return true
    }

    func purge(_ db: Database, _ origin: ChangeOrigin) throws {
        guard isDeleted else {
            throw LibraryError(
                .notDeleted, "asset \(sequence): not in \"recently deleted\"")
        }
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO purged_file (path, id) VALUES (?, ?)")
            .execute(arguments: [path, id.text])
        try db.cachedStatement(sql: "DELETE FROM asset WHERE sequence = ?")
            .execute(arguments: [sequence])
        try log("deleted", db, origin)
    }

    private func log(_ kind: String, _ db: Database, _ origin: ChangeOrigin) throws {
        try db.cachedStatement(
            sql: "INSERT INTO change (kind, asset, origin) VALUES (?, ?, ?)"
        ).execute(arguments: [kind, sequence, origin.rawValue])
    }
}

extension AssetChange {
    private static let longestCaption = 10_000
    private static let longestKeyword = 100

    /// Statements that touch a row only where it is to become another; the asset's sequence is bound last.
    fileprivate func statements(now: Int64) throws(LibraryError) -> [Condition] {
        switch self {
        case .setFavorite(let isFavorite): return [Self.set("favorite", isFavorite.databaseValue)]
        case .setHidden(let isHidden): return [Self.set("hidden", isHidden.databaseValue)]
        case .setCaption(let caption):
            return [Self.set("caption", try Self.checked(caption: caption).databaseValue)]
        case .setLocation(let location):
            return [
                Self.set("latitude", location?.latitude.databaseValue ?? .null),
                Self.set("longitude", location?.longitude.databaseValue ?? .null),
                Self.set("altitude", location?.altitude?.databaseValue ?? .null),
            ]
        case .addKeywords(let keywords):
            var statements: [Condition] = []
            for keyword in keywords {
                let keyword = try Self.checked(keyword: keyword)
                statements.append(
                    Condition(
                        """
                        INSERT OR IGNORE INTO asset_keyword (folded, keyword, asset)
                        VALUES (?, ?, ?)
                        """, [keyword.lowercased().databaseValue, keyword.databaseValue]))
            }
            return statements
        case .removeKeywords(let keywords):
            return keywords.map {
                Condition(
                    "DELETE FROM asset_keyword WHERE folded = ? AND asset = ?",
                    [$0.trimmed.lowercased().databaseValue])
            }
        case .delete:
            return [
                Condition(
                    "UPDATE asset SET deleted_at = ? WHERE deleted_at IS NULL AND sequence = ?",
                    [now.databaseValue])
            ]
        case .restore: return [Self.set("deleted_at", .null)]
        case .purge: return []
        }
    }

    private static func set(_ column: String, _ value: DatabaseValue) -> Condition {
        Condition(
            "UPDATE asset SET \(column) = ?1 WHERE \(column) IS NOT ?1 AND sequence = ?2", [value])
    }

    private static func checked(caption: String?) throws(LibraryError) -> String? {
        guard let caption = caption?.trimmed, !caption.isEmpty else { return nil }
        guard caption.utf8.count <= 4 * longestCaption, caption.count <= longestCaption,
            !caption.utf8.contains(0)
        else {
            throw LibraryError(
                .invalidValue,
                "caption of \(caption.count) characters: allowed: \(longestCaption) at the most, "
                    + "without NUL")
        }
        return caption
    }

    private static func checked(keyword: String) throws(LibraryError) -> String {
        let trimmed = keyword.trimmed
        guard (1...longestKeyword).contains(trimmed.count),
            trimmed.utf8.count <= 4 * longestKeyword, !trimmed.contains(where: \.isNewline),
            !trimmed.utf8.contains(0)
        else {
            throw LibraryError(
                .invalidValue,
                "keyword \"\(keyword.prefix(longestKeyword))\": allowed: 1 to \(longestKeyword) "
                    + "characters on one line")
        }
        return trimmed
    }
}

extension String {
    /// Without white space at either end.
    fileprivate var trimmed: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }),
            let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}
