-- A library as Vitrine 0.1.0 (schema v4) left it: sqlite3 library.sqlite .dump
PRAGMA application_id = 1448366670;
PRAGMA user_version = 1;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO grdb_migrations VALUES('v1');
INSERT INTO grdb_migrations VALUES('v2');
INSERT INTO grdb_migrations VALUES('v3');
INSERT INTO grdb_migrations VALUES('v4');
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
, time_correction_ns INTEGER NOT NULL DEFAULT 0, subtypes INTEGER NOT NULL DEFAULT 0, duration_value INTEGER, duration_timescale INTEGER, added_at INTEGER, modified_at INTEGER, latitude REAL, longitude REAL, altitude REAL, favorite INTEGER NOT NULL DEFAULT 0, hidden INTEGER NOT NULL DEFAULT 0, deleted_at INTEGER, burst_id TEXT, represents_burst INTEGER NOT NULL DEFAULT 0, caption TEXT, in_view INTEGER GENERATED ALWAYS AS (
    hidden = 0 AND deleted_at IS NULL AND (burst_id IS NULL OR represents_burst = 1)
) VIRTUAL, purge_at INTEGER, adjustment TEXT) STRICT;
INSERT INTO asset VALUES(1,'f6adfc9a-b8c9-4c62-8f3f-e183c3128a69','photo','2026/11/24/f6adfc9a-b8c9-4c62-8f3f-e183c3128a69.jpg','2026-11-24_14-24-41_000001.jpg',5000,X'334c9b2a9b67ab1a29802db80e13cd6117610095f8f2c08a6dc349ee0ff31874',1795526681624008128,3600,'estimated','ca56998c-672b-4238-88f6-f0f1fb10802d',1614688379957,1280,720,1,0,-1200,'frameTimestamp','test',NULL,0,0,0,NULL,NULL,1795526681629016779,1795526720248367091,NULL,NULL,NULL,1,0,NULL,NULL,0,'Größe',NULL,NULL);
INSERT INTO asset VALUES(2,'83edb3ec-e713-4874-9040-173c456f2a3b','photo','2026/11/24/83edb3ec-e713-4874-9040-173c456f2a3b.jpg','2026-11-24_14-24-41_000002.jpg',5000,X'4647327919003f7cc4747c8d24f25f02c0f9805ea86a4c9c8798f172f54a5810',1795526681636202246,3600,'estimated','ca56998c-672b-4238-88f6-f0f1fb10802d',1614700498242,1280,720,1,1,-1200,'frameTimestamp','test',NULL,0,0,0,NULL,NULL,1795526681643755321,NULL,NULL,NULL,NULL,0,0,NULL,NULL,0,NULL,NULL,NULL);
INSERT INTO asset VALUES(3,'15b78c90-87a7-45d0-bc8e-23e792dc8078','photo','2026/11/24/15b78c90-87a7-45d0-bc8e-23e792dc8078.jpg','2026-11-24_14-24-41_000003.jpg',5000,X'0c6b57bcfd5f2d4ce4fcdeb0241bf50da1ab9ce21c185631f41c386d321eb9ea',1795526681646434157,3600,'estimated','ca56998c-672b-4238-88f6-f0f1fb10802d',1614710729832,1280,720,1,2,-1200,'frameTimestamp','test',NULL,0,0,0,NULL,NULL,1795526681650536595,1795526682229010759,NULL,NULL,NULL,0,0,1795526682229010759,NULL,0,NULL,NULL,NULL);
INSERT INTO asset VALUES(4,'b6f6eebd-45a9-43af-a52d-a9779d9300a2','photo','2026/11/24/b6f6eebd-45a9-43af-a52d-a9779d9300a2.jpg','2026-11-24_14-24-41_000004.jpg',5000,X'27d447cdb3999af4bf69aa46d21c37e7f38b937de607f8da6597ddd5cf554396',1795526681652555006,3600,'estimated','ca56998c-672b-4238-88f6-f0f1fb10802d',1614716850771,1280,720,1,3,-1200,'frameTimestamp','test',NULL,0,0,0,NULL,NULL,1795526681656631726,NULL,NULL,NULL,NULL,0,0,NULL,NULL,0,NULL,NULL,NULL);
CREATE TABLE change (
    token INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    asset INTEGER NOT NULL,
    origin TEXT NOT NULL
, collection TEXT) STRICT;
INSERT INTO change VALUES(1,'inserted',1,'capture',NULL);
INSERT INTO change VALUES(2,'inserted',2,'capture',NULL);
INSERT INTO change VALUES(3,'inserted',3,'capture',NULL);
INSERT INTO change VALUES(4,'inserted',4,'capture',NULL);
INSERT INTO change VALUES(5,'inserted',0,'operator','album:ed02b423-c14e-412a-8fcf-95b47db1ac44');
INSERT INTO change VALUES(6,'updated',1,'operator',NULL);
INSERT INTO change VALUES(7,'updated',0,'operator','album:ed02b423-c14e-412a-8fcf-95b47db1ac44');
INSERT INTO change VALUES(8,'updated',3,'operator',NULL);
INSERT INTO change VALUES(9,'updated',1,'operator',NULL);
CREATE TABLE outbox (
    asset INTEGER PRIMARY KEY REFERENCES asset (sequence) ON DELETE CASCADE,
    queued_at INTEGER NOT NULL
) STRICT;
INSERT INTO outbox VALUES(1,1795526681629016779);
INSERT INTO outbox VALUES(2,1795526681643755321);
INSERT INTO outbox VALUES(3,1795526681650536595);
INSERT INTO outbox VALUES(4,1795526681656631726);
CREATE TABLE ingest_day (
    path TEXT PRIMARY KEY,
    first_sequence INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE counter (
    name TEXT PRIMARY KEY,
    count INTEGER NOT NULL,
    bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO counter VALUES('audio',0,0);
INSERT INTO counter VALUES('photo',4,20000);
INSERT INTO counter VALUES('video',0,0);
CREATE TABLE asset_keyword (
    folded TEXT NOT NULL,
    asset INTEGER NOT NULL REFERENCES asset (sequence) ON DELETE CASCADE,
    keyword TEXT NOT NULL,
    PRIMARY KEY (folded, asset)
) STRICT, WITHOUT ROWID;
CREATE TABLE view_counter (
    name TEXT PRIMARY KEY,
    count INTEGER NOT NULL,
    bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO view_counter VALUES('bursts',0,0);
INSERT INTO view_counter VALUES('deleted',1,5000);
INSERT INTO view_counter VALUES('favorites',1,5000);
INSERT INTO view_counter VALUES('hidden',0,0);
INSERT INTO view_counter VALUES('photos',3,15000);
INSERT INTO view_counter VALUES('timelapses',0,0);
INSERT INTO view_counter VALUES('videos',0,0);
INSERT INTO view_counter VALUES('view',3,15000);
ANALYZE sqlite_schema;
INSERT INTO sqlite_stat1 VALUES('asset','asset_content','1000000 1');
INSERT INTO sqlite_stat1 VALUES('asset','asset_session','1000000 20');
INSERT INTO sqlite_stat1 VALUES('asset','asset_burst','50000 10');
INSERT INTO sqlite_stat1 VALUES('asset','asset_favorite','20000 20000');
INSERT INTO sqlite_stat1 VALUES('asset','asset_hidden','20000 20000');
INSERT INTO sqlite_stat1 VALUES('asset','asset_deleted','20000 2');
INSERT INTO sqlite_stat1 VALUES('asset','asset_video','50000 50000');
INSERT INTO sqlite_stat1 VALUES('asset','asset_captioned','20000 1');
INSERT INTO sqlite_stat1 VALUES('asset','asset_view','1000000 900000 1 1 1 1 1 1 1');
INSERT INTO sqlite_stat1 VALUES('asset','asset_view_time','1000000 900000 2 1 1 1 1 1 1');
INSERT INTO sqlite_stat1 VALUES('asset','asset_time','1000000 2');
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
INSERT INTO collection VALUES(1,'ed02b423-c14e-412a-8fcf-95b47db1ac44','album',NULL,0,'Fair',1795526682069024992,1795526682187994944,3);
CREATE TABLE album_asset (
    album INTEGER NOT NULL REFERENCES collection (number) ON DELETE CASCADE,
    asset INTEGER NOT NULL REFERENCES asset (sequence) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    PRIMARY KEY (album, asset)
) STRICT, WITHOUT ROWID;
INSERT INTO album_asset VALUES(1,4,0);
INSERT INTO album_asset VALUES(1,2,1);
INSERT INTO album_asset VALUES(1,1,2);
CREATE TABLE session (
    id TEXT PRIMARY KEY,
    first_sequence INTEGER NOT NULL,
    count INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE asset_day (
    property TEXT NOT NULL,
    day INTEGER NOT NULL,
    first_sequence INTEGER NOT NULL,
    last_sequence INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (property, day)
) STRICT, WITHOUT ROWID;
INSERT INTO asset_day VALUES('addedAt',20781,1,4,4);
INSERT INTO asset_day VALUES('createdAt',20781,1,4,4);
CREATE TABLE purged_file (
    path TEXT PRIMARY KEY,
    id TEXT NOT NULL
) STRICT, WITHOUT ROWID;
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('asset',4);
INSERT INTO sqlite_sequence VALUES('change',9);
INSERT INTO sqlite_sequence VALUES('collection',1);
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
CREATE INDEX asset_uncertain ON asset (boot_id)
    WHERE time_confidence IN ('unknown', 'estimated');
CREATE INDEX asset_keyword_asset ON asset_keyword (asset);
CREATE INDEX asset_content ON asset (sha256);
CREATE INDEX asset_session ON asset (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX asset_burst ON asset (burst_id) WHERE burst_id IS NOT NULL;
CREATE INDEX asset_favorite ON asset (favorite) WHERE favorite = 1;
CREATE INDEX asset_hidden ON asset (hidden) WHERE hidden = 1;
CREATE INDEX asset_deleted ON asset (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX asset_video ON asset (media_type) WHERE media_type = 'video';
CREATE INDEX asset_captioned ON asset (caption) WHERE caption IS NOT NULL;
CREATE TRIGGER view_counted AFTER INSERT ON asset WHEN (new.in_view) BEGIN
    UPDATE view_counter SET count = count + 1, bytes = bytes + new.bytes
    WHERE name = 'view';
END;
CREATE TRIGGER view_uncounted AFTER DELETE ON asset WHEN (old.in_view) BEGIN
    UPDATE view_counter SET count = count - 1, bytes = bytes - old.bytes
    WHERE name = 'view';
END;
CREATE TRIGGER view_recounted AFTER UPDATE ON asset
    WHEN (old.in_view) IS NOT (new.in_view) OR ((new.in_view) AND old.bytes <> new.bytes) BEGIN
    UPDATE view_counter SET count = count - (old.in_view) + (new.in_view),
        bytes = bytes - (old.in_view) * old.bytes + (new.in_view) * new.bytes
    WHERE name = 'view';
END;
CREATE TRIGGER favorites_counted AFTER INSERT ON asset WHEN (new.favorite AND new.in_view) BEGIN
    UPDATE view_counter SET count = count + 1, bytes = bytes + new.bytes
    WHERE name = 'favorites';
END;
CREATE TRIGGER favorites_uncounted AFTER DELETE ON asset WHEN (old.favorite AND old.in_view) BEGIN
    UPDATE view_counter SET count = count - 1, bytes = bytes - old.bytes
    WHERE name = 'favorites';
END;
CREATE TRIGGER favorites_recounted AFTER UPDATE ON asset
    WHEN (old.favorite AND old.in_view) IS NOT (new.favorite AND new.in_view) OR ((new.favorite AND new.in_view) AND old.bytes <> new.bytes) BEGIN
    UPDATE view_counter SET count = count - (old.favorite AND old.in_view) + (new.favorite AND new.in_view),
        bytes = bytes - (old.favorite AND old.in_view) * old.bytes + (new.favorite AND new.in_view) * new.bytes
    WHERE name = 'favorites';
END;
CREATE TRIGGER videos_counted AFTER INSERT ON asset WHEN (new.media_type = 'video' AND new.in_view) BEGIN
    UPDATE view_counter SET count = count + 1, bytes = bytes + new.bytes
    WHERE name = 'videos';
END;
CREATE TRIGGER videos_uncounted AFTER DELETE ON asset WHEN (old.media_type = 'video' AND old.in_view) BEGIN
    UPDATE view_counter SET count = count - 1, bytes = bytes - old.bytes
    WHERE name = 'videos';
END;
CREATE TRIGGER videos_recounted AFTER UPDATE ON asset
    WHEN (old.media_type = 'video' AND old.in_view) IS NOT (new.media_type = 'video' AND new.in_view) OR ((new.media_type = 'video' AND new.in_view) AND old.bytes <> new.bytes) BEGIN
    UPDATE view_counter SET count = count - (old.media_type = 'video' AND old.in_view) + (new.media_type = 'video' AND new.in_view),
        bytes = bytes - (old.media_type = 'video' AND old.in_view) * old.bytes + (new.media_type = 'video' AND new.in_view) * new.bytes
    WHERE name = 'videos';
END;
CREATE TRIGGER bursts_counted AFTER INSERT ON asset WHEN (new.represents_burst AND new.in_view) BEGIN
    UPDATE view_counter SET count = count + 1, bytes = bytes + new.bytes
    WHERE name = 'bursts';
END;
CREATE TRIGGER bursts_uncounted AFTER DELETE ON asset WHEN (old.represents_burst AND old.in_view) BEGIN
    UPDATE view_counter SET count = count - 1, bytes = bytes - old.bytes
    WHERE name = 'bursts';
END;
CREATE TRIGGER bursts_recounted AFTER UPDATE ON asset
    WHEN (old.represents_burst AND old.in_view) IS NOT (new.represents_burst AND new.in_view) OR ((new.represents_burst AND new.in_view) AND old.bytes <> new.bytes) BEGIN
    UPDATE view_counter SET count = count - (old.represents_burst AND old.in_view) + (new.represents_burst AND new.in_view),
        bytes = bytes - (old.represents_burst AND old.in_view) * old.bytes + (new.represents_burst AND new.in_view) * new.bytes
    WHERE name = 'bursts';
END;
CREATE TRIGGER hidden_counted AFTER INSERT ON asset WHEN (new.hidden AND new.deleted_at IS NULL) BEGIN
    UPDATE view_counter SET count = count + 1, bytes = bytes + new.bytes
    WHERE name = 'hidden';
END;
CREATE TRIGGER hidden_uncounted AFTER DELETE ON asset WHEN (old.hidden AND old.deleted_at IS NULL) BEGIN
    UPDATE view_counter SET count = count - 1, bytes = bytes - old.bytes
    WHERE name = 'hidden';
END;
CREATE TRIGGER hidden_recounted AFTER UPDATE ON asset
    WHEN (old.hidden AND old.deleted_at IS NULL) IS NOT (new.hidden AND new.deleted_at IS NULL) OR ((new.hidden AND new.deleted_at IS NULL) AND old.bytes <> new.bytes) BEGIN
    UPDATE view_counter SET count = count - (old.hidden AND old.deleted_at IS NULL) + (new.hidden AND new.deleted_at IS NULL),
        bytes = bytes - (old.hidden AND old.deleted_at IS NULL) * old.bytes + (new.hidden AND new.deleted_at IS NULL) * new.bytes
    WHERE name = 'hidden';
END;
CREATE TRIGGER deleted_counted AFTER INSERT ON asset WHEN (new.deleted_at IS NOT NULL) BEGIN
    UPDATE view_counter SET count = count + 1, bytes = bytes + new.bytes
    WHERE name = 'deleted';
END;
CREATE TRIGGER deleted_uncounted AFTER DELETE ON asset WHEN (old.deleted_at IS NOT NULL) BEGIN
    UPDATE view_counter SET count = count - 1, bytes = bytes - old.bytes
    WHERE name = 'deleted';
END;
CREATE TRIGGER deleted_recounted AFTER UPDATE ON asset
    WHEN (old.deleted_at IS NOT NULL) IS NOT (new.deleted_at IS NOT NULL) OR ((new.deleted_at IS NOT NULL) AND old.bytes <> new.bytes) BEGIN
    UPDATE view_counter SET count = count - (old.deleted_at IS NOT NULL) + (new.deleted_at IS NOT NULL),
        bytes = bytes - (old.deleted_at IS NOT NULL) * old.bytes + (new.deleted_at IS NOT NULL) * new.bytes
    WHERE name = 'deleted';
END;
CREATE INDEX asset_view ON asset (
    in_view, sequence, hidden, deleted_at, burst_id, represents_burst, created_at, added_at);
CREATE INDEX asset_view_time ON asset (
    in_view, created_at, sequence, utc_offset_s, hidden, deleted_at, burst_id,
    represents_burst);
CREATE INDEX asset_time ON asset (created_at);
CREATE INDEX collection_folder ON collection (folder, position);
CREATE INDEX album_asset_order ON album_asset (album, position, asset);
CREATE INDEX album_asset_asset ON album_asset (asset);
CREATE TRIGGER album_asset_counted AFTER INSERT ON album_asset BEGIN
    UPDATE collection SET count = count + 1 WHERE number = new.album;
END;
CREATE TRIGGER album_asset_uncounted AFTER DELETE ON album_asset BEGIN
    UPDATE collection SET count = count - 1 WHERE number = old.album;
END;
CREATE INDEX session_order ON session (first_sequence);
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
CREATE TRIGGER change_forgotten AFTER INSERT ON change WHEN new.token % 1000 = 0 BEGIN
    DELETE FROM change WHERE token IN (
        SELECT token FROM change WHERE token <= new.token - 100000 ORDER BY token LIMIT 2000);
END;
CREATE TRIGGER photos_counted AFTER INSERT ON asset WHEN (new.media_type = 'photo' AND new.in_view) BEGIN
    UPDATE view_counter SET count = count + 1, bytes = bytes + new.bytes
    WHERE name = 'photos';
END;
CREATE TRIGGER photos_uncounted AFTER DELETE ON asset WHEN (old.media_type = 'photo' AND old.in_view) BEGIN
    UPDATE view_counter SET count = count - 1, bytes = bytes - old.bytes
    WHERE name = 'photos';
END;
CREATE TRIGGER photos_recounted AFTER UPDATE ON asset
    WHEN (old.media_type = 'photo' AND old.in_view) IS NOT (new.media_type = 'photo' AND new.in_view) OR ((new.media_type = 'photo' AND new.in_view) AND old.bytes <> new.bytes) BEGIN
    UPDATE view_counter SET count = count - (old.media_type = 'photo' AND old.in_view) + (new.media_type = 'photo' AND new.in_view),
        bytes = bytes - (old.media_type = 'photo' AND old.in_view) * old.bytes + (new.media_type = 'photo' AND new.in_view) * new.bytes
    WHERE name = 'photos';
END;
CREATE TRIGGER timelapses_counted AFTER INSERT ON asset WHEN (new.subtypes & 2 AND new.in_view) BEGIN
    UPDATE view_counter SET count = count + 1, bytes = bytes + new.bytes
    WHERE name = 'timelapses';
END;
CREATE TRIGGER timelapses_uncounted AFTER DELETE ON asset WHEN (old.subtypes & 2 AND old.in_view) BEGIN
    UPDATE view_counter SET count = count - 1, bytes = bytes - old.bytes
    WHERE name = 'timelapses';
END;
CREATE TRIGGER timelapses_recounted AFTER UPDATE ON asset
    WHEN (old.subtypes & 2 AND old.in_view) IS NOT (new.subtypes & 2 AND new.in_view) OR ((new.subtypes & 2 AND new.in_view) AND old.bytes <> new.bytes) BEGIN
    UPDATE view_counter SET count = count - (old.subtypes & 2 AND old.in_view) + (new.subtypes & 2 AND new.in_view),
        bytes = bytes - (old.subtypes & 2 AND old.in_view) * old.bytes + (new.subtypes & 2 AND new.in_view) * new.bytes
    WHERE name = 'timelapses';
END;
CREATE TRIGGER createdAt_day_counted AFTER INSERT ON asset BEGIN INSERT INTO asset_day VALUES ('createdAt', new.created_at / 86400000000000, new.sequence, new.sequence, 1)
ON CONFLICT (property, day) DO UPDATE SET count = count + 1,
    first_sequence = min(first_sequence, new.sequence),
    last_sequence = max(last_sequence, new.sequence); END;
CREATE TRIGGER createdAt_day_uncounted AFTER DELETE ON asset BEGIN UPDATE asset_day SET count = count - 1
WHERE property = 'createdAt' AND day = old.created_at / 86400000000000; END;
CREATE TRIGGER createdAt_day_recounted AFTER UPDATE OF created_at, added_at ON asset
    WHEN old.created_at / 86400000000000 <> new.created_at / 86400000000000 BEGIN UPDATE asset_day SET count = count - 1
WHERE property = 'createdAt' AND day = old.created_at / 86400000000000; INSERT INTO asset_day VALUES ('createdAt', new.created_at / 86400000000000, new.sequence, new.sequence, 1)
ON CONFLICT (property, day) DO UPDATE SET count = count + 1,
    first_sequence = min(first_sequence, new.sequence),
    last_sequence = max(last_sequence, new.sequence); END;
CREATE TRIGGER addedAt_day_counted AFTER INSERT ON asset BEGIN INSERT INTO asset_day VALUES ('addedAt', coalesce(new.added_at, new.created_at) / 86400000000000, new.sequence, new.sequence, 1)
ON CONFLICT (property, day) DO UPDATE SET count = count + 1,
    first_sequence = min(first_sequence, new.sequence),
    last_sequence = max(last_sequence, new.sequence); END;
CREATE TRIGGER addedAt_day_uncounted AFTER DELETE ON asset BEGIN UPDATE asset_day SET count = count - 1
WHERE property = 'addedAt' AND day = coalesce(old.added_at, old.created_at) / 86400000000000; END;
CREATE TRIGGER addedAt_day_recounted AFTER UPDATE OF created_at, added_at ON asset
    WHEN coalesce(old.added_at, old.created_at) / 86400000000000 <> coalesce(new.added_at, new.created_at) / 86400000000000 BEGIN UPDATE asset_day SET count = count - 1
WHERE property = 'addedAt' AND day = coalesce(old.added_at, old.created_at) / 86400000000000; INSERT INTO asset_day VALUES ('addedAt', coalesce(new.added_at, new.created_at) / 86400000000000, new.sequence, new.sequence, 1)
ON CONFLICT (property, day) DO UPDATE SET count = count + 1,
    first_sequence = min(first_sequence, new.sequence),
    last_sequence = max(last_sequence, new.sequence); END;
COMMIT;
