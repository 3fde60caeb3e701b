// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Library
import Media
import Testing

@Suite("RAW files of photos")
struct AlternatePhotoTests {
    private let folder: LibraryFolder
    private let files = FileManager.default

    init() throws { folder = try LibraryFolder() }

    /// Bytes like those that a camera writes. The library does not parse them.
    private let raw = [UInt8]("II*\0".utf8) + (0..<9000).map { _ in UInt8.random(in: 0...255) }

    private func stage(
        _ content: [UInt8], in library: AssetLibrary, _ format: RawFormat = .dng
    ) throws -> StagedAlternate {
        let id = UUID()
        try folder.write(content, to: folder.path + "/card/file")
        let hash = try library.stagingFolder().copy(folder.path + "/card/file", as: id)
        return StagedAlternate(id: id, sha256: hash, format: format)
    }

    /// Returns a library with one photo that has a RAW.
    private func paired(
        _ id: UUID = UUID()
    ) async throws -> (library: AssetLibrary, resource: AssetResource) {
        let library = try await folder.open()
        try await library.add(photo(id: id))
        #expect(try await library.attach(stage(raw, in: library), to: id))
        return (library, try await library.resource(id: id.uuidString))
    }

    private func incoming() throws -> [String] { try folder.names(folder.root + "/incoming") }

    /// Returns the hash of a file as sha256sum computes it.
    private func hash(_ path: String) async throws -> String? {
        try await command(["sha256sum", path]).lines.first.map { String($0.prefix(64)) }
    }

    @Test("photos can be filtered and sorted by whether they have a RAW")
    func found() async throws {
        let (library, resource) = try await paired()
        let other = try await library.add(photo())
        for (hasOne, expected) in [(true, resource.asset.id), (false, other.id)] {
            let options = FetchOptions(filter: AssetFilter.hasAlternatePhoto == hasOne)
            #expect(try await library.assets(options, limit: 9).map(\.id) == [expected])
        }
        let sorted = FetchOptions(
            sortDescriptors: [AssetSortDescriptor(.hasAlternatePhoto, ascending: false)])
        let ids = try await library.assets(sorted, limit: 9).map(\.id)
        #expect(ids == [resource.asset.id, other.id])
        await library.close()
    }

    @Test("a captured RAW is stored with its photo, or left out if it cannot be written")
    func captured() async throws {
        let library = try await folder.open()
        var shot = photo()
        shot.raw = raw
        let asset = try await library.add(shot)
        let file = try #require(asset.alternatePhoto)
        #expect(file.fileExtension == "dng" && file.bytes == raw.count)
        let resource = try await library.resource(id: asset.id.uuidString)
        #expect(try await hash(#require(resource.alternatePath)) == file.sha256)
        #expect(try await library.add(shot) == asset)
        #expect(try incoming().isEmpty)
        #expect(try await library.statistics().bytes == asset.bytes + Int64(raw.count))
        let history = try await library.changes(since: ChangeToken(0), from: [.capture])
        #expect(history.inserted == [1] && history.updated == [])
        #expect(try await library.verify(deep: true).findings.isEmpty)
        await library.close()
        let again = try await folder.open()
        // A folder is in the place of the RAW.
        var other = photo()
        other.raw = raw
        let place = resource.path.split(separator: "/").dropLast().joined(separator: "/")
        let obstacle = "/\(place)/\(other.id.uuidString.lowercased()).dng"
        try files.createDirectory(
            atPath: obstacle + "/full", withIntermediateDirectories: true)
        let poorer = try await again.add(other)
        #expect(poorer.alternatePhoto == nil)
        #expect(try incoming().isEmpty)
        try files.removeItem(atPath: obstacle)
        #expect(try await again.verify(deep: true).findings.isEmpty)
        await again.close()
    }

    @Test("an attached RAW is stored unchanged under the photo's id, counted and logged")
    func attached() async throws {
        let id = UUID()
        let (library, resource) = try await paired(id)
        let known = try #require(resource.asset.alternatePhoto)
        #expect(known.fileExtension == "dng" && known.bytes == raw.count)
        let path = try #require(resource.alternatePath)
        #expect(path == resource.path.dropLast(3) + "dng")
        #expect(try await hash(path) == known.sha256)
        #expect(files.contents(atPath: path) == Data(raw))
        let representations = resource.representations()
        #expect(
            representations.map(\.kind) == [
                .fullResolution, .alternatePhoto, .fullScreen, .thumbnail,
            ])
        #expect(representations[1].path == path && representations[1].bytes == known.bytes)
        #expect(representations[1].dimensions == nil)
        // Encoded as JSON, as a client of the socket receives it.
        let sent = try JSONEncoder().encode(resource)
        #expect(try JSONDecoder().decode(AssetResource.self, from: sent).alternatePath == path)
        let statistics = try await library.statistics()
        #expect(statistics.assets == 1)
        #expect(statistics.bytes == resource.asset.bytes + known.bytes)
        let history = try await library.changes(since: ChangeToken(0), from: [.import])
        #expect(history.updated == [1])
        #expect(try await library.verify(deep: true).findings.isEmpty)
        #expect(try incoming() == [])
        await library.close()
    }

    @Test("a request for the picture of a RAW fails and delivers nothing else")
    func noPicture() async throws {
        let (library, resource) = try await paired()
        let images = ImageManager(library)
        for await delivery in images.requestImage(for: resource.representation(.alternatePhoto)) {
            guard case .failed(let error) = delivery else {
                Issue.record("\(delivery)")
                continue
            }
            #expect(error.code == .unsupported)
        }
        await library.close()
    }

    @Test("a second RAW is refused unless the first is lost; the same one changes nothing")
    func again() async throws {
        let (library, resource) = try await paired()
        let id = resource.asset.id
        let known = try #require(resource.asset.alternatePhoto)
        #expect(try await library.hasAlternate(known.sha256, of: id))
        #expect(try await !library.attach(stage(raw, in: library), to: id))
        let other = await #expect(throws: LibraryError.self) {
            _ = try await library.attach(stage([1, 2], in: library), to: id)
        }
        #expect(other?.code == .invalid)
        let another = await #expect(throws: LibraryError.self) {
            _ = try await library.attach(stage(Array("MM\0*".utf8), in: library), to: id)
        }
        #expect(another?.code == .conflict)
        let original = await #expect(throws: LibraryError.self) {
            try await library.add(
                photo(
                    jpeg: raw, size: Dimensions(width: 64, height: 48), orientation: 1,
                    fileExtension: "dng"))
        }
        #expect(original?.code == .invalid)
        let none = await #expect(throws: LibraryError.self) {
            _ = try await library.attach(stage(raw, in: library), to: UUID())
        }
        #expect(none?.code == .notFound)
        let path = try #require(resource.alternatePath)
        try files.removeItem(atPath: path)
        #expect(try await !library.hasAlternate(known.sha256, of: id))
        let missing = try await library.verify(deep: false).findings
        #expect(missing.map(\.kind) == [.missing])
        #expect(missing.first?.message == "asset 1: its RAW is missing")
        #expect(try await !library.attach(stage(raw, in: library), to: id))
        #expect(try await library.verify(deep: true).findings.isEmpty)
        // A lost RAW can be replaced by another one.
        try files.removeItem(atPath: path)
        #expect(try await library.attach(stage(Array("MM\0*".utf8), in: library, .nef), to: id))
        #expect(try await library.asset(id: "1").alternatePhoto?.bytes == 4)
        #expect(
            try await folder.sqlite(
                "SELECT count, bytes FROM view_counter WHERE name = 'alternatePhotos'") == ["1|4"])
        #expect(try await library.verify(deep: true).findings.isEmpty)
        #expect(try incoming() == [])
        await library.close()
    }

    @Test("a damaged RAW is found and restored from a good copy")
    func damaged() async throws {
        let (library, resource) = try await paired()
        let path = try #require(resource.alternatePath)
        try files.copyItem(atPath: path, toPath: folder.root + "/originals/copy")
        var content = raw
        content[5000] ^= 1
        try Data(content).write(to: URL(fileURLWithPath: path))
        #expect(
            try await library.verify(deep: false).findings.map(\.kind) == [.foreign])
        let found = try await library.verify(deep: true).findings
        #expect(found.map(\.kind).sorted { $0.rawValue < $1.rawValue } == [.damaged, .foreign])
        let outcomes = try await library.repair(found.filter { $0.kind == .damaged })
        #expect(outcomes.map(\.result) == [.repaired])
        #expect(try await hash(path) == resource.asset.alternatePhoto?.sha256)
        #expect(try await library.verify(deep: true).findings.isEmpty)
        await library.close()
    }

    @Test("a RAW without a row is attached to its photo by a repair or the next open")
    func crashed() async throws {
        let (library, resource) = try await paired()
        await library.close()
        let path = try #require(resource.alternatePath)
        _ = try await folder.sqlite("DELETE FROM alternate_photo")
        // The day is not noted, so only a verification finds the file.
        var again = try await folder.open()
        #expect(try await again.asset(id: "1").alternatePhoto == nil)
        let found = try await again.verify(deep: false).findings
        #expect(found.map(\.kind) == [.orphan] && found.first?.repair == .adopt)
        #expect(try await again.repair(found).map(\.result) == [.repaired])
        #expect(try await again.resource(id: "1").alternatePath == path)
        await again.close()
        _ = try await folder.sqlite(
            "DELETE FROM alternate_photo; INSERT INTO ingest_day VALUES ('2026/11/22', 1)")
        again = try await folder.open()
        #expect(await again.recovered().foreign == [])
        #expect(
            try await again.resource(id: "1").asset.alternatePhoto
                == resource.asset.alternatePhoto)
        #expect(try await again.verify(deep: true).findings.isEmpty)
        await again.close()
    }

    @Test("a rebuilt database pairs RAWs with photos and reports a RAW without one")
    func lost() async throws {
        let (library, resource) = try await paired()
        for _ in 0..<20 { try await library.add(photo()) }
        await library.close()
        for suffix in ["", "-wal", "-shm"] {
            try? files.removeItem(atPath: folder.root + "/library.sqlite" + suffix)
        }
        let alone = "2026/11/22/\(UUID().uuidString.lowercased()).dng"
        try folder.write(raw, to: folder.root + "/originals/" + alone)
        let again = try await folder.open()
        let report = await again.recovered()
        #expect(report.adopted.count == 21 && report.foreign == [alone])
        let found = try await again.resource(id: resource.asset.id.uuidString)
        #expect(found.asset.alternatePhoto == resource.asset.alternatePhoto)
        #expect(found.asset.width == 64)
        #expect(try await again.verify(deep: true).findings.map(\.kind) == [.foreign])
        await again.close()
    }

    @Test("a RAW is purged with its photo, and retention counts its bytes")
    func purged() async throws {
        let (library, resource) = try await paired()
        let path = try #require(resource.alternatePath)
        let policy = RetentionPolicy(mostAssets: 0, requiresSync: false)
        let plan = try await library.retention(policy)
        #expect(plan.bytes == resource.asset.bytes + Int64(raw.count))
        try await library.performChanges { changes in
            changes.change([resource.asset.id], .delete)
            changes.change([resource.asset.id], .purge)
        }
        #expect(!files.fileExists(atPath: path) && !files.fileExists(atPath: resource.path))
        #expect(try await folder.sqlite("SELECT count(*) FROM purged_file") == ["0"])
        #expect(try await library.statistics().bytes == 0)
        #expect(try await library.verify(deep: true).findings.isEmpty)
        await library.close()
    }

    @Test("RAWs are exported with originals only, under the names of their photos")
    func exported() async throws {
        let (library, resource) = try await paired()
        let name = String(resource.asset.fileName.dropLast(4))
        let seen = try await library.export(to: folder.target)
        #expect(seen.exported.named == [name + ".jpg"])
        let options = ExportOptions(version: .original, writesManifest: true)
        let report = try await library.export(to: folder.target, options)
        #expect(report.exported.named == [name + ".dng"] && report.skipped.count == 1)
        #expect(
            try await hash(folder.target + "/\(name).dng") == resource.asset.alternatePhoto?.sha256)
        let manifest = try String(
            contentsOfFile: folder.target + "/manifest.jsonl", encoding: .utf8)
        #expect(manifest.split(separator: "\n").count == 2)
        let again = try await library.export(to: folder.target, options)
        #expect(again.exported.isEmpty && again.skipped.count == 2)
        // A missing RAW is a failure. Its photo is exported.
        try files.removeItem(atPath: try #require(resource.alternatePath))
        try files.removeItem(atPath: folder.target)
        let partly = try await library.export(to: folder.target, options)
        #expect(partly.exported.named == [name + ".jpg"] && partly.failures.count == 1)
        await library.close()
    }
}
