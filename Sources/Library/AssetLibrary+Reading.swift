// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import GRDB
internal import LinuxIO
internal import Store

/// The contents of a library in numbers.
public struct LibraryStatistics: Sendable, Equatable, Codable {
    /// Photos, videos and sounds.
    public let assets: Int
    /// Stills.
    public let photos: Int
    /// Clips.
    public let videos: Int
    /// The size of all originals and the RAWs beside them.
    public let bytes: Int64
    /// Free space for an ordinary user on the library's file system, including the reserve.
    public let freeBytes: Int64
}

extension AssetLibrary {
    /// Returns the asset with this sequence number, this id, or an id that begins so (at least 4
    /// characters). A sequence number takes precedence over an id that begins with the same digits.
    /// - Throws: `notFound`; `ambiguous` if several ids begin so.
    public nonisolated func asset(id text: String) async throws(LibraryError) -> Asset {
        try await row(id: text).asset
    }

    nonisolated func row(id text: String) async throws(LibraryError) -> AssetRow {
        let wanted = text.lowercased()
        let found = try await reading { db in
            if let sequence = Int64(wanted),
                let row = try AssetRow.fetch(db, "WHERE sequence = ?", [sequence]).first
            {
                return [row]
            }
            guard wanted.utf8.count >= 4 else { return [] }
            // Ids consist of 0-9, a-f and "-", which all sort before "g".
            return try AssetRow.fetch(
                db, "WHERE id >= ? AND id < ? ORDER BY id LIMIT 2", [wanted, wanted + "g"]
            ).filter { $0.asset.id.text.hasPrefix(wanted) }
        }
        guard let row = found.first else {
            throw LibraryError(
                .notFound,
                "asset \(text): no such sequence number, id or beginning of an id (at least 4 "
                    + "characters)")
        }
        guard found.count == 1 else {
            throw LibraryError(
                .ambiguous,
                "asset \(text): several ids begin like this, such as \(row.asset.id.text) and "
                    + "\(found[1].asset.id.text): give more characters")
        }
        return row
    }

    /// Returns the library's totals. Triggers keep them, so nothing is counted.
    public nonisolated func statistics() async throws(LibraryError) -> LibraryStatistics {
        let (counters, alternateBytes) = try await reading { db in
            (
                try Row.fetchAll(db, sql: "SELECT name, count, bytes FROM counter")
                    .map { (name: $0[0] as String, count: $0[1] as Int, bytes: $0[2] as Int64) },
                try Int64.fetchOne(
                    db, sql: "SELECT bytes FROM view_counter WHERE name = 'alternatePhotos'") ?? 0
            )
        }
        func count(_ name: String) -> Int { counters.first { $0.name == name }?.count ?? 0 }
        let free: Int64
        do {
            free = try freeBytes(layout.originals)
        } catch {
            throw LibraryError("library \(path)", error)
        }
        return LibraryStatistics(
            assets: counters.reduce(0) { $0 + $1.count }, photos: count("photo"),
            videos: count("video"), bytes: counters.reduce(alternateBytes) { $0 + $1.bytes },
            freeBytes: free)
    }

    /// Returns the stored thumbnail's JPEG bytes; `nil` if it must be made again.
    public nonisolated func thumbnail(of asset: Asset) async -> [UInt8]? {
        DerivedFile.read(layout.thumbnail(asset.id))
    }

    nonisolated func reading<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(LibraryError) -> Value {
        do {
            return try await database.read(body)
        } catch {
            throw LibraryError(error)
        }
    }
}
