// SPDX-License-Identifier: GPL-3.0-or-later

extension LibrarySchema {
    /// The ledger: what each remote shall have, and what is proven to be there.
    static let sync = """
        -- The remotes, of which the configuration names one. Assets up to the sequence planned have
        -- their rows in sync_object.
        CREATE TABLE sync_remote (
            number INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            is_current INTEGER NOT NULL DEFAULT 0,
            planned INTEGER NOT NULL DEFAULT 0,
            last_success INTEGER
        ) STRICT;

        \(objects("'original', 'alternate', 'sidecar', 'manifest'", as: "sync_object"))
        \(objectIndexes)
        \(objectTriggers)
        """

    /// The facts that the service needs at every look: the pause, the size and the age of what
    /// waits, and the originals that only a remote has.
    static let syncService = """
        ALTER TABLE sync_remote ADD COLUMN is_paused INTEGER NOT NULL DEFAULT 0;

        -- The size of the original and its RAW. Queries that join this table with asset say bytes.
        ALTER TABLE outbox ADD COLUMN waiting_bytes INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX outbox_age ON outbox (queued_at);
        CREATE TRIGGER outbox_measured AFTER INSERT ON outbox BEGIN
            UPDATE outbox SET waiting_bytes = \(size("new.asset")) WHERE asset = new.asset;
        END;
        CREATE TRIGGER outbox_grown AFTER UPDATE OF waiting_bytes ON outbox BEGIN
            UPDATE view_counter SET bytes = bytes - old.waiting_bytes + new.waiting_bytes
            WHERE name = 'notYetSynced';
        END;
        CREATE TRIGGER outbox_shrunk AFTER DELETE ON outbox BEGIN
            UPDATE view_counter SET bytes = bytes - old.waiting_bytes
            WHERE name = 'notYetSynced';
        END;
        CREATE TRIGGER outbox_alternate AFTER INSERT ON alternate_photo BEGIN
            UPDATE outbox SET waiting_bytes = \(size("new.asset")) WHERE asset = new.asset;
        END;
        UPDATE outbox SET waiting_bytes = \(size("outbox.asset"));

        -- Assets whose original and RAW only the remote has. The files are here until is_removed.
        CREATE TABLE evicted_original (
            asset INTEGER PRIMARY KEY REFERENCES asset (sequence) ON DELETE CASCADE,
            remote INTEGER NOT NULL REFERENCES sync_remote (number),
            evicted_at INTEGER NOT NULL,
            is_removed INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX evicted_original_there ON evicted_original (asset) WHERE is_removed = 0;
        """

    /// Edited photos as a person sees them, for remotes that want them. The table is made anew,
    /// because SQLite cannot change the kinds that its check allows.
    static let syncRenditions = """
        ALTER TABLE sync_remote ADD COLUMN wants_renditions INTEGER NOT NULL DEFAULT 0;

        DROP TRIGGER sync_asset_changed;
        DROP TRIGGER sync_album_entered;
        DROP TRIGGER sync_album_left;
        DROP TRIGGER sync_album_renamed;
        DROP TRIGGER sync_asset_purged;
        DROP TRIGGER sync_alternate_added;
        \(objects(
            "'original', 'alternate', 'rendition', 'sidecar', 'manifest'", as: "new_sync_object"))
        INSERT INTO new_sync_object SELECT * FROM sync_object;
        DROP TABLE sync_object;
        ALTER TABLE new_sync_object RENAME TO sync_object;
        \(objectIndexes)
        \(objectTriggers)
        -- Without an edit there is nothing to show, and the policy decides about the object.
        CREATE TRIGGER sync_adjusted AFTER UPDATE OF adjustment ON asset
            WHEN new.adjustment IS NOT old.adjustment
        BEGIN
            UPDATE sync_object SET is_gone = 1, state = 'queued', version = version + 1,
                    attempts = 0, next_try = 0
                WHERE asset = new.sequence AND kind = 'rendition';
            \(rendition("sequence = new.sequence"));
        END;
        -- What was edited meanwhile can be rendered again.
        CREATE TRIGGER sync_original_returned AFTER DELETE ON evicted_original BEGIN
            \(rendition("sequence = old.asset", isChanged: false));
        END;
        """

    /// SQL that queues the renditions of edited assets that a condition finds, if the remote wants
    /// them and the original is here. A rendition that stands and is wanted stays as it is,
    /// unless `isChanged` says otherwise.
    static func rendition(_ condition: String, isChanged: Bool = true) -> String {
        """
        INSERT INTO sync_object (remote, key, kind, asset, day, queued_at)
            SELECT number, 'renditions/' || substr(path, 1, 47) || '.jpg', 'rendition', sequence,
                substr(path, 1, 10), coalesce(modified_at, created_at)
            FROM sync_remote JOIN asset ON wants_renditions WHERE \(condition)
                AND adjustment IS NOT NULL AND \(RetentionQuery.isHere)
            ON CONFLICT (remote, key) DO UPDATE SET is_gone = 0, state = 'queued',
                version = version + 1, attempts = 0, next_try = 0
                \(isChanged ? "" : "WHERE is_gone")
        """
    }

    private static func objects(_ kinds: String, as name: String) -> String {
        """
        -- The objects of a remote. The asset is 0 for a manifest, and stays after the asset is
        -- purged.
        CREATE TABLE \(name) (
            remote INTEGER NOT NULL REFERENCES sync_remote (number) ON DELETE CASCADE,
            key TEXT NOT NULL,
            kind TEXT NOT NULL CHECK (kind IN (\(kinds))),
            asset INTEGER NOT NULL,
            day TEXT NOT NULL,
            state TEXT NOT NULL DEFAULT 'queued'
                CHECK (state IN ('queued', 'sending', 'sent', 'verified', 'failed')),
            -- Raised by each change: a report about an earlier content says nothing.
            version INTEGER NOT NULL DEFAULT 0,
            -- 1: the asset was purged, or its edit undone. 2: a person wants it nowhere.
            is_gone INTEGER NOT NULL DEFAULT 0,
            -- What was verified last.
            bytes INTEGER,
            sha256 BLOB CHECK (length(sha256) = 32),
            verified_at INTEGER,
            queued_at INTEGER NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0,
            next_try INTEGER NOT NULL DEFAULT 0,
            failure TEXT,
            message TEXT,
            PRIMARY KEY (remote, key)
        ) STRICT, WITHOUT ROWID;
        """
    }

    private static let objectIndexes = """
        CREATE INDEX sync_object_asset ON sync_object (asset, kind);
        CREATE INDEX sync_object_due ON sync_object (remote, kind, asset) WHERE state <> 'verified';
        CREATE INDEX sync_object_day ON sync_object (remote, day, kind);
        """

    private static let objectTriggers = """
        -- A change of the asset or of its albums makes a new side-car.
        CREATE TRIGGER sync_asset_changed AFTER UPDATE OF modified_at, created_at ON asset BEGIN
            \(sidecar("asset = new.sequence", at: "new.modified_at"))
        END;
        CREATE TRIGGER sync_album_entered AFTER INSERT ON album_asset BEGIN
            \(sidecar("asset = new.asset"))
        END;
        CREATE TRIGGER sync_album_left AFTER DELETE ON album_asset BEGIN
            \(sidecar("asset = old.asset"))
        END;
        CREATE TRIGGER sync_album_renamed AFTER UPDATE OF title ON collection BEGIN
            \(sidecar("asset IN (SELECT asset FROM album_asset WHERE album = new.number)"))
        END;
        -- The policy decides what happens to the objects of a purged asset.
        CREATE TRIGGER sync_asset_purged AFTER DELETE ON asset BEGIN
            UPDATE sync_object SET is_gone = 1, state = 'queued', version = version + 1,
                    attempts = 0, next_try = 0
                WHERE asset = old.sequence;
        END;
        -- A RAW that comes later is an object of its own. The path up to the extension has 47
        -- characters: YYYY/MM/DD/ and the id.
        CREATE TRIGGER sync_alternate_added AFTER INSERT ON alternate_photo BEGIN
            INSERT OR IGNORE INTO sync_object (remote, key, kind, asset, day, queued_at)
                SELECT remote, 'originals/' || substr(path, 1, 47) || '.' || new.file_extension,
                    'alternate', sequence, day, queued_at
                FROM sync_object JOIN asset ON sequence = sync_object.asset
                WHERE sync_object.asset = new.asset AND kind = 'original';
            INSERT OR IGNORE INTO outbox (asset, queued_at) SELECT asset, queued_at
                FROM sync_object JOIN sync_remote ON number = remote
                WHERE asset = new.asset AND kind = 'original' AND is_current;
            \(sidecar("asset = new.asset"))
        END;
        """

    private static func size(_ asset: String) -> String {
        """
        coalesce((SELECT bytes FROM asset WHERE sequence = \(asset)), 0)
            + coalesce((SELECT bytes FROM alternate_photo WHERE asset = \(asset)), 0)
        """
    }

    /// SQL that queues the side-cars of the assets that a condition finds.
    private static func sidecar(_ condition: String, at time: String = "queued_at") -> String {
        """
        UPDATE sync_object SET state = 'queued', version = version + 1, attempts = 0, next_try = 0,
                queued_at = CASE WHEN state = 'verified' THEN \(time) ELSE queued_at END
            WHERE \(condition) AND kind = 'sidecar' AND NOT is_gone;
        """
    }
}
