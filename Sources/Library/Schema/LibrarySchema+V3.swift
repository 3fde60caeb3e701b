// SPDX-License-Identifier: GPL-3.0-or-later

extension LibrarySchema {
    static let v3 = """
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

        CREATE INDEX asset_view ON asset (in_view);
        CREATE INDEX asset_view_time ON asset (in_view, created_at);
        CREATE INDEX asset_content ON asset (sha256);
        CREATE INDEX asset_session ON asset (session_id) WHERE session_id IS NOT NULL;
        CREATE INDEX asset_burst ON asset (burst_id) WHERE burst_id IS NOT NULL;
        CREATE INDEX asset_favorite ON asset (favorite) WHERE favorite = 1;
        CREATE INDEX asset_hidden ON asset (hidden) WHERE hidden = 1;
        CREATE INDEX asset_deleted ON asset (deleted_at) WHERE deleted_at IS NOT NULL;
        CREATE INDEX asset_video ON asset (media_type) WHERE media_type = 'video';
        CREATE INDEX asset_captioned ON asset (caption) WHERE caption IS NOT NULL;

        -- Not in the table counter, all rows of which older programs add up.
        CREATE TABLE view_counter (
            name TEXT PRIMARY KEY,
            count INTEGER NOT NULL,
            bytes INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """
}
