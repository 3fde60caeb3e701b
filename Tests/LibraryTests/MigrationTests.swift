// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Library
import Testing

@Suite("migrations")
struct MigrationTests {
    /// A library's database as an earlier version left it.
    private func folder(_ fixtures: String...) async throws -> LibraryFolder {
        let folder = try LibraryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.root, withIntermediateDirectories: true)
        for fixture in fixtures {
            let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("Fixtures/\(fixture)").path
            _ = try await folder.sqlite(".read \(file)")
        }
        return folder
    }

    @Test("what version 2 stored is there, in order, and counted")
    func version2() async throws {
        let folder = try await folder("v2.sql")
        let before = try await folder.sqlite(
            "SELECT sequence, id, lower(hex(sha256)), created_at FROM asset")
        #expect(before.count == 3)
        let library = try await folder.open()
        let result = try await library.fetchAssets()
        var after: [String] = []
        for try await asset in result {
            after.append(
                "\(asset.sequence)|\(asset.id.uuidString.lowercased())|\(asset.sha256)|"
                    + "\(asset.createdAt.nanoseconds)")
            // What it did not know.
            #expect(asset.addedAt.nanoseconds == asset.createdAt.nanoseconds)
            #expect(asset.modifiedAt.nanoseconds == asset.createdAt.nanoseconds)
            #expect(!asset.isFavorite && !asset.isHidden && asset.keywords.isEmpty)
        }
        #expect(after == before)
        #expect(
            try await folder.sqlite("SELECT count, bytes FROM view_counter WHERE name = 'view'")
                == ["3|87751"])
        #expect(
            try await folder.sqlite("PRAGMA integrity_check; PRAGMA foreign_key_check") == ["ok"])
        await library.close()
    }

    @Test("version 2 goes on storing in a file that this version has had open")
    func version2Again() async throws {
        let folder = try await folder("v2.sql")
        try await folder.open().close()
        // Its own statement; user_version is what it looks at before it opens.
        #expect(try await folder.sqlite("PRAGMA user_version") == ["1"])
        _ = try await folder.sqlite(
            """
            INSERT INTO asset (sequence, id, media_type, path, file_name, bytes, sha256, created_at,
                utc_offset_s, time_confidence, width, height, orientation, frame_sequence,
                shutter_offset_us, shutter_reference, device_name, session_id, recovered,
                time_correction_ns, boot_id, boottime)
            VALUES (4, 'b5c5d1f0-0000-4000-8000-000000000004', 'photo', '2026/11/23/4.jpg', '4.jpg',
                100, zeroblob(32), 1795436093000000000, 0, 'synchronized', 1280, 720, 1, 7, 0,
                'frameTimestamp', 'main', NULL, 0, 0, NULL, NULL)
            """)
        let library = try await folder.open()
        #expect(try await library.fetchAssets().count == 4)
        #expect(try await library.fetchAssets().lastObject()?.sequence == 4)
        #expect(
            try await folder.sqlite("SELECT count, bytes FROM view_counter WHERE name = 'view'")
                == ["4|87851"])
        // All rows of which it adds up.
        #expect(
            try await folder.sqlite("SELECT sum(count) FROM counter") == ["4"])
        await library.close()
    }

    @Test("what version 3 knew of assets is there, and all that is kept of them since is right")
    func version3() async throws {
        let folder = try await folder("v3.sql")
        let columns =
            "sequence, id, favorite, hidden, in_view, caption, subtypes, added_at, burst_id"
        let before = try await folder.sqlite("SELECT \(columns) FROM asset")
        #expect(before.count == 3)
        let library = try await folder.open()
        #expect(try await folder.sqlite("SELECT \(columns) FROM asset") == before)
        let visible = try await library.fetchAssets()
        #expect(try await visible.count == 1)
        let asset = try #require(try await visible.firstObject())
        #expect(asset.caption == "Größe" && asset.keywords == ["Größe"] && asset.isFavorite)
        #expect(asset.purgesAt == nil)
        #expect(
            try await folder.sqlite("SELECT count FROM view_counter WHERE name = 'timelapses'")
                == ["1"])
        // Days, sessions, albums and views are as they would be counted now.
        #expect(try await folder.sqlite("SELECT id, count FROM session") == ["s1|0"])
        #expect(
            try await folder.sqlite("SELECT property, sum(count) FROM asset_day GROUP BY property")
                == ["addedAt|3", "createdAt|3"])
        let findings = try await library.verify(deep: false).findings.map(\.kind)
        #expect(!findings.contains(.count))
        #expect(
            try await folder.sqlite("PRAGMA integrity_check; PRAGMA foreign_key_check") == ["ok"])
        await library.close()
    }

    @Test(
        "what version 4 knew is there, also in its album's order, and what is kept since is right")
    func version4() async throws {
        let folder = try await folder("v4.sql")
        let library = try await folder.open()
        let albums = try await library.collections(CollectionFetchOptions(.albums))
        let album = try #require(albums.first)
        #expect(albums.map(\.title) == ["Fair"])
        #expect(try await sequences(library.fetchAssets(in: album.id)) == [4, 2, 1])
        let first = try await library.asset(id: "1")
        #expect(first.isFavorite && first.caption == "Größe")
        #expect(try await library.asset(id: "3").deletedAt != nil)
        #expect(
            try await folder.sqlite("SELECT count FROM view_counter WHERE name = 'expendable'")
                == ["2"])
        let findings = try await library.verify(deep: false).findings.map(\.kind)
        #expect(!findings.contains(.count))
        try await library.performChanges {
            $0.change(album.id, .moveAssets([first.id], to: 1))
        }
        #expect(try await sequences(library.fetchAssets(in: album.id)) == [4, 1, 2])
        await library.close()
    }

    @Test("version 5 knew no RAWs: there are none, and one can be put beside its photos")
    func version5() async throws {
        let folder = try await folder("v4.sql", "v5.sql")
        let library = try await folder.open()
        let first = try await library.asset(id: "1")
        #expect(first.isFavorite && first.alternatePhoto == nil)
        #expect(
            try await folder.sqlite(
                "SELECT count, bytes FROM view_counter WHERE name = 'alternatePhotos'") == ["0|0"])
        let id = UUID()
        try folder.write(Array("II*\0".utf8), to: folder.path + "/card/a.dng")
        let hash = try library.stagingFolder().copy(folder.path + "/card/a.dng", as: id)
        #expect(
            try await library.attach(
                StagedAlternate(id: id, sha256: hash, format: .dng), to: first.id))
        #expect(try await library.asset(id: "1").alternatePhoto?.bytes == 4)
        await library.close()
    }

    /// Their own statements, which know nothing of what came later.
    @Test(
        "versions 3 to 6 go on storing in a file that this version has had open",
        arguments: [3, 4, 5, 6])
    func earlierAgain(version: Int) async throws {
        let folder = try LibraryFolder()
        var library = try await folder.open()
        for number in 1...3 { try await library.add(photo(number: Int64(number))) }
        await library.close()
        #expect(try await folder.sqlite("PRAGMA user_version") == ["1"])
        let isLate = version >= 5
        _ = try await folder.sqlite(
            """
            PRAGMA foreign_keys = ON;
            BEGIN IMMEDIATE;
            INSERT INTO asset (
                sequence, id, media_type, path, file_name, bytes, sha256, created_at,
                utc_offset_s, time_confidence, boot_id, boottime, width, height, orientation,
                frame_sequence, shutter_offset_us, shutter_reference, device_name, session_id,
                recovered, added_at, duration_value, duration_timescale
                \(isLate ? ", subtypes, latitude, longitude, altitude, burst_id, represents_burst" : ""))
            VALUES (4, 'b5c5d1f0-0000-4000-8000-000000000004', 'photo', '2026/11/23/4.jpg', '4.jpg',
                100, zeroblob(32), 1795436093000000000, 0, 'synchronized', NULL, NULL, 1280, 720, 1,
                7, 0, 'frameTimestamp', 'main', 'morning', 0, 1795436093000000000, NULL, NULL
                \(isLate ? ", 2, 48.25, 16.5, NULL, NULL, 0" : ""));
            INSERT INTO change (kind, asset, origin) VALUES ('inserted', 4, 'capture');
            INSERT INTO outbox (asset, queued_at) VALUES (4, 1795436093000000000);
            COMMIT;
            UPDATE asset SET favorite = 1 WHERE favorite IS NOT 1 AND sequence = 1;
            UPDATE asset SET deleted_at = 1795436093000000000 WHERE sequence = 2;
            INSERT OR IGNORE INTO asset_keyword (folded, keyword, asset) VALUES ('fair', 'Fair', 4);
            DELETE FROM asset WHERE sequence = 3;
            """)
        library = try await folder.open()
        let asset = try await library.asset(id: "4")
        #expect(asset.keywords == ["Fair"] && asset.sessionID == "morning")
        #expect(asset.mediaSubtypes == (isLate ? .timelapse : []))
        #expect(asset.adjustment == nil && asset.alternatePhoto == nil && asset.purgesAt == nil)
        #expect(try await sequences(library.fetchAssets()) == [1, 4])
        #expect(try await library.asset(id: "1").isFavorite)
        #expect(try await library.statistics().assets == 3)
        // What is kept of them adds up, views, sessions and days.
        let findings = try await library.verify(deep: false).findings.map(\.kind)
        #expect(!findings.contains(.count), "\(findings)")
        #expect(
            try await folder.sqlite("PRAGMA integrity_check; PRAGMA foreign_key_check") == ["ok"])
        await library.close()
    }

    @Test(
        "a library of an earlier version and one made now have the same tables, indexes and triggers"
    )
    func sameSchema() async throws {
        func schema(_ folder: LibraryFolder) async throws -> [String] {
            try await folder.open().close()
            return try await folder.sqlite(
                """
                SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name;
                SELECT tbl, idx, stat FROM sqlite_stat1 ORDER BY idx;
                """)
        }
        let new = try await schema(LibraryFolder())
        #expect(new.contains { $0.hasPrefix("table|asset_day|") })
        let earlier = [
            "2": try await folder("v2.sql"), "3": try await folder("v3.sql"),
            "4": try await folder("v4.sql"), "5": try await folder("v4.sql", "v5.sql"),
            "6": try await folder("v4.sql", "v5.sql", "v6.sql"),
        ]
        for (version, folder) in earlier {
            let different = Set(try await schema(folder)).symmetricDifference(new).sorted()
            #expect(different == [], "version \(version)")
        }
    }

    @Test("counts of what is in view, favourite, hidden and deleted follow every change")
    func counters() async throws {
        let random = try await RandomLibrary(assets: 300, seed: 12)
        let counted = """
            SELECT name, count, bytes FROM view_counter
            WHERE name NOT IN ('alternatePhotos', 'notYetSynced') ORDER BY name
            """
        let visible = "hidden = 0 AND deleted_at IS NULL AND (burst_id IS NULL OR represents_burst)"
        let members = [
            "bursts": "represents_burst AND \(visible)",
            "deleted": "deleted_at IS NOT NULL", "favorites": "favorite AND \(visible)",
            "expendable": "deleted_at IS NULL AND NOT favorite AND NOT recovered",
            "hidden": "hidden AND deleted_at IS NULL",
            "photos": "media_type = 'photo' AND \(visible)",
            "timelapses": "subtypes & 2 AND \(visible)",
            "videos": "media_type = 'video' AND \(visible)", "view": visible,
        ]
        let recounted = members.sorted { $0.key < $1.key }.map {
            "SELECT '\($0.key)', count(*), coalesce(sum(bytes), 0) FROM asset WHERE \($0.value)"
        }.joined(separator: " UNION ALL ")
        for change in [
            "SELECT 1", "UPDATE asset SET hidden = 1 - hidden WHERE sequence % 3 = 0",
            "UPDATE asset SET deleted_at = iif(deleted_at IS NULL, 5, NULL) WHERE sequence % 4 = 0",
            "UPDATE asset SET favorite = 1 - favorite, bytes = bytes + 7 WHERE sequence % 5 = 0",
            "UPDATE asset SET burst_id = 'b', represents_burst = sequence % 2 WHERE sequence < 50",
            "DELETE FROM asset WHERE sequence % 7 = 0",
        ] {
            _ = try await random.folder.sqlite(change)
            let counts = try await random.folder.sqlite(counted)
            #expect(counts == (try await random.folder.sqlite(recounted)), "\(change)")
            #expect(counts.count == 9 && !counts.contains { $0.hasSuffix("|0|0") })
        }
    }
}
