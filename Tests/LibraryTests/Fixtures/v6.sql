-- What version 6 of the tables makes of v4.sql and v5.sql, to be read after them: the statements as they were released.
BEGIN TRANSACTION;
INSERT INTO grdb_migrations VALUES('v6');
CREATE TABLE alternate_photo (
    asset INTEGER PRIMARY KEY REFERENCES asset (sequence) ON DELETE CASCADE,
    file_extension TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    sha256 BLOB NOT NULL CHECK (length(sha256) = 32)
) STRICT;
INSERT INTO view_counter VALUES ('alternatePhotos', 0, 0);
CREATE TRIGGER alternate_photo_counted AFTER INSERT ON alternate_photo BEGIN
    UPDATE view_counter SET count = count + 1, bytes = bytes + new.bytes
    WHERE name = 'alternatePhotos';
END;
CREATE TRIGGER alternate_photo_uncounted AFTER DELETE ON alternate_photo BEGIN
    UPDATE view_counter SET count = count - 1, bytes = bytes - old.bytes
    WHERE name = 'alternatePhotos';
END;
COMMIT;
