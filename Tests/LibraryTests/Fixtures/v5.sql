-- What version 5 of the tables makes of v4.sql, to be read after that: taken from sqlite3 library.sqlite .dump
BEGIN TRANSACTION;
INSERT INTO grdb_migrations VALUES('v5');
INSERT INTO view_counter VALUES('expendable',2,10000);
CREATE INDEX asset_expendable ON asset (sequence)
    WHERE deleted_at IS NULL AND favorite = 0 AND recovered = 0;
CREATE TRIGGER expendable_counted AFTER INSERT ON asset WHEN (new.deleted_at IS NULL AND new.favorite = 0 AND new.recovered = 0) BEGIN
    UPDATE view_counter SET count = count + 1, bytes = bytes + new.bytes
    WHERE name = 'expendable';
END;
CREATE TRIGGER expendable_uncounted AFTER DELETE ON asset WHEN (old.deleted_at IS NULL AND old.favorite = 0 AND old.recovered = 0) BEGIN
    UPDATE view_counter SET count = count - 1, bytes = bytes - old.bytes
    WHERE name = 'expendable';
END;
CREATE TRIGGER expendable_recounted AFTER UPDATE ON asset
    WHEN (old.deleted_at IS NULL AND old.favorite = 0 AND old.recovered = 0) IS NOT (new.deleted_at IS NULL AND new.favorite = 0 AND new.recovered = 0) OR ((new.deleted_at IS NULL AND new.favorite = 0 AND new.recovered = 0) AND old.bytes <> new.bytes) BEGIN
    UPDATE view_counter SET count = count - (old.deleted_at IS NULL AND old.favorite = 0 AND old.recovered = 0) + (new.deleted_at IS NULL AND new.favorite = 0 AND new.recovered = 0),
        bytes = bytes - (old.deleted_at IS NULL AND old.favorite = 0 AND old.recovered = 0) * old.bytes + (new.deleted_at IS NULL AND new.favorite = 0 AND new.recovered = 0) * new.bytes
    WHERE name = 'expendable';
END;
COMMIT;
