// SPDX-License-Identifier: GPL-3.0-or-later

extension LibrarySchema {
    /// The tables of albums, folders, moments and sessions.
    static let collections = """
        -- Albums and their folders. Position is the order within a folder.
        CREATE TABLE collection (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            type TEXT NOT NULL CHECK (type IN ('album', 'folder')),
            folder INTEGER REFERENCES collection (number) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            title TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            modified_at INTEGER NOT NULL,
            -- The number of assets, also of those out of view.
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

        -- Sessions, in the order of their first assets. The count is of assets in view, and the
        -- times are those of the first and the last of them; NULL if none is in view.
        CREATE TABLE session (
            id TEXT PRIMARY KEY,
            first_sequence INTEGER NOT NULL,
            count INTEGER NOT NULL DEFAULT 0,
            start_time INTEGER,
            start_offset_s INTEGER,
            end_time INTEGER,
            end_offset_s INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX session_order ON session (first_sequence);
        CREATE TRIGGER session_counted AFTER INSERT ON asset WHEN new.session_id IS NOT NULL BEGIN
            INSERT INTO session (id, first_sequence, count)
                VALUES (new.session_id, new.sequence, new.in_view)
                ON CONFLICT (id) DO UPDATE SET count = count + new.in_view;
            UPDATE session SET \(spanOfSession) WHERE new.in_view AND id = new.session_id;
        END;
        CREATE TRIGGER session_uncounted AFTER DELETE ON asset
            WHEN old.session_id IS NOT NULL AND old.in_view BEGIN
            UPDATE session SET count = count - 1, \(spanOfSession) WHERE id = old.session_id;
        END;
        CREATE TRIGGER session_recounted AFTER UPDATE ON asset
            WHEN new.session_id IS NOT NULL AND (old.in_view <> new.in_view OR new.in_view
                AND (old.created_at <> new.created_at OR old.utc_offset_s <> new.utc_offset_s))
            BEGIN
            UPDATE session SET count = count + new.in_view - old.in_view, \(spanOfSession)
                WHERE id = new.session_id;
        END;

        \(MomentTriggers.schema)
        """

    /// SQL assignments of a session's columns for the times of its first and last asset.
    static let spanOfSession = """
        (start_time, start_offset_s) = (SELECT created_at, utc_offset_s FROM asset
            WHERE session_id = session.id AND in_view = 1 ORDER BY created_at, sequence LIMIT 1),
        (end_time, end_offset_s) = (SELECT created_at, utc_offset_s FROM asset
            WHERE session_id = session.id AND in_view = 1
            ORDER BY created_at DESC, sequence DESC LIMIT 1)
        """
}
