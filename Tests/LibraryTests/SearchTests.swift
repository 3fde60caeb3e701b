// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Library
import TestSupport
import Testing

@Suite("text search")
struct SearchTests {
    private static let texts = [
        "garden", "GÄRTNER", "gartner", "strasse", "a'b", "0%", "_x", "ed", "e", "rdenx", "jpg",
        "b_1", "ä", "A", "12.j",
        "\"", "*", "AND", "東京", "京", "الصور", "שלום", "ｗｅｄ", "wed\u{301}ding",
    ]
    private static let captions = [
        "Sunset in 東京", "الصُّوَر", "שָׁלוֹם", "が or か", "Cafe\u{301} au lait", "a \"quoted\" * word",
        "AND OR NOT",
    ]

    /// Returns a random library in which some assets have the captions.
    private func library(seed: UInt64) async throws -> (LibraryFolder, AssetLibrary) {
        let random = try await RandomLibrary(assets: 300, seed: seed)
        let library = try await random.folder.open()
        let assets = try await library.assets(.everything, limit: Self.captions.count)
        try await library.performChanges { changes in
            for (asset, caption) in zip(assets, Self.captions) {
                changes.change(asset, .setCaption(caption))
            }
        }
        return (random.folder, library)
    }

    private func expectAsByLookingAtEach(_ library: AssetLibrary) async throws {
        let all = try await library.assets(.everything, limit: 1000)
        for text in Self.texts {
            let filters: [AssetFilter] = [
                .text(text), AssetFilter.caption.contains(text),
                AssetFilter.fileName.contains(text),
                AssetFilter.isFavorite == true && .text(text), .not(.text(text)),
            ]
            for filter in filters {
                let options = FetchOptions(filter: filter)
                let expected = all.filter(options.matches)
                let found = try await library.fetchAssets(options)
                #expect(
                    try await sequences(found) == expected.map(\.sequence), "\(text), \(filter)")
                #expect(try await library.countOfAssets(options) == expected.count)
            }
        }
    }

    @Test("the text index finds what a scan finds, even if incomplete or after changes")
    func index() async throws {
        let (folder, library) = try await library(seed: 41)
        try await expectAsByLookingAtEach(library)
        try await library.indexText()
        try await expectAsByLookingAtEach(library)
        let assets = try await library.assets(.everything, limit: 1000)
        try await library.performChanges { changes in
            changes.change(assets[20..<40].map(\.id), .setCaption("a garden in 東京"))
            changes.change(assets[40..<50].map(\.id), .setCaption(nil))
            changes.change(assets[60..<80].map(\.id), .addKeywords(["Straße"]))
            changes.change(assets[80..<90].map(\.id), .delete)
            changes.change(assets[80..<85].map(\.id), .purge)
        }
        try await expectAsByLookingAtEach(library)
        await library.close()
        // Control: an emptied index finds nothing, so the index is really used.
        _ = try await folder.sqlite(
            "INSERT INTO text (text) VALUES ('delete-all')",
            in: folder.root + "/derived/search.sqlite")
        let opened = try await folder.open()
        #expect(try await opened.countOfAssets(FetchOptions(filter: .text("garden"))) == 0)
        await opened.close()
    }

    @Test("searches ignore case, accents and marks, but not other letters")
    func folding() async throws {
        // The end of the folder's life removes it.
        let (folder, library) = try await library(seed: 42)
        func isFound(_ text: String, _ caption: Int) async throws -> Bool {
            let found = try await library.fetchAssets(
                FetchOptions(
                    filter: AssetFilter.caption.contains(text), includesHidden: true,
                    includesAllBurstMembers: true, includesDeleted: true))
            return try await sequences(found).contains(Int64(caption + 1))
        }
        for isIndexed in [false, true] {
            if isIndexed { try await library.indexText() }
            #expect(try await isFound("東京", 0))
            #expect(try await isFound("الصور", 1))
            #expect(try await isFound("שלום", 2))
            #expect(try await isFound("CAFÉ", 4))
            #expect(try await isFound("cafe au", 4))
            #expect(try await isFound("\"QUOTED\" *", 5))
            #expect(try await isFound("か", 3))
            #expect(try await !isFound("caffe", 4))
        }
        await library.close()
        withExtendedLifetime(folder) {}
    }

    @Test("an index that is damaged, outdated or of another version is rebuilt")
    func damaged() async throws {
        let (folder, library) = try await library(seed: 43)
        try await library.indexText()
        await library.close()
        let index = folder.root + "/derived/search.sqlite"
        for damage in ["damaged", "version", "history"] {
            switch damage {
            case "damaged":
                var bytes = try Data(contentsOf: URL(fileURLWithPath: index))
                for place in stride(from: 0, to: bytes.count, by: 64) { bytes[place] ^= 0x5A }
                try bytes.write(to: URL(fileURLWithPath: index))
            case "version":
                _ = try await folder.sqlite("PRAGMA user_version = 99", in: index)
            default:
                _ = try await folder.sqlite("UPDATE state SET token = 0", in: index)
                _ = try await folder.sqlite("DELETE FROM change WHERE token < 3")
            }
            let opened = try await folder.open()
            try await expectAsByLookingAtEach(opened)
            try await opened.indexText()
            try await expectAsByLookingAtEach(opened)
            await opened.close()
        }
        let opened = try await folder.open()
        #expect(try await opened.verify(deep: true).findings.filter { $0.kind == .foreign } == [])
        await opened.close()
    }
}
