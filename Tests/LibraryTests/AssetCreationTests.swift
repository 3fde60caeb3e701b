// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Library
import Testing

@Suite("asset creation")
struct AssetCreationTests {
    private let folder: LibraryFolder

    init() throws { folder = try LibraryFolder() }

    /// Copies a file with this content to the library's staging folder.
    private func stage(
        _ content: String, for library: AssetLibrary, day: Int64 = 0, sha256: String? = nil
    ) throws -> StagedFile {
        let (id, source) = (UUID(), folder.path + "/source")
        try Data(content.utf8).write(to: URL(filePath: source))
        let hash = try library.stagingFolder().copy(source, as: id)
        return StagedFile(
            id: id, sha256: sha256 ?? hash, mediaType: .photo, fileExtension: "png",
            createdAt: WallTime(
                nanoseconds: (1_795_347_005 + day * 86_400) * 1_000_000_000, utcOffsetSeconds: 0),
            width: 640, height: 480, mediaSubtypes: .screenshot, thumbnail: Data(jpeg()))
    }

    /// Checks that the library is empty, closes it, and checks that the next open adopts nothing.
    private func expectEmpty(_ library: AssetLibrary) async throws {
        #expect(try await library.assets(.everything, limit: 10).isEmpty)
        #expect(try await folder.originals().isEmpty)
        #expect(try folder.names(folder.root + "/incoming").isEmpty)
        #expect(try await library.collections(CollectionFetchOptions(.albums)).isEmpty)
        await library.close()
        let again = try await folder.open()
        #expect(await again.recovered().adopted.isEmpty)
        #expect(try await again.verify(deep: true).findings.isEmpty)
        await again.close()
    }

    @Test("assets can be changed and put into albums in the transaction that creates them")
    func placeholders() async throws {
        let library = try await folder.open()
        var changes = LibraryChanges()
        // The assets lie in the folders of two days.
        let first = changes.createAsset(try stage("first", for: library, day: 1))
        let second = changes.createAsset(try stage("second", for: library))
        let album = changes.createAlbum("Wedding")
        changes.change(album, .addAssets([second, first], at: nil))
        changes.change([first], .setFavorite(true))
        let token = try await library.currentChangeToken()
        let sent = try JSONDecoder().decode(
            LibraryChanges.self, from: JSONEncoder().encode(changes))
        #expect(try await library.perform(sent) == 3)
        let found = try await library.fetchAssets(in: album)
        var assets: [Asset] = []
        for try await asset in found { assets.append(asset) }
        #expect(assets.map(\.id) == [second, first] && assets.map(\.isFavorite) == [false, true])
        #expect(assets.allSatisfy { $0.mediaSubtypes == .screenshot && $0.width == 640 })
        #expect(assets[0].createdAt.nanoseconds < assets[1].createdAt.nanoseconds)
        let stored = try await folder.originals()
        for asset in assets { #expect(stored[asset.id.uuidString.lowercased()] == asset.sha256) }
        #expect(try folder.names(folder.root + "/derived/thumbnails").count == 2)
        #expect(try folder.names(folder.root + "/incoming").isEmpty)
        let history = try await library.changes(since: token, from: [.operator])
        #expect(history.inserted.count == 2)
        #expect(try await library.verify(deep: true).findings.isEmpty)
        await library.close()
        let again = try await folder.open()
        #expect(await again.recovered().adopted.isEmpty)
        await again.close()
    }

    @Test("a refused change undoes all changes of its transaction and leaves no file")
    func allOrNothing() async throws {
        let library = try await folder.open()
        var changes = LibraryChanges()
        let asset = changes.createAsset(try stage("one", for: library))
        _ = changes.createAsset(try stage("two", for: library, day: 3))
        let album = changes.createAlbum("Wedding")
        changes.change(album, .addAssets([asset], at: nil))
        changes.change([asset], .addKeywords([""]))
        await #expect { try await library.perform(changes) } throws: {
            ($0 as? LibraryError)?.code == .invalidValue
        }
        try await expectEmpty(library)
    }

    @Test("no file of a transaction is kept if one cannot be moved into place")
    func noPlace() async throws {
        let library = try await folder.open()
        let (first, second) = (
            try stage("one", for: library), try stage("two", for: library, day: 3)
        )
        // This file is in the place of the second asset's day folder.
        let way = folder.root + "/originals/2026/11/25"
        try folder.write([1], to: way)
        let error = await #expect(throws: LibraryError.self) {
            try await library.performChanges { changes in
                _ = changes.createAsset(first)
                _ = changes.createAsset(second)
            }
        }
        #expect(
            error?.message.contains("originals/2026/11/25") == true, "\(String(describing: error))")
        try FileManager.default.removeItem(atPath: way)
        try await expectEmpty(library)
    }

    @Test("one transaction creates at most 100 assets")
    func many() async throws {
        let library = try await folder.open()
        let files = try (0...100).map { try stage("\($0)", for: library) }
        await #expect {
            try await library.performChanges { changes in
                for file in files { _ = changes.createAsset(file) }
            }
        } throws: { ($0 as? LibraryError)?.code == .invalidValue }
        try await expectEmpty(library)
    }

    @Test("a staged file that is missing or does not match its hash fails the transaction")
    func refused() async throws {
        let library = try await folder.open()
        let missing = try stage("missing", for: library)
        library.stagingFolder().discard(missing.id)
        let lie = try stage("lie", for: library, sha256: String(repeating: "0", count: 64))
        for (bad, code) in [(missing, LibraryError.Code.notFound), (lie, .damaged)] {
            let good = try stage("good", for: library)
            await #expect {
                try await library.performChanges { changes in
                    _ = changes.createAsset(good)
                    _ = changes.createAsset(bad)
                }
            } throws: { ($0 as? LibraryError)?.code == code }
        }
        try await expectEmpty(library)
    }

    @Test("content that already is an asset is refused, and the error names that asset")
    func conflict() async throws {
        let library = try await folder.open()
        let (first, twin) = (try stage("same", for: library), try stage("same", for: library))
        await #expect {
            try await library.performChanges { changes in
                _ = changes.createAsset(first)
                _ = changes.createAsset(twin)
            }
        } throws: { ($0 as? LibraryError)?.code == .conflict }
        let one = try stage("same", for: library)
        try await library.performChanges { _ = $0.createAsset(one) }
        let other = try stage("same", for: library)
        await #expect {
            try await library.performChanges { changes in
                _ = changes.createAsset(other)
                _ = changes.createAlbum("Wedding")
            }
        } throws: {
            let error = $0 as? LibraryError
            return error?.code == .conflict && error?.message.contains("asset 1 ") == true
        }
        #expect(try await library.assets(.everything, limit: 10).map(\.id) == [one.id])
        #expect(try await library.collections(CollectionFetchOptions(.albums)).isEmpty)
        #expect(try folder.names(folder.root + "/incoming").isEmpty)
        #expect(try await library.verify(deep: true).findings.isEmpty)
        await library.close()
    }
}
