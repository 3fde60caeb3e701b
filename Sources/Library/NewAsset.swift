// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import GRDB
internal import Media

/// The properties of an asset that has no sequence yet.
struct NewAsset {
    let id: UUID
    var mediaType = Asset.MediaType.photo
    let path: String
    let fileExtension: String
    let bytes: Int64
    let sha256: [UInt8]
    var createdAt: WallTime
    var timeConfidence: Asset.TimeConfidence
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
    var duration: MediaTime?
    var mediaSubtypes: MediaSubtypes = []
    var location: Location?
    var burstID: String?
    var representsBurst = false
    var recovered = false

    /// Inserts the asset, its change and its outbox row in the caller's transaction.
    func insert(_ db: Database, origin: ChangeOrigin, now: Int64) throws -> Asset {
        let last = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT seq FROM sqlite_sequence WHERE name = 'asset'"))
        let sequence = (last ?? 0) + 1
        let fileName = LibraryLayout.exportName(
            createdAt, sequence: sequence, fileExtension: fileExtension)
        try db.cachedStatement(
            sql: """
                INSERT INTO asset (
                    sequence, id, media_type, path, file_name, bytes, sha256, created_at,
                    utc_offset_s, time_confidence, boot_id, boottime, width, height, orientation,
                    frame_sequence, shutter_offset_us, shutter_reference, device_name, session_id,
                    recovered, added_at, duration_value, duration_timescale, subtypes, latitude,
                    longitude, altitude, burst_id, represents_burst)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
                    ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            sequence, id.text, mediaType.rawValue, path, fileName, bytes,
            Data(sha256), createdAt.nanoseconds, createdAt.utcOffsetSeconds,
            timeConfidence.rawValue, bootID, boottime, width, height, orientation,
            frameSequence, shutterOffsetMicroseconds, shutterReference?.rawValue, deviceName,
            sessionID, recovered, now, duration?.value, duration?.timescale,
            mediaSubtypes.rawValue, location?.latitude, location?.longitude, location?.altitude,
            burstID, representsBurst,
        ])
        try db.cachedStatement(
            sql: "INSERT INTO change (kind, asset, origin) VALUES ('inserted', ?, ?)"
        ).execute(arguments: [sequence, origin.rawValue])
        // The same file was purged before: it must not be removed any more.
        try db.cachedStatement(sql: "DELETE FROM purged_file WHERE path = ?")
            .execute(arguments: [path])
        try db.cachedStatement(sql: "INSERT INTO outbox (asset, queued_at) VALUES (?, ?)")
            .execute(arguments: [sequence, now])
        return try AssetRow.fetch(db, "WHERE sequence = ?", [sequence])[0].asset
    }
}
