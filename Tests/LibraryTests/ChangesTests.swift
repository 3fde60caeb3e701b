// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Library
import Media
import Testing

@Suite("changes")
struct ChangesTests {
    private let folder: LibraryFolder
    private let library: AssetLibrary

    init() async throws {
        folder = try LibraryFolder()
        library = try await folder.open()
        for number in 0..<4 { try await library.add(photo(number: Int64(number))) }
    }

    private func asset(_ sequence: Int64) async throws -> Asset {
        try await library.asset(id: "\(sequence)")
    }

    /// Returns the rows of the change log after a token, as sqlite3 reads them.
    private func log(after token: Int) async throws -> [String] {
        try await folder.sqlite(
            "SELECT kind, asset, origin FROM change WHERE token > \(token) ORDER BY token")
    }

    @Test("each change is stored, dated and logged")
    func changes() async throws {
        let one = try await asset(1)
        let location = try #require(AssetLocation(latitude: 48.1, longitude: 11.5, altitude: 520))
        let changed = try await library.performChanges(from: .sync) { changes in
            changes.change(one, .setFavorite(true))
            changes.change(one, .setCaption("  Im Garten\n"))
            changes.change(one, .setLocation(location))
            changes.change(one, .addKeywords([" Mai ", "garten", "MAI"]))
        }
        #expect(changed == 1)
        let now = try await asset(1)
        #expect(now.isFavorite && now.caption == "Im Garten" && now.location == location)
        #expect(now.keywords == ["Mai", "garten"])
        #expect(now.modifiedAt.nanoseconds > now.createdAt.nanoseconds)
        #expect(
            try await folder.sqlite(
                "SELECT favorite, caption, latitude, longitude, altitude FROM asset WHERE sequence = 1"
            )
                == ["1|Im Garten|48.1|11.5|520.0"])
        #expect(Set(try await log(after: 4)) == ["updated|1|sync"])
        let rest = try await library.fetchAssets(
            FetchOptions(filter: AssetFilter.isFavorite == false))
        #expect(try await rest.count == 3)

        try await library.performChanges { changes in
            changes.change(one, .setFavorite(false))
            changes.change(one, .setCaption(" "))
            changes.change(one, .setLocation(nil))
            changes.change(one, .removeKeywords(["GARTEN", "nothing"]))
        }
        let then = try await asset(1)
        #expect(!then.isFavorite && then.caption == nil && then.location == nil)
        #expect(then.keywords == ["Mai"])
        await library.close()
    }

    @Test("a change to the present value is neither dated nor logged")
    func noChange() async throws {
        let one = try await asset(1)
        let changed = try await library.performChanges { changes in
            changes.change(one, .setFavorite(false))
            changes.change(one, .setCaption(nil))
            changes.change(one, .restore)
            changes.change(one, .removeKeywords(["none"]))
        }
        #expect(changed == 0)
        #expect(try await asset(1) == one)
        #expect(try await log(after: 4) == [])
        await library.close()
    }

    @Test("a refused change undoes all changes of its transaction")
    func allOrNothing() async throws {
        let one = try await asset(1)
        let refused: [(AssetChange, UUID, LibraryError.Code)] = [
            (.setHidden(true), UUID(), .notFound),
            (.purge, try await asset(2).id, .notDeleted),
            (.addKeywords(["two\nlines"]), one.id, .invalidValue),
            (.addKeywords([" "]), one.id, .invalidValue),
            (.addKeywords([String(repeating: "k", count: 101)]), one.id, .invalidValue),
            (.setCaption(String(repeating: "c", count: 10_001)), one.id, .invalidValue),
            (.setCaption("a\u{0}b"), one.id, .invalidValue),
            (.addKeywords(["\u{0}"]), one.id, .invalidValue),
            (
                .addKeywords(["e" + String(repeating: "\u{301}", count: 1000)]), one.id,
                .invalidValue
            ),
        ]
        for (change, id, code) in refused {
            let error = await #expect(throws: LibraryError.self) {
                try await self.library.performChanges { changes in
                    changes.change(one, .setFavorite(true))
                    changes.change(one, .delete)
                    changes.change([id], change)
                }
            }
            #expect(error?.code == code, "\(change)")
            #expect(try await asset(1) == one)
        }
        #expect(try await log(after: 4) == [])
        await library.close()
    }

    @Test("assets can be deleted, restored, and purged with their files")
    func deletion() async throws {
        let (one, two) = (try await asset(1), try await asset(2))
        try await library.performChanges { $0.change([one.id, two.id], .delete) }
        let date = try #require(try await asset(1).deletedAt)
        #expect(try await library.fetchAssets().count == 2)
        let deleted = FetchOptions(filter: AssetFilter.deletedAt != nil, includesDeleted: true)
        #expect(try await library.fetchAssets(deleted).count == 2)
        // Deleting it again keeps the first date.
        try await library.performChanges { $0.change(one, .delete) }
        #expect(try await asset(1).deletedAt == date)

        try await library.performChanges { $0.change(one, .restore) }
        #expect(try await asset(1).deletedAt == nil)
        #expect(try await library.fetchAssets().count == 3)
        #expect(try await folder.originals().count == 4)

        try await library.performChanges { $0.change(two, .purge) }
        let error = await #expect(throws: LibraryError.self) { try await asset(2) }
        #expect(error?.code == .notFound)
        let left = try await folder.originals()
        #expect(left.count == 3 && left[two.id.uuidString.lowercased()] == nil)
        #expect(
            !(try folder.names(folder.root + "/derived/thumbnails"))
                .contains("\(two.id.uuidString.lowercased()).jpg"))
        #expect(try await folder.sqlite("SELECT count(*) FROM purged_file") == ["0"])
        #expect(try await log(after: 0).last == "deleted|2|operator")
        #expect(
            try await folder.sqlite("SELECT count FROM counter WHERE name = 'photo'") == ["3"])
        await library.close()

        // The next open does not adopt it.
        let again = try await folder.open()
        #expect(await again.recovered().adopted == [])
        #expect(try await again.fetchAssets(.everything).count == 3)
        // Its sequence is not used again.
        #expect(try await again.add(photo(number: 9)).sequence == 5)
        await again.close()
    }

    @Test("the next open finishes a purge that ended before its file was removed")
    func cutOffPurge() async throws {
        let two = try await asset(2)
        let path = try await library.resource(id: "2").path
        let content = try #require(FileManager.default.contents(atPath: path))
        try await library.performChanges { $0.change(two, .delete) }
        try await library.performChanges { $0.change(two, .purge) }
        await library.close()
        // After a crash the row is gone, but the file, its note and the day's note exist.
        try folder.write(Array(content), to: path)
        let relative = path.dropFirst((folder.root + "/originals/").count)
        let day = relative.split(separator: "/").dropLast().joined(separator: "/")
        _ = try await folder.sqlite(
            """
            INSERT INTO purged_file VALUES ('\(relative)', '\(two.id.uuidString.lowercased())');
            INSERT OR REPLACE INTO ingest_day VALUES ('\(day)', 1);
            """)
        let again = try await folder.open()
        let recovery = await again.recovered()
        #expect(recovery.adopted == [] && recovery.missing == [])
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try await folder.sqlite("SELECT count(*) FROM purged_file") == ["0"])
        await again.close()
        // Control: without its note the file is adopted.
        try folder.write(Array(content), to: path)
        _ = try await folder.sqlite("INSERT OR REPLACE INTO ingest_day VALUES ('\(day)', 1)")
        let third = try await folder.open()
        #expect(await third.recovered().adopted == [two.id])
        await third.close()
    }

    @Test("the library opens although a purged file is missing or cannot be removed")
    func purgeWithoutFile() async throws {
        let two = try await asset(2)
        try FileManager.default.removeItem(atPath: folder.root + "/originals/2026")
        try await library.performChanges { $0.change(two, .delete) }
        try await library.performChanges { $0.change(two, .purge) }
        #expect(try await folder.sqlite("SELECT count(*) FROM purged_file") == ["0"])
        await library.close()
        // A file that cannot be removed stays noted and is not adopted.
        try FileManager.default.createDirectory(
            atPath: folder.root + "/originals/2026/11/22/\(two.id.uuidString.lowercased()).jpg/x",
            withIntermediateDirectories: true)
        _ = try await folder.sqlite(
            """
            INSERT INTO purged_file VALUES
                ('2026/11/22/\(two.id.uuidString.lowercased()).jpg', '\(two.id.uuidString.lowercased())')
            """)
        let again = try await folder.open()
        #expect(await again.recovered().adopted == [])
        #expect(try await folder.sqlite("SELECT count(*) FROM purged_file") == ["1"])
        await again.close()
    }

    @Test("a purge note never removes the file of an existing asset")
    func storedAgain() async throws {
        let two = try await asset(2)
        let path = try await library.resource(id: "2").path
        let relative = path.dropFirst((folder.root + "/originals/").count)
        await library.close()
        _ = try await folder.sqlite(
            "INSERT INTO purged_file VALUES ('\(relative)', '\(two.id.uuidString.lowercased())')")
        let again = try await folder.open()
        #expect(FileManager.default.fileExists(atPath: path))
        #expect(try await again.asset(id: "2").id == two.id)
        await again.close()
    }

    @Test("changes survive JSON, and malformed JSON is refused")
    func json() throws {
        let changes: [AssetChange] = [
            .setFavorite(true), .setFavorite(false), .setHidden(true), .setCaption("x"),
            .setCaption(nil), .setLocation(AssetLocation(latitude: 1.5, longitude: -2)),
            .setLocation(nil), .addKeywords(["a", "b"]), .removeKeywords([]), .delete, .restore,
            .purge,
        ]
        for change in changes {
            let data = try JSONEncoder().encode([change])
            #expect(try JSONDecoder().decode([AssetChange].self, from: data) == [change])
        }
        for wrong in [
            #"["erase"]"#, #"[{"colour": 1}]"#, "[1]",
            #"[{"location": {"latitude": 1e300, "longitude": 0}}]"#,
        ] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode([AssetChange].self, from: Data(wrong.utf8))
            }
        }
    }
}
