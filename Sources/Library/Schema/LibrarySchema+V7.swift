// SPDX-License-Identifier: GPL-3.0-or-later

extension LibrarySchema {
    static let v7 = """
        -- Movies that are being recorded, from before their file is there until they are assets: what the file in
        -- incoming/ does not say. Programs that do not know it leave both where they are.
        CREATE TABLE recording (
            id TEXT PRIMARY KEY,
            created_at INTEGER NOT NULL,
            utc_offset_s INTEGER NOT NULL,
            time_confidence TEXT NOT NULL,
            boot_id TEXT,
            boottime INTEGER,
            device_name TEXT,
            session_id TEXT,
            latitude REAL,
            longitude REAL,
            altitude REAL
        ) STRICT;
        """
}
