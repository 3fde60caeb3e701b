// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import GRDB

/// A row of the table `asset`.
struct AssetRow: Sendable {
    let asset: Asset
    /// The original, below `originals/`.
    let path: String

    static let columns = """
        sequence, id, media_type, path, file_name, bytes, sha256, created_at, utc_offset_s, \
        time_confidence, width, height, orientation, frame_sequence, shutter_offset_us, \
        shutter_reference, device_name, session_id, recovered, time_correction_ns
        """

    init(_ row: Row) throws {
        let sequence: Int64 = row[0]
        let idText: String = row[1]
        let mediaType: String = row[2]
        let confidence: String = row[9]
        let reference: String? = row[15]
        let hash: Data = row[6]
        guard let id = UUID(uuidString: idText),
            let mediaType = Asset.MediaType(rawValue: mediaType)
        else {
            throw LibraryError(.damaged, "asset \(sequence): its row holds no valid id or type")
        }
        path = row[3]
        asset = Asset(
            id: id, mediaType: mediaType, sequence: sequence,
            createdAt: WallTime(nanoseconds: row[7], utcOffsetSeconds: row[8]),
            timeConfidence: Asset.TimeConfidence(rawValue: confidence) ?? .unknown,
            width: row[10], height: row[11], orientation: row[12], bytes: row[5],
            sha256: hexadecimal(hash), fileName: row[4], frameSequence: row[13],
            shutterOffsetMicroseconds: row[14],
            shutterReference: reference.flatMap(Asset.ShutterReference.init(rawValue:)),
            deviceName: row[16], sessionID: row[17], timeCorrection: row[19], recovered: row[18])
    }

    static func fetch(
        _ db: Database, _ clause: String, _ arguments: StatementArguments = []
    ) throws -> [AssetRow] {
        let statement = try db.cachedStatement(
            sql: "SELECT \(columns) FROM asset \(clause)")
        let rows = try Row.fetchCursor(statement, arguments: arguments)
        var result: [AssetRow] = []
        while let row = try rows.next() { result.append(try AssetRow(row)) }
        return result
    }
}

/// What is known of an asset before it has a place in the order.
struct NewAsset {
    let id: UUID
    let path: String
    let fileExtension: String
    let bytes: Int64
    let sha256: [UInt8]
    let createdAt: WallTime
    let timeConfidence: Asset.TimeConfidence
    var bootID: String?
    var boottime: Int64?
    var width = 0
    var height = 0
    var orientation = 1
    var frameSequence: Int64?
    var shutterOffsetMicroseconds: Int64?
    var shutterReference: Asset.ShutterReference?
    var deviceName: String?
    var sessionID: String?
    var recovered = false

    /// Adds the asset, its change and its place in the outbox; the caller's transaction holds all.
    func insert(_ db: Database, origin: String, now: Int64) throws -> Asset {
        let last = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT seq FROM sqlite_sequence WHERE name = 'asset'"))
        let sequence = (last ?? 0) + 1
        let asset = Asset(
            id: id, mediaType: .photo, sequence: sequence, createdAt: createdAt,
            timeConfidence: timeConfidence, width: width, height: height,
            orientation: orientation, bytes: bytes, sha256: hexadecimal(sha256),
            fileName: LibraryLayout.exportName(
                createdAt, sequence: sequence, fileExtension: fileExtension),
            frameSequence: frameSequence, shutterOffsetMicroseconds: shutterOffsetMicroseconds,
            shutterReference: shutterReference, deviceName: deviceName, sessionID: sessionID,
            timeCorrection: 0, recovered: recovered)
        try db.cachedStatement(
            sql: """
                INSERT INTO asset (\(AssetRow.columns), boot_id, boottime)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            sequence, id.text, asset.mediaType.rawValue, path, asset.fileName, bytes,
            Data(sha256), createdAt.nanoseconds, createdAt.utcOffsetSeconds,
            timeConfidence.rawValue, width, height, orientation, frameSequence,
            shutterOffsetMicroseconds, shutterReference?.rawValue, deviceName, sessionID,
            recovered, 0, bootID, boottime,
        ])
        try db.cachedStatement(
            sql: "INSERT INTO change (kind, asset, origin) VALUES ('inserted', ?, ?)"
        ).execute(arguments: [sequence, origin])
        try db.cachedStatement(sql: "INSERT INTO outbox (asset, queued_at) VALUES (?, ?)")
            .execute(arguments: [sequence, now])
        return asset
    }
}

func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in bytes {
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
}
