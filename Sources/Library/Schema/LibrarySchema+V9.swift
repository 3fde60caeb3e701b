// SPDX-License-Identifier: GPL-3.0-or-later

extension LibrarySchema {
    static let v9 = """
        \(MomentTriggers.schema)

        -- When the first and the last asset in view of a session were taken; NULL if none is in view.
        ALTER TABLE session ADD COLUMN start_time INTEGER;
        ALTER TABLE session ADD COLUMN start_offset_s INTEGER;
        ALTER TABLE session ADD COLUMN end_time INTEGER;
        ALTER TABLE session ADD COLUMN end_offset_s INTEGER;
        CREATE INDEX asset_session_time ON asset (
            session_id, in_view, created_at, sequence, utc_offset_s, hidden, deleted_at, burst_id,
            represents_burst) WHERE session_id IS NOT NULL;
        UPDATE session SET \(spanOfSession);
        DROP TRIGGER session_counted;
        DROP TRIGGER session_uncounted;
        DROP TRIGGER session_recounted;
        CREATE TRIGGER session_counted AFTER INSERT ON asset WHEN new.session_id IS NOT NULL BEGIN
            INSERT INTO session (id, first_sequence, count) VALUES (new.session_id, new.sequence, new.in_view)
            ON CONFLICT (id) DO UPDATE SET count = count + new.in_view;
            UPDATE session SET \(spanOfSession) WHERE new.in_view AND id = new.session_id;
        END;
        CREATE TRIGGER session_uncounted AFTER DELETE ON asset
            WHEN old.session_id IS NOT NULL AND old.in_view BEGIN
            UPDATE session SET count = count - 1, \(spanOfSession) WHERE id = old.session_id;
        END;
        CREATE TRIGGER session_recounted AFTER UPDATE ON asset
            WHEN new.session_id IS NOT NULL AND (old.in_view <> new.in_view OR new.in_view
                AND (old.created_at <> new.created_at OR old.utc_offset_s <> new.utc_offset_s)) BEGIN
            UPDATE session SET count = count + new.in_view - old.in_view, \(spanOfSession)
                WHERE id = new.session_id;
        END;

        -- The size of the smart album of what no remote has yet.
        INSERT INTO view_counter SELECT 'notYetSynced', count(*), 0 FROM outbox;
        CREATE TRIGGER outbox_counted AFTER INSERT ON outbox BEGIN
            UPDATE view_counter SET count = count + 1 WHERE name = 'notYetSynced';
        END;
        CREATE TRIGGER outbox_uncounted AFTER DELETE ON outbox BEGIN
            UPDATE view_counter SET count = count - 1 WHERE name = 'notYetSynced';
        END;

        -- HEIF and AVIF are turned by their own properties alone, which is done when they are decoded.
        UPDATE asset SET orientation = 1
            WHERE orientation <> 1 AND substr(path, -5) IN ('.heic', '.avif');

        -- For sorting by these; see AssetKey.hasIndex.
        CREATE INDEX asset_view_bytes ON asset (
            in_view, bytes, sequence, hidden, deleted_at, burst_id, represents_burst);
        """

    /// Sets the columns of a session that say when its assets were taken.
    static let spanOfSession = """
        (start_time, start_offset_s) = (SELECT created_at, utc_offset_s FROM asset
            WHERE session_id = session.id AND in_view = 1 ORDER BY created_at, sequence LIMIT 1),
        (end_time, end_offset_s) = (SELECT created_at, utc_offset_s FROM asset
            WHERE session_id = session.id AND in_view = 1 ORDER BY created_at DESC, sequence DESC LIMIT 1)
        """
}
