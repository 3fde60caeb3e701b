-- A library as Vitrine 0.1.0 (schema v3) left it: sqlite3 library.sqlite .dump
PRAGMA application_id = 1448366670;
PRAGMA user_version = 1;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO grdb_migrations VALUES('v1');
INSERT INTO grdb_migrations VALUES('v2');
INSERT INTO grdb_migrations VALUES('v3');
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
) VIRTUAL) STRICT;
INSERT INTO asset VALUES(1,'1f48ae87-1c33-4115-b5b7-6e27602e798a','photo','2026/11/23/1f48ae87-1c33-4115-b5b7-6e27602e798a.jpg','2026-11-23_12-14-51_000001.jpg',29280,X'bd8099c44ae442137fdbf597ecaf22891b487d55832fa249cc09074b51a46c7f',1795436091336541143,0,'unknown','65a8234b-750b-4fd5-8bda-19b236e4f8bd',27184051585930,1280,720,1,6,-5806,'frameTimestamp','main',NULL,0,0,2,NULL,NULL,1795436091336541148,1795436091336541150,52.5,13.400000000000000354,34.0,1,0,NULL,NULL,0,'Größe');
INSERT INTO asset VALUES(2,'ba1ec142-8b35-4a3d-9483-c747c220599e','photo','2026/11/23/ba1ec142-8b35-4a3d-9483-c747c220599e.jpg','2026-11-23_12-14-51_000002.jpg',29374,X'6487c47b1c6fd33fd8f7705ce4de247bc0c6bf3ac5d74dbb8a8401e847e7871f',1795436091667786465,0,'unknown','65a8234b-750b-4fd5-8bda-19b236e4f8bd',27184382831252,1280,720,1,6,-3700,'frameTimestamp','main','s1',0,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,1,NULL,NULL,0,NULL);
INSERT INTO asset VALUES(3,'69a3bed3-263b-46c8-b111-2816a9de2f78','photo','2026/11/23/69a3bed3-263b-46c8-b111-2816a9de2f78.jpg','2026-11-23_12-14-52_000003.jpg',29097,X'f4e642a9ad8387d61098ff3c830baedc4a1aebac06fbe4ae36d6ca2751fd08ad',1795436092040594027,0,'unknown','65a8234b-750b-4fd5-8bda-19b236e4f8bd',27184755638824,1280,720,1,6,-5111,'frameTimestamp','main','s1',0,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,NULL,'b1',0,NULL);
CREATE TABLE change (
    token INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    asset INTEGER NOT NULL,
    origin TEXT NOT NULL
) STRICT;
INSERT INTO change VALUES(1,'inserted',1,'capture');
INSERT INTO change VALUES(2,'inserted',2,'capture');
INSERT INTO change VALUES(3,'inserted',3,'capture');
INSERT INTO change VALUES(4,'updated',1,'operator');
CREATE TABLE outbox (
    asset INTEGER PRIMARY KEY REFERENCES asset (sequence) ON DELETE CASCADE,
    queued_at INTEGER NOT NULL
) STRICT;
INSERT INTO outbox VALUES(1,1795436091386729440);
INSERT INTO outbox VALUES(2,1795436091717693469);
INSERT INTO outbox VALUES(3,1795436092101132480);
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
INSERT INTO counter VALUES('photo',3,87751);
INSERT INTO counter VALUES('video',0,0);
CREATE TABLE asset_keyword (
    folded TEXT NOT NULL,
    asset INTEGER NOT NULL REFERENCES asset (sequence) ON DELETE CASCADE,
    keyword TEXT NOT NULL,
    PRIMARY KEY (folded, asset)
) STRICT, WITHOUT ROWID;
INSERT INTO asset_keyword VALUES('größe',1,'Größe');
INSERT INTO asset_keyword VALUES('party',3,'Party');
CREATE TABLE view_counter (
    name TEXT PRIMARY KEY,
    count INTEGER NOT NULL,
    bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO view_counter VALUES('bursts',0,0);
INSERT INTO view_counter VALUES('deleted',0,0);
INSERT INTO view_counter VALUES('favorites',1,29280);
INSERT INTO view_counter VALUES('hidden',1,29374);
INSERT INTO view_counter VALUES('videos',0,0);
INSERT INTO view_counter VALUES('view',1,29280);
ANALYZE sqlite_schema;
INSERT INTO sqlite_stat1 VALUES('asset','asset_view','1000000 900000');
INSERT INTO sqlite_stat1 VALUES('asset','asset_view_time','1000000 900000 1');
INSERT INTO sqlite_stat1 VALUES('asset','asset_content','1000000 1');
INSERT INTO sqlite_stat1 VALUES('asset','asset_session','1000000 20');
INSERT INTO sqlite_stat1 VALUES('asset','asset_burst','50000 10');
INSERT INTO sqlite_stat1 VALUES('asset','asset_favorite','20000 20000');
INSERT INTO sqlite_stat1 VALUES('asset','asset_hidden','20000 20000');
INSERT INTO sqlite_stat1 VALUES('asset','asset_deleted','20000 2');
INSERT INTO sqlite_stat1 VALUES('asset','asset_video','50000 50000');
INSERT INTO sqlite_stat1 VALUES('asset','asset_captioned','20000 1');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('asset',3);
INSERT INTO sqlite_sequence VALUES('change',4);
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
COMMIT;
