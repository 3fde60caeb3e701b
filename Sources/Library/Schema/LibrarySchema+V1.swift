// SPDX-License-Identifier: GPL-3.0-or-later

extension LibrarySchema {
    static let v1 = """
        -- Originals, in the order of sequence. Times are nanoseconds since 1970.
        CREATE TABLE asset (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            media_type TEXT NOT NULL CHECK (media_type IN ('photo', 'video', 'audio')),
            path TEXT NOT NULL,
            file_name TEXT NOT NULL,
            bytes INTEGER NOT NULL,
            sha256 BLOB NOT NULL CHECK (length(sha256) = 32),
            created_at INTEGER NOT NULL,
            utc_offset_s INTEGER NOT NULL,
            time_confidence TEXT NOT NULL,
            boot_id TEXT,
            boottime INTEGER,
            width INTEGER NOT NULL,
            height INTEGER NOT NULL,
            orientation INTEGER NOT NULL,
            frame_sequence INTEGER,
            shutter_offset_us INTEGER,
            shutter_reference TEXT,
            device_name TEXT,
            session_id TEXT,
            recovered INTEGER NOT NULL DEFAULT 0
        ) STRICT;

        -- What happened to assets, in the order of token, which never goes back.
        CREATE TABLE change (
            token INTEGER PRIMARY KEY AUTOINCREMENT,
            kind TEXT NOT NULL,
            asset INTEGER NOT NULL,
            origin TEXT NOT NULL
        ) STRICT;

        -- Assets that no remote has yet.
        CREATE TABLE outbox (
            asset INTEGER PRIMARY KEY REFERENCES asset (sequence) ON DELETE CASCADE,
            queued_at INTEGER NOT NULL
        ) STRICT;

        -- Day folders in which a file may be that has no row, and the sequence from which on rows
        -- were added since: what is left after a crash is looked for there and nowhere else.
        CREATE TABLE ingest_day (
            path TEXT PRIMARY KEY,
            first_sequence INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE counter (
            name TEXT PRIMARY KEY,
            count INTEGER NOT NULL,
            bytes INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        INSERT INTO counter VALUES ('photo', 0, 0), ('video', 0, 0), ('audio', 0, 0);

        CREATE TRIGGER asset_counted AFTER INSERT ON asset BEGIN
            UPDATE counter SET count = count + 1, bytes = bytes + new.bytes
            WHERE name = new.media_type;
        END;
        CREATE TRIGGER asset_uncounted AFTER DELETE ON asset BEGIN
            UPDATE counter SET count = count - 1, bytes = bytes - old.bytes
            WHERE name = old.media_type;
        END;
        CREATE TRIGGER asset_recounted AFTER UPDATE OF media_type, bytes ON asset BEGIN
            UPDATE counter SET count = count - 1, bytes = bytes - old.bytes
            WHERE name = old.media_type;
            UPDATE counter SET count = count + 1, bytes = bytes + new.bytes
            WHERE name = new.media_type;
        END;
        """

    static let v2 = """
        -- What was added to created_at since the original was written, whose own date stays as it was.
        ALTER TABLE asset ADD COLUMN time_correction_ns INTEGER NOT NULL DEFAULT 0;
        -- What can be corrected when the clock turns out to be right.
        CREATE INDEX asset_uncertain ON asset (boot_id)
            WHERE time_confidence IN ('unknown', 'estimated');
        """
}
