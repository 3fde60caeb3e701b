// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import GRDB
internal import Media

/// Access to the rows of `recording`: movies that are not assets yet.
enum RecordingRow {
    static func insert(_ new: NewRecording, _ db: Database) throws {
        try db.execute(
            sql: "INSERT INTO recording VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            arguments: [
                new.id.text, new.createdAt.nanoseconds, new.createdAt.utcOffsetSeconds,
                new.timeConfidence.rawValue, new.bootID, new.boottime, new.deviceName,
                new.sessionID, new.location?.latitude, new.location?.longitude,
                new.location?.altitude,
            ])
        if new.mediaSubtypes.isEmpty { return }
        try db.execute(
            sql: "INSERT INTO recording_subtypes VALUES (?, ?)",
            arguments: [new.id.text, new.mediaSubtypes.rawValue])
    }

    static func delete(_ id: UUID, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM recording WHERE id = ?", arguments: [id.text])
    }

    static func all(_ db: Database) throws -> [UUID] {
        try String.fetchAll(db, sql: "SELECT id FROM recording").compactMap {
            UUID(uuidString: $0)
        }
    }

    static func fetch(_ id: UUID, _ db: Database) throws -> NewRecording? {
        guard
            let row = try Row.fetchOne(
                db, sql: "SELECT * FROM recording WHERE id = ?", arguments: [id.text])
        else { return nil }
        var found = NewRecording(
            id: id,
            createdAt: WallTime(
                nanoseconds: row["created_at"], utcOffsetSeconds: row["utc_offset_s"]),
            timeConfidence: Asset.TimeConfidence(rawValue: row["time_confidence"]) ?? .unknown)
        found.bootID = row["boot_id"]
        found.boottime = row["boottime"]
        found.deviceName = row["device_name"]
        found.sessionID = row["session_id"]
        if let latitude: Double = row["latitude"], let longitude: Double = row["longitude"] {
            found.location = Location(
                latitude: latitude, longitude: longitude, altitude: row["altitude"])
        }
        let subtypes = try Int64.fetchOne(
            db, sql: "SELECT subtypes FROM recording_subtypes WHERE id = ?", arguments: [id.text])
        found.mediaSubtypes = MediaSubtypes(rawValue: subtypes ?? 0)
        return found
    }
}
