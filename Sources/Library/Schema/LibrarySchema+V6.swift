// SPDX-License-Identifier: GPL-3.0-or-later

extension LibrarySchema {
    static let v6 = """
        -- The RAW beside a photo's original: in the same folder, under the same id. Programs that do not know it
        -- leave it where it is, also when they purge the photo: then it is nobody's.
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
        """
}
