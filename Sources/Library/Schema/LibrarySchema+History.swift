// SPDX-License-Identifier: GPL-3.0-or-later

extension LibrarySchema {
    /// The tables of changes, and of files on their way in or out.
    static let history = """
        -- The changes of assets, albums and folders, in the order of token, which never decreases.
        CREATE TABLE change (
            token INTEGER PRIMARY KEY AUTOINCREMENT,
            kind TEXT NOT NULL,
            asset INTEGER NOT NULL,
            origin TEXT NOT NULL,
            -- The id of a changed album or folder; asset is 0 then.
            collection TEXT
        ) STRICT;
        -- The history keeps 100,000 changes; older ones are deleted in pieces.
        CREATE TRIGGER change_forgotten AFTER INSERT ON change WHEN new.token % 1000 = 0 BEGIN
            DELETE FROM change WHERE token IN (
                SELECT token FROM change WHERE token <= new.token - 100000 ORDER BY token
                    LIMIT 2000);
        END;

        -- Assets that no remote has yet.
        CREATE TABLE outbox (
            asset INTEGER PRIMARY KEY REFERENCES asset (sequence) ON DELETE CASCADE,
            queued_at INTEGER NOT NULL
        ) STRICT;

        -- Day folders that may hold a file without a row, and the first sequence whose row may be
        -- missing: recovery searches these folders alone.
        CREATE TABLE ingest_day (
            path TEXT PRIMARY KEY,
            first_sequence INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- Originals whose rows are purged, until the files are removed.
        CREATE TABLE purged_file (
            path TEXT PRIMARY KEY,
            id TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- Movies that are being recorded, until they are assets: what their files in incoming/ do
        -- not say.
        CREATE TABLE recording (
            id TEXT PRIMARY KEY,
            created_at INTEGER NOT NULL,
            utc_offset_s INTEGER NOT NULL,
            time_confidence TEXT NOT NULL,
            boot_id TEXT,
            boottime INTEGER,
            device_name TEXT,
            session_id TEXT,
            latitude REAL,
            longitude REAL,
            altitude REAL
        ) STRICT;
        -- The subtypes of such a movie, if it has any.
        CREATE TABLE recording_subtypes (
            id TEXT PRIMARY KEY REFERENCES recording (id) ON DELETE CASCADE,
            subtypes INTEGER NOT NULL
        ) STRICT;
        """
}
