// SPDX-License-Identifier: GPL-3.0-or-later

extension LibrarySchema {
    static let assets = """
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
            recovered INTEGER NOT NULL DEFAULT 0,
            -- Added to created_at after the original was written, whose own date stays.
            time_correction_ns INTEGER NOT NULL DEFAULT 0,
            subtypes INTEGER NOT NULL DEFAULT 0,
            -- Seconds, as a fraction.
            duration_value INTEGER,
            duration_timescale INTEGER,
            -- NULL: at created_at.
            added_at INTEGER,
            modified_at INTEGER,
            -- Degrees north and east of WGS 84, metres above the ellipsoid.
            latitude REAL,
            longitude REAL,
            altitude REAL,
            favorite INTEGER NOT NULL DEFAULT 0,
            hidden INTEGER NOT NULL DEFAULT 0,
            deleted_at INTEGER,
            burst_id TEXT,
            represents_burst INTEGER NOT NULL DEFAULT 0,
            caption TEXT,
            -- Whether a person sees the asset unless options include more.
            in_view INTEGER GENERATED ALWAYS AS (
                hidden = 0 AND deleted_at IS NULL AND (burst_id IS NULL OR represents_burst = 1)
            ) VIRTUAL,
            -- When a deleted asset is purged; NULL until a right clock has begun to count.
            purge_at INTEGER,
            -- How the picture is shown, as JSON; NULL: as it is.
            adjustment TEXT
        ) STRICT;

        -- Assets whose time can be corrected once the clock is right.
        CREATE INDEX asset_uncertain ON asset (boot_id)
            WHERE time_confidence IN ('unknown', 'estimated');
        -- These cover the columns that in_view is made of and the day of a time, so that counting,
        -- moments and searches for times read no row.
        CREATE INDEX asset_view ON asset (
            in_view, sequence, hidden, deleted_at, burst_id, represents_burst, created_at,
                added_at);
        CREATE INDEX asset_view_time ON asset (
            in_view, created_at, sequence, utc_offset_s, hidden, deleted_at, burst_id,
            represents_burst);
        -- For sorting by size; see AssetKey.hasIndex.
        CREATE INDEX asset_view_bytes ON asset (
            in_view, bytes, sequence, hidden, deleted_at, burst_id, represents_burst);
        CREATE INDEX asset_time ON asset (created_at);
        CREATE INDEX asset_content ON asset (sha256);
        CREATE INDEX asset_session ON asset (session_id) WHERE session_id IS NOT NULL;
        CREATE INDEX asset_session_time ON asset (
            session_id, in_view, created_at, sequence, utc_offset_s, hidden, deleted_at, burst_id,
            represents_burst) WHERE session_id IS NOT NULL;
        CREATE INDEX asset_burst ON asset (burst_id) WHERE burst_id IS NOT NULL;
        CREATE INDEX asset_favorite ON asset (favorite) WHERE favorite = 1;
        CREATE INDEX asset_hidden ON asset (hidden) WHERE hidden = 1;
        CREATE INDEX asset_deleted ON asset (deleted_at) WHERE deleted_at IS NOT NULL;
        CREATE INDEX asset_video ON asset (media_type) WHERE media_type = 'video';
        CREATE INDEX asset_captioned ON asset (caption) WHERE caption IS NOT NULL;
        -- What retention purges by number and space, in order. Nobody knows whether a recovered
        -- asset was a favourite.
        CREATE INDEX asset_expendable ON asset (sequence)
            WHERE deleted_at IS NULL AND favorite = 0 AND recovered = 0;

        -- Folded is the keyword in lower case of any alphabet, as Swift makes it.
        CREATE TABLE asset_keyword (
            folded TEXT NOT NULL,
            asset INTEGER NOT NULL REFERENCES asset (sequence) ON DELETE CASCADE,
            keyword TEXT NOT NULL,
            PRIMARY KEY (folded, asset)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX asset_keyword_asset ON asset_keyword (asset);

        -- The RAW beside a photo's original: in the same folder, with the same id.
        CREATE TABLE alternate_photo (
            asset INTEGER PRIMARY KEY REFERENCES asset (sequence) ON DELETE CASCADE,
            file_extension TEXT NOT NULL,
            bytes INTEGER NOT NULL,
            sha256 BLOB NOT NULL CHECK (length(sha256) = 32)
        ) STRICT;
        """

    static let counts = """
        -- All assets, by media type.
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

        -- The assets of views, RAWs, and assets that no remote has.
        CREATE TABLE view_counter (
            name TEXT PRIMARY KEY,
            count INTEGER NOT NULL,
            bytes INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        \(CountedView.all.map(\.keeping).joined(separator: "\n"))
        INSERT INTO view_counter VALUES ('alternatePhotos', 0, 0), ('notYetSynced', 0, 0);
        CREATE TRIGGER alternate_photo_counted AFTER INSERT ON alternate_photo BEGIN
            UPDATE view_counter SET count = count + 1, bytes = bytes + new.bytes
            WHERE name = 'alternatePhotos';
        END;
        CREATE TRIGGER alternate_photo_uncounted AFTER DELETE ON alternate_photo BEGIN
            UPDATE view_counter SET count = count - 1, bytes = bytes - old.bytes
            WHERE name = 'alternatePhotos';
        END;
        CREATE TRIGGER outbox_counted AFTER INSERT ON outbox BEGIN
            UPDATE view_counter SET count = count + 1 WHERE name = 'notYetSynced';
        END;
        CREATE TRIGGER outbox_uncounted AFTER DELETE ON outbox BEGIN
            UPDATE view_counter SET count = count - 1 WHERE name = 'notYetSynced';
        END;

        -- The range of sequences that holds the assets of a day (of UTC, since 1970), and their
        -- number: a fetch of some days reads nothing else. See DayBounds.
        CREATE TABLE asset_day (
            property TEXT NOT NULL,
            day INTEGER NOT NULL,
            first_sequence INTEGER NOT NULL,
            last_sequence INTEGER NOT NULL,
            count INTEGER NOT NULL,
            PRIMARY KEY (property, day)
        ) STRICT, WITHOUT ROWID;
        \(DayBounds.keys.map(DayBounds.keeping).joined(separator: "\n"))
        """
}
