// SPDX-License-Identifier: GPL-3.0-or-later

extension LibrarySchema {
    static let v4 = """
        -- When what is deleted goes for good; NULL until a clock that is right has counted from then on.
        ALTER TABLE asset ADD COLUMN purge_at INTEGER;
        -- How the picture is to be seen, as JSON; NULL: as it is.
        ALTER TABLE asset ADD COLUMN adjustment TEXT;

        -- With what in_view is made of, and of which day a time is: counting, moments and looking for times
        -- read no row.
        DROP INDEX asset_view;
        DROP INDEX asset_view_time;
        CREATE INDEX asset_view ON asset (
            in_view, sequence, hidden, deleted_at, burst_id, represents_burst, created_at, added_at);
        CREATE INDEX asset_view_time ON asset (
            in_view, created_at, sequence, utc_offset_s, hidden, deleted_at, burst_id,
            represents_burst);
        CREATE INDEX asset_time ON asset (created_at);

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
        """
}
