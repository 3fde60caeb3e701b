// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import GRDB
internal import Hashing
internal import LinuxIO
internal import Media

struct AssetRow: Sendable {
    let asset: Asset
    /// The path of the original, below `originals/`.
    let path: String

    static let columns = """
        path, id, media_type, sequence, created_at, utc_offset_s, time_confidence, width, height, \
        orientation, bytes, sha256, file_name, frame_sequence, shutter_offset_us, \
        shutter_reference, device_name, session_id, time_correction_ns, recovered, subtypes, \
        duration_value, duration_timescale, added_at, modified_at, latitude, longitude, altitude, \
        favorite, hidden, deleted_at, purge_at, burst_id, represents_burst, caption, \
        adjustment, (SELECT group_concat(keyword, char(10)) FROM asset_keyword
            WHERE asset = sequence), \
        \(AlternatePhoto.column), \
        EXISTS (SELECT 1 FROM evicted_original WHERE evicted_original.asset = sequence)
        """

    init(_ row: Row) throws {
        var columns = Columns(row)
        path = columns.next()
        let idText: String = columns.next()
        let typeText: String = columns.next()
        let sequence: Int64 = columns.next()
        guard let id = UUID(uuidString: idText), let type = Asset.MediaType(rawValue: typeText)
        else {
            throw LibraryError(.damaged, "asset \(sequence): its row holds no valid id or type")
        }
        let createdAt = WallTime(
            nanoseconds: columns.next(), utcOffsetSeconds: columns.next())
        let confidence: Asset.TimeConfidence? = columns.value()
        let width: Int = columns.next()
        let height: Int = columns.next()
        let orientation: Int = columns.next()
        let bytes: Int64 = columns.next()
        let hash: Data = columns.next()
        asset = Asset(
            id: id, mediaType: type, sequence: sequence, createdAt: createdAt,
            timeConfidence: confidence ?? .unknown, width: width, height: height,
            orientation: orientation, bytes: bytes, sha256: hexadecimal(hash),
            fileName: columns.next(), frameSequence: columns.next(),
            shutterOffsetMicroseconds: columns.next(), shutterReference: columns.value(),
            deviceName: columns.next(), sessionID: columns.next(),
            timeCorrection: columns.next(), recovered: columns.next(),
            mediaSubtypes: MediaSubtypes(rawValue: columns.next()),
            duration: columns.duration(), addedAt: columns.time() ?? createdAt,
            modifiedAt: columns.time() ?? createdAt, location: columns.location(),
            isFavorite: columns.next(), isHidden: columns.next(), deletedAt: columns.time(),
            purgesAt: columns.time(), burstID: columns.next(), representsBurst: columns.next(),
            caption: columns.next(), adjustment: columns.adjustment(),
            keywords: columns.keywords(),
            alternatePhoto: AlternatePhoto(column: columns.next()),
            isRemoteOnly: columns.next())
    }

    /// A cursor that reads a row's columns from the first to the last.
    private struct Columns {
        private let row: Row
        private var index = 0

        init(_ row: Row) { self.row = row }

        mutating func next<Value: DatabaseValueConvertible & StatementColumnConvertible>()
            -> Value
        {
            defer { index += 1 }
            return row[index]
        }

        /// Returns the next column's value; `nil` also if only a newer program knows it.
        mutating func value<Value: RawRepresentable<String>>() -> Value? {
            (next() as String?).flatMap(Value.init)
        }

        mutating func time() -> WallTime? {
            (next() as Int64?).map(WallTime.init(here:))
        }

        mutating func duration() -> MediaTime? {
            let value: Int64? = next()
            let timescale: Int32? = next()
            guard let value, let timescale else { return nil }
            return MediaTime(value: value, timescale: timescale)
        }

        mutating func location() -> AssetLocation? {
            let latitude: Double? = next()
            let longitude: Double? = next()
            let altitude: Double? = next()
            guard let latitude, let longitude else { return nil }
            return AssetLocation(
                latitude: latitude, longitude: longitude, altitude: altitude)
        }

        /// Returns the next column's edit; `nil` also if only a newer program knows its form.
        mutating func adjustment() -> AssetAdjustment? {
            (next() as String?).flatMap {
                try? JSONDecoder().decode(AssetAdjustment.self, from: Data($0.utf8))
            }
        }

        mutating func keywords() -> [String] {
            let list: String? = next()
            return list?.split(separator: "\n").map(String.init).sorted(by: isBefore) ?? []
        }
    }

    static func fetch(
        _ db: Database, _ clause: String, _ arguments: StatementArguments = []
    ) throws -> [AssetRow] {
        // The statement is not cached, because filters have too many forms.
        let statement = try db.makeStatement(
            sql: "SELECT \(columns) FROM asset \(clause)")
        let rows = try Row.fetchCursor(statement, arguments: arguments)
        var result: [AssetRow] = []
        while let row = try rows.next() { result.append(try AssetRow(row)) }
        return result
    }

    static func fetch(_ db: Database, of asset: UUID) throws -> AssetRow? {
        try fetch(db, "WHERE id = ?", [asset.text]).first
    }

    static func isThere(_ db: Database, _ asset: UUID) throws -> Bool {
        let statement = try db.cachedStatement(sql: "SELECT 1 FROM asset WHERE id = ?")
        return try Int.fetchOne(statement, arguments: [asset.text]) != nil
    }
}

/// Whether `one` sorts before `other` by code points, which is SQLite's order.
func isBefore(_ one: String, _ other: String) -> Bool {
    one.utf8.lexicographicallyPrecedes(other.utf8)
}
