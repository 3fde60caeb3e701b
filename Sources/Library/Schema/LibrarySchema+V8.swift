// SPDX-License-Identifier: GPL-3.0-or-later

extension LibrarySchema {
    static let v8 = """
        -- What a movie that is being recorded is besides a video, where it is anything. A table of its own: the previous
        -- program writes whole rows of `recording`, and forgets these with them.
        CREATE TABLE recording_subtypes (
            id TEXT PRIMARY KEY REFERENCES recording (id) ON DELETE CASCADE,
            subtypes INTEGER NOT NULL
        ) STRICT;
        """
}
