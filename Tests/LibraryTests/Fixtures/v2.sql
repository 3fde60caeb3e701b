-- A library as Vitrine 0.1.0 (schema v2) left it: sqlite3 library.sqlite .dump
PRAGMA application_id = 1448366670;
PRAGMA user_version = 1;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO grdb_migrations VALUES('v1');
INSERT INTO grdb_migrations VALUES('v2');
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
, time_correction_ns INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO asset VALUES(1,'1f48ae87-1c33-4115-b5b7-6e27602e798a','photo','2026/11/23/1f48ae87-1c33-4115-b5b7-6e27602e798a.jpg','2026-11-23_12-14-51_000001.jpg',29280,X'bd8099c44ae442137fdbf597ecaf22891b487d55832fa249cc09074b51a46c7f',1795436091336541143,0,'unknown','65a8234b-750b-4fd5-8bda-19b236e4f8bd',27184051585930,1280,720,1,6,-5806,'frameTimestamp','main',NULL,0,0);
INSERT INTO asset VALUES(2,'ba1ec142-8b35-4a3d-9483-c747c220599e','photo','2026/11/23/ba1ec142-8b35-4a3d-9483-c747c220599e.jpg','2026-11-23_12-14-51_000002.jpg',29374,X'6487c47b1c6fd33fd8f7705ce4de247bc0c6bf3ac5d74dbb8a8401e847e7871f',1795436091667786465,0,'unknown','65a8234b-750b-4fd5-8bda-19b236e4f8bd',27184382831252,1280,720,1,6,-3700,'frameTimestamp','main',NULL,0,0);
INSERT INTO asset VALUES(3,'69a3bed3-263b-46c8-b111-2816a9de2f78','photo','2026/11/23/69a3bed3-263b-46c8-b111-2816a9de2f78.jpg','2026-11-23_12-14-52_000003.jpg',29097,X'f4e642a9ad8387d61098ff3c830baedc4a1aebac06fbe4ae36d6ca2751fd08ad',1795436092040594027,0,'unknown','65a8234b-750b-4fd5-8bda-19b236e4f8bd',27184755638824,1280,720,1,6,-5111,'frameTimestamp','main',NULL,0,0);
CREATE TABLE change (
    token INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    asset INTEGER NOT NULL,
    origin TEXT NOT NULL
) STRICT;
INSERT INTO change VALUES(1,'inserted',1,'capture');
INSERT INTO change VALUES(2,'inserted',2,'capture');
INSERT INTO change VALUES(3,'inserted',3,'capture');
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
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('asset',3);
INSERT INTO sqlite_sequence VALUES('change',3);
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
COMMIT;
