// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB
internal import Store

/// The library's tables. Migrations are additive: they add columns with defaults, tables and triggers,
/// so that the previous program can still open the file. Released ones never change.
enum LibrarySchema {
    /// "VTRN"
    static let current = DurableDatabase.Schema(
        applicationID: 0x5654_524E, version: 1, migrator: migrator,
        functions: [TextSearch.contains])

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in try db.execute(sql: v1) }
        migrator.registerMigration("v2") { db in try db.execute(sql: v2) }
        migrator.registerMigration("v3") { db in
            try db.execute(sql: v3)
            for (view, members) in countedViews { try db.execute(sql: counting(view, members)) }
            for key in DayBounds.keys { try db.execute(sql: DayBounds.keeping(key)) }
            for (index, rows) in indexStatistics {
                try db.execute(
                    sql: "INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('asset', ?, ?)",
                    arguments: [index, rows])
            }
            // Reads them.
            try db.execute(sql: "ANALYZE sqlite_schema")
        }
        return migrator
    }

    private static let v1 = """
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

    private static let v2 = """
        -- What was added to created_at since the original was written, whose own date stays as it was.
        ALTER TABLE asset ADD COLUMN time_correction_ns INTEGER NOT NULL DEFAULT 0;
        -- What can be corrected when the clock turns out to be right.
        CREATE INDEX asset_uncertain ON asset (boot_id)
            WHERE time_confidence IN ('unknown', 'estimated');
        """

    private static let v3 = """
        ALTER TABLE asset ADD COLUMN subtypes INTEGER NOT NULL DEFAULT 0;
        -- Seconds, as a fraction.
        ALTER TABLE asset ADD COLUMN duration_value INTEGER;
        ALTER TABLE asset ADD COLUMN duration_timescale INTEGER;
        -- NULL: at created_at.
        ALTER TABLE asset ADD COLUMN added_at INTEGER;
        ALTER TABLE asset ADD COLUMN modified_at INTEGER;
        -- Degrees north and east of WGS 84, metres above the ellipsoid.
        ALTER TABLE asset ADD COLUMN latitude REAL;
        ALTER TABLE asset ADD COLUMN longitude REAL;
        ALTER TABLE asset ADD COLUMN altitude REAL;
        ALTER TABLE asset ADD COLUMN favorite INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE asset ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE asset ADD COLUMN deleted_at INTEGER;
        ALTER TABLE asset ADD COLUMN burst_id TEXT;
        ALTER TABLE asset ADD COLUMN represents_burst INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE asset ADD COLUMN caption TEXT;
        -- What a person sees unless more is asked for.
        ALTER TABLE asset ADD COLUMN in_view INTEGER GENERATED ALWAYS AS (
            hidden = 0 AND deleted_at IS NULL AND (burst_id IS NULL OR represents_burst = 1)
        ) VIRTUAL;

        -- Folded is the keyword in lower case of any alphabet, as Swift has it.
        CREATE TABLE asset_keyword (
            folded TEXT NOT NULL,
            asset INTEGER NOT NULL REFERENCES asset (sequence) ON DELETE CASCADE,
            keyword TEXT NOT NULL,
            PRIMARY KEY (folded, asset)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX asset_keyword_asset ON asset_keyword (asset);

        -- With what in_view is made of, and of which day a time is: counting, moments and looking for times
        -- read no row.
        CREATE INDEX asset_view ON asset (
            in_view, sequence, hidden, deleted_at, burst_id, represents_burst, created_at, added_at);
        CREATE INDEX asset_view_time ON asset (
            in_view, created_at, sequence, utc_offset_s, hidden, deleted_at, burst_id,
            represents_burst);
        CREATE INDEX asset_time ON asset (created_at);
        CREATE INDEX asset_content ON asset (sha256);
        CREATE INDEX asset_session ON asset (session_id) WHERE session_id IS NOT NULL;
        CREATE INDEX asset_burst ON asset (burst_id) WHERE burst_id IS NOT NULL;
        CREATE INDEX asset_favorite ON asset (favorite) WHERE favorite = 1;
        CREATE INDEX asset_hidden ON asset (hidden) WHERE hidden = 1;
        CREATE INDEX asset_deleted ON asset (deleted_at) WHERE deleted_at IS NOT NULL;
        CREATE INDEX asset_video ON asset (media_type) WHERE media_type = 'video';
        CREATE INDEX asset_captioned ON asset (caption) WHERE caption IS NOT NULL;

        -- Albums, and the folders they are in. Position: the order among those in the same folder.
        CREATE TABLE collection (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            type TEXT NOT NULL CHECK (type IN ('album', 'folder')),
            folder INTEGER REFERENCES collection (number) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            title TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            modified_at INTEGER NOT NULL,
            -- Of assets, also of those out of view.
            count INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX collection_folder ON collection (folder, position);
        CREATE TABLE album_asset (
            album INTEGER NOT NULL REFERENCES collection (number) ON DELETE CASCADE,
            asset INTEGER NOT NULL REFERENCES asset (sequence) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            PRIMARY KEY (album, asset)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX album_asset_order ON album_asset (album, position, asset);
        CREATE INDEX album_asset_asset ON album_asset (asset);
        CREATE TRIGGER album_asset_counted AFTER INSERT ON album_asset BEGIN
            UPDATE collection SET count = count + 1 WHERE number = new.album;
        END;
        CREATE TRIGGER album_asset_uncounted AFTER DELETE ON album_asset BEGIN
            UPDATE collection SET count = count - 1 WHERE number = old.album;
        END;
        -- The id of an album or folder that changed; asset is 0 then.
        ALTER TABLE change ADD COLUMN collection TEXT;

        -- Sessions, in the order of their first assets; count is of assets in view.
        CREATE TABLE session (
            id TEXT PRIMARY KEY,
            first_sequence INTEGER NOT NULL,
            count INTEGER NOT NULL DEFAULT 0
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX session_order ON session (first_sequence);
        INSERT INTO session SELECT session_id, min(sequence), sum(in_view)
            FROM asset WHERE session_id IS NOT NULL GROUP BY session_id;
        CREATE TRIGGER session_counted AFTER INSERT ON asset WHEN new.session_id IS NOT NULL BEGIN
            INSERT INTO session VALUES (new.session_id, new.sequence, new.in_view)
            ON CONFLICT (id) DO UPDATE SET count = count + new.in_view;
        END;
        CREATE TRIGGER session_uncounted AFTER DELETE ON asset
            WHEN old.session_id IS NOT NULL AND old.in_view BEGIN
            UPDATE session SET count = count - 1 WHERE id = old.session_id;
        END;
        CREATE TRIGGER session_recounted AFTER UPDATE ON asset
            WHEN new.session_id IS NOT NULL AND old.in_view <> new.in_view BEGIN
            UPDATE session SET count = count + new.in_view - old.in_view WHERE id = new.session_id;
        END;

        -- Between which sequences the assets of a day (of UTC, since 1970) lie, at the most, and how many they
        -- are: a fetch of some days looks nowhere else. See DayBounds.
        CREATE TABLE asset_day (
            property TEXT NOT NULL,
            day INTEGER NOT NULL,
            first_sequence INTEGER NOT NULL,
            last_sequence INTEGER NOT NULL,
            count INTEGER NOT NULL,
            PRIMARY KEY (property, day)
        ) STRICT, WITHOUT ROWID;

        -- The history goes back 100,000 changes; what is older goes in pieces, also of a long one.
        CREATE TRIGGER change_forgotten AFTER INSERT ON change WHEN new.token % 1000 = 0 BEGIN
            DELETE FROM change WHERE token IN (
                SELECT token FROM change WHERE token <= new.token - 100000 ORDER BY token LIMIT 2000);
        END;

        -- Originals whose rows are gone for good, until they are removed.
        CREATE TABLE purged_file (
            path TEXT PRIMARY KEY,
            id TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- Not in the table counter, all rows of which older programs add up.
        CREATE TABLE view_counter (
            name TEXT PRIMARY KEY,
            count INTEGER NOT NULL,
            bytes INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- How selective an index is, which the planner cannot know of an empty table: without these it
        -- would go through all that is in view to find a session's. See indexStatistics.
        ANALYZE sqlite_schema;
        """

    /// Rows that a library of a million assets has in an index, then for one value of its columns.
    private static let indexStatistics = [
        ("asset_view", "1000000 900000 1 1 1 1 1 1 1"),
        ("asset_view_time", "1000000 900000 2 1 1 1 1 1 1"), ("asset_time", "1000000 2"),
        ("asset_content", "1000000 1"), ("asset_session", "1000000 20"),
        ("asset_burst", "50000 10"), ("asset_favorite", "20000 20000"),
        ("asset_hidden", "20000 20000"), ("asset_deleted", "20000 2"),
        ("asset_video", "50000 50000"), ("asset_captioned", "20000 1"),
    ]

    /// Sets of assets whose sizes are kept, each with the condition of its members in `$.column` words.
    static let countedViews = [
        (view: "view", members: "$.in_view"),
        (view: "favorites", members: "$.favorite AND $.in_view"),
        (view: "photos", members: "$.media_type = 'photo' AND $.in_view"),
        (view: "videos", members: "$.media_type = 'video' AND $.in_view"),
        (view: "timelapses", members: "$.subtypes & 2 AND $.in_view"),
        (view: "bursts", members: "$.represents_burst AND $.in_view"),
        (view: "hidden", members: "$.hidden AND $.deleted_at IS NULL"),
        (view: "deleted", members: "$.deleted_at IS NOT NULL"),
    ]

    private static func counting(_ name: String, _ members: String) -> String {
        let new = "(\(members.replacing("$", with: "new")))"
        let old = "(\(members.replacing("$", with: "old")))"
        return """
            INSERT INTO view_counter SELECT '\(name)', count(*), coalesce(sum(bytes), 0)
                FROM asset WHERE \(members.replacing("$.", with: ""));
            CREATE TRIGGER \(name)_counted AFTER INSERT ON asset WHEN \(new) BEGIN
                UPDATE view_counter SET count = count + 1, bytes = bytes + new.bytes
                WHERE name = '\(name)';
            END;
            CREATE TRIGGER \(name)_uncounted AFTER DELETE ON asset WHEN \(old) BEGIN
                UPDATE view_counter SET count = count - 1, bytes = bytes - old.bytes
                WHERE name = '\(name)';
            END;
            CREATE TRIGGER \(name)_recounted AFTER UPDATE ON asset
                WHEN \(old) IS NOT \(new) OR (\(new) AND old.bytes <> new.bytes) BEGIN
                UPDATE view_counter SET count = count - \(old) + \(new),
                    bytes = bytes - \(old) * old.bytes + \(new) * new.bytes
                WHERE name = '\(name)';
            END;
            """
    }
}
