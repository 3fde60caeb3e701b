// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import GRDB
internal import Media

extension ChangeTransaction {
    mutating func change(_ assets: [UUID], _ change: AssetChange) throws {
        let statements = try change.statements(now: now)
        for id in assets {
            let target = try ChangedAsset(db, id)
            switch change {
            case .purge: try purge(target)
            case .purgeEverywhere: try purge(target, copies: .erased)
            case .representBurst:
                guard target.burst != nil, !target.isDeleted, !target.isHidden else {
                    throw LibraryError(
                        .invalidValue,
                        "asset \(target.sequence): cannot represent a burst, because it is in "
                            + "none, hidden or deleted")
                }
                try settleBurst(target, on: target.sequence)
            case .delete, .restore, .setHidden:
                try apply(statements, to: target)
                try settleBurst(target)
            case .setAdjustment(_?) where !target.isAdjustable:
                throw LibraryError(
                    .invalidValue, "asset \(target.sequence): only photos can be adjusted")
            default: try apply(statements, to: target)
            }
        }
    }

    private mutating func apply(_ statements: [Condition], to target: ChangedAsset) throws {
        var isChanged = false
        for statement in statements
        where try execute(statement.sql, statement.arguments + [target.sequence.databaseValue]) {
            isChanged = true
        }
        guard isChanged else { return }
        _ = try execute(
            "UPDATE asset SET modified_at = ? WHERE sequence = ?", [now, target.sequence])
        try log(.updated, asset: target.sequence)
    }

    /// - Parameter copies: The fate of the copies at remotes.
    mutating func purge(
        _ target: ChangedAsset, evenIfKept: Bool = false,
        copies: SyncObject.Goal = .asPolicySays
    ) throws {
        guard target.isDeleted || evenIfKept else {
            throw LibraryError(
                .notDeleted, "asset \(target.sequence): not in \"recently deleted\"")
        }
        let albums = try String.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT id FROM collection WHERE number IN (
                        SELECT album FROM album_asset WHERE asset = ?)
                    """), arguments: [target.sequence])
        for path in target.paths {
            _ = try execute(
                "INSERT OR IGNORE INTO purged_file (path, id) VALUES (?, ?)",
                [path, target.id.text]
            )
        }
        _ = try execute("DELETE FROM asset WHERE sequence = ?", [target.sequence])
        // The trigger has left the copies to the policy.
        switch copies {
        case .asPolicySays: break
        case .erased:
            _ = try execute(
                "UPDATE sync_object SET is_gone = ? WHERE asset = ?",
                [copies.rawValue, target.sequence])
        case .present:
            _ = try execute(
                "DELETE FROM sync_object WHERE asset = ? AND sha256 IS NULL", [target.sequence])
            _ = try execute(
                "UPDATE sync_object SET state = 'verified' WHERE asset = ?", [target.sequence])
        }
        if let session = target.session {
            // A session without assets is deleted.
            _ = try execute(
                """
                DELETE FROM session
                WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM asset WHERE session_id = ?1)
                """, [session])
        }
        try log(.deleted, asset: target.sequence)
        for album in albums.compactMap(UUID.init) { try log(.updated, .album(album)) }
        isPurging = true
        try settleBurst(target)
    }

    /// Makes one photo represent the target's burst, since fetches show no other by default:
    /// preferably one that is not hidden, then the present representative, then the oldest.
    /// - Parameter chosen: A photo that represents the burst in any case.
    private mutating func settleBurst(_ target: ChangedAsset, on chosen: Int64? = nil) throws {
        guard let burst = target.burst else { return }
        guard let heir = try chosen ?? heir(of: burst) else { return }
        let others = try Int64.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT sequence FROM asset
                    WHERE burst_id = ?1 AND represents_burst <> (sequence = ?2)
                    """), arguments: [burst, heir])
        for sequence in others {
            _ = try execute(
                "UPDATE asset SET represents_burst = 1 - represents_burst WHERE sequence = ?",
                [sequence])
            try log(.updated, asset: sequence)
        }
    }

    private func heir(of burst: String) throws -> Int64? {
        try Int64.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT sequence FROM asset WHERE burst_id = ? AND deleted_at IS NULL
                    ORDER BY hidden, represents_burst DESC, sequence LIMIT 1
                    """), arguments: [burst])
    }
}

/// An asset to change, read in the transaction that changes it.
struct ChangedAsset {
    let id: UUID
    let sequence: Int64
    /// The paths of its files, below `originals/`.
    fileprivate let paths: [String]
    fileprivate let isDeleted: Bool
    fileprivate let isHidden: Bool
    fileprivate let isAdjustable: Bool
    fileprivate let burst: String?
    fileprivate let session: String?

    init(_ db: Database, _ id: UUID) throws {
        let statement = try db.cachedStatement(
            sql: """
                SELECT sequence, path, deleted_at IS NOT NULL,
                    media_type = 'photo',
                    (SELECT file_extension FROM alternate_photo WHERE asset = sequence),
                    burst_id, session_id, hidden
                FROM asset WHERE id = ?
                """)
        guard let row = try Row.fetchOne(statement, arguments: [id.text]) else {
            throw LibraryError(.notFound, "asset \(id.text) does not exist")
        }
        self.id = id
        sequence = row[0]
        let path: String = row[1]
        let alternate: String? = row[4]
        paths = [path] + [alternate.map { LibraryLayout.path(path, beside: $0) }].compactMap(\.self)
        isDeleted = row[2]
        isAdjustable = row[3]
        burst = row[5]
        session = row[6]
        isHidden = row[7]
    }
}

extension AssetChange {
    private static let longestCaption = 10_000
    private static let longestKeyword = 100

    /// Returns a text cut to the length of a caption; `nil` for white space alone.
    public static func caption(from text: String) -> String? {
        cut(
            String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value != 0 })),
            to: longestCaption)
    }

    /// Returns a text on one line, cut to the length of a keyword; `nil` for white space alone.
    public static func keyword(from text: String) -> String? {
        let line = String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { String($0).isPlainLine ? $0 : " " }))
        return cut(line, to: longestKeyword)
    }

    /// Cuts a text after at most `count` whole characters, of four bytes on average.
    private static func cut(_ text: String, to count: Int) -> String? {
        var kept = text.trimmed.prefix(count)
        while kept.utf8.count > 4 * count { kept = kept.dropLast() }
        let words = String(kept).trimmed
        return words.isEmpty ? nil : words
    }

    /// Returns statements that update only rows that change. Their last parameter is the sequence.
    func statements(now: Int64) throws(LibraryError) -> [Condition] {
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
                        """, [TextSearch.folded(keyword).databaseValue, keyword.databaseValue]))
            }
            return statements
        case .removeKeywords(let keywords):
            return keywords.map {
                Condition(
                    "DELETE FROM asset_keyword WHERE folded = ? AND asset = ?",
                    [TextSearch.folded($0.trimmed).databaseValue])
            }
        case .setAdjustment(let adjustment):
            try adjustment?.check()
            return [Self.set("adjustment", (adjustment?.stored).databaseValue)]
        case .delete:
            return [
                Condition(
                    "UPDATE asset SET deleted_at = ? WHERE deleted_at IS NULL AND sequence = ?",
                    [now.databaseValue])
            ]
        case .restore:
            return [Self.set("purge_at", .null), Self.set("deleted_at", .null)]
        case .purge, .purgeEverywhere, .representBurst: return []
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
                "caption of \(caption.count) characters, allowed: at most \(longestCaption), "
                    + "without NUL")
        }
        return caption
    }

    private static func checked(keyword: String) throws(LibraryError) -> String {
        let trimmed = keyword.trimmed
        guard (1...longestKeyword).contains(trimmed.count),
            trimmed.utf8.count <= 4 * longestKeyword, trimmed.isPlainLine
        else {
            throw LibraryError(
                .invalidValue,
                "keyword of \(keyword.count) characters, allowed: 1 to \(longestKeyword) on one "
                    + "line, without control characters")
        }
        return trimmed
    }
}

extension String {
    var trimmed: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }),
            let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }

    /// Whether the text is one line without control characters, so it cannot affect a terminal.
    var isPlainLine: Bool {
        !contains(where: \.isNewline)
            && !unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
