// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Library
import Testing

@Suite("export")
struct ExportTests {
    private func hashes(_ directory: String) async throws -> [String: String] {
        let found = try await command([
            "find", directory, "-type", "f", "-exec", "sha256sum", "{}", "+",
        ])
        var result: [String: String] = [:]
        for line in found.lines {
            let parts = line.split(separator: " ", maxSplits: 1)
            result[String(parts[1].split(separator: "/").last ?? "")] = String(parts[0])
        }
        return result
    }

    @Test("an export copies every original, reports its progress and skips existing copies")
    func all() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        for number in 0..<12 {
            try await library.add(photo(jpeg(bytes: number == 3 ? 2_500_000 : 4000)))
        }
        let assets = try await library.assets(limit: 100)
        var seen: [ExportProgress] = []
        let first = try await library.export(to: folder.target) { seen.append($0) }
        #expect(first.exported.named == assets.map(\.fileName))
        #expect(first.skipped.named == [])
        #expect(first.failures.isEmpty)
        #expect(first.bytes == assets.reduce(0) { $0 + $1.bytes })
        #expect(
            try await hashes(folder.target)
                == Dictionary(uniqueKeysWithValues: assets.map { ($0.fileName, $0.sha256) }))
        #expect(seen.map(\.done) == Array(1...12))
        #expect(seen.allSatisfy { $0.total == 12 })
        #expect(seen.last?.bytes == first.bytes)

        try FileManager.default.removeItem(atPath: folder.target + "/" + assets[5].fileName)
        let second = try await library.export(to: folder.target)
        #expect(second.exported.named == [assets[5].fileName])
        #expect(second.skipped.count == 11)
        await library.close()
    }

    @Test("an export of named assets reports unknown names and copies the others")
    func some() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        for _ in 0..<3 { try await library.add(photo()) }
        let assets = try await library.assets(limit: 10)
        let report = try await library.export(
            ["3", "nothing", String(assets[0].id.uuidString.prefix(13))], to: folder.target)
        #expect(report.exported.named == [assets[2].fileName, assets[0].fileName])
        #expect(report.failures.named.map(\.name) == ["nothing"])
        #expect(report.failures.named.first?.isUnknown == true)
        #expect(report.failures.named.first?.error.code == .notFound)
        await library.close()
    }

    @Test("an export replaces no file, follows no link and leaves no partial file")
    func replacesNothing() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        for _ in 0..<4 { try await library.add(photo()) }
        let assets = try await library.assets(limit: 10)
        let target = folder.target + "/"
        try folder.write([1, 2, 3], to: target + assets[0].fileName)
        try folder.write(
            Array(repeating: 0, count: Int(assets[1].bytes)), to: target + assets[1].fileName)
        try folder.write([9], to: folder.path + "/outside")
        try FileManager.default.createSymbolicLink(
            atPath: target + assets[2].fileName, withDestinationPath: folder.path + "/outside")
        let report = try await library.export(to: folder.target)
        #expect(report.exported.named == [assets[3].fileName])
        #expect(report.failures.named.map(\.name) == assets[0...2].map(\.fileName))
        #expect(report.failures.named.allSatisfy { $0.error.code == .conflict })
        let contents = FileManager.default
        #expect(contents.contents(atPath: target + assets[0].fileName) == Data([1, 2, 3]))
        #expect(contents.contents(atPath: folder.path + "/outside") == Data([9]))
        #expect(try folder.names(folder.target) == assets.map(\.fileName))
        await library.close()
    }

    @Test(
        "an export never writes outside its folder, whatever names the database has",
        arguments: ["../escaped.jpg", "/tmp/escaped.jpg", "..", ".hidden", "a/b.jpg", ""])
    func outside(name: String) async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        try await library.add(photo())
        try await library.add(photo())
        _ = try await folder.sqlite("UPDATE asset SET file_name = '\(name)' WHERE sequence = 1")
        let report = try await library.export(to: folder.target)
        #expect(report.failures.count == 1)
        #expect(report.failures.named.first?.error.code == .damaged)
        #expect(report.exported.count == 1)
        #expect(try folder.names(folder.target) == report.exported.named)
        #expect(try folder.names(folder.path) == ["export", "root"])
        #expect(!FileManager.default.fileExists(atPath: "/tmp/escaped.jpg"))
        await library.close()
    }

    @Test("a damaged or missing original is reported and not copied")
    func damaged() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        for _ in 0..<3 { try await library.add(photo()) }
        let assets = try await library.assets(limit: 10)
        let path = try await library.resource(id: "1").path
        var content = Array(try #require(FileManager.default.contents(atPath: path)))
        content[2000] ^= 1
        try folder.write(content, to: path)
        try FileManager.default.removeItem(
            atPath: await library.resource(id: "2").path)
        let report = try await library.export(to: folder.target)
        #expect(report.failures.named.map(\.name) == assets[0...1].map(\.fileName))
        #expect(report.failures.named.map(\.error.code) == [.damaged, .notFound])
        #expect(try folder.names(folder.target) == [assets[2].fileName])
        await library.close()
    }

    @Test("an export needs the library only for the list of assets, not to copy them")
    func closed() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        for _ in 0..<3 { try await library.add(photo()) }
        var list = try await ExportList(from: library)
        #expect(list.total == 3)
        try await library.add(photo())
        var items: [ExportItem] = []
        while let page = try await list.next(from: library) { items += page }
        await library.close()
        let waiting = items
        var pages = [waiting].makeIterator()
        let report = try await AssetExporter(to: folder.target).run(total: 3) { pages.next() }
        #expect(report.exported.count == 3)
        #expect(report.failures.isEmpty)
    }

    @Test("an export survives reopening of the library and names the first 500 failures")
    func pages() async throws {
        let random = try await RandomLibrary(assets: 900, seed: 16)
        var library = try await random.folder.open()
        let all = try await library.assets(
            FetchOptions(includesAllBurstMembers: true), limit: 900)
        var list = try await ExportList(from: library)
        #expect(list.total == all.count && all.count > 600)
        let report = try await AssetExporter(to: random.folder.target).run(total: list.total) {
            await library.close()
            library = try await random.folder.open()
            return try await list.next(from: library)
        }
        // Every asset fails, because there are no originals.
        #expect(report.failures.count == all.count && report.unknown == 0)
        #expect(report.failures.named.map(\.name) == all.prefix(500).map(\.fileName))
        await library.close()
    }

    @Test("a resource survives JSON, including its path")
    func resourceJSON() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        let asset = try await library.add(photo())
        let resource = try await library.resource(id: "1")
        #expect(resource.asset == asset)
        #expect(FileManager.default.contents(atPath: resource.path)?.count == Int(asset.bytes))
        let data = try JSONEncoder().encode(resource)
        let copy = try JSONDecoder().decode(AssetResource.self, from: data)
        #expect(copy.path == resource.path)
        #expect(copy.asset.sha256 == asset.sha256)
        let keys = try JSONDecoder().decode([String: Ignored].self, from: data).keys
        #expect(Set(keys).isSuperset(of: ["id", "sha256", "fileName", "path"]))
        await library.close()
    }

    @Test("an original can be read in parts, and its EXIF is what exiftool wrote")
    func partsAndMetadata() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        let file = folder.path + "/exif.jpg"
        try folder.write(try Corners.jpeg(), to: file)
        let tagged = try await command([
            "exiftool", "-q", "-Make=Ärger & Co", "-ISO=400", "-ExposureTime=1/50",
            "-GPSLatitude=48.1",
            "-GPSLatitudeRef=N", "-Orientation#=6", "-overwrite_original", file,
        ])
        try #require(tagged.status == 0, "\(tagged.errors)")
        let content = Array(try #require(FileManager.default.contents(atPath: file)))
        try await library.add(photo(jpeg: content, size: Corners.size, orientation: 6))
        let resource = try await library.resource(id: "1")
        for range in [0..<10, 100..<5000, 0..<Int.max, content.count - 1..<content.count + 9] {
            #expect(
                try resource.bytes(in: range)
                    == Array(content[range.clamped(to: 0..<content.count)]))
        }
        #expect(try resource.bytes(in: content.count..<content.count + 1) == [])
        let metadata = try await resource.metadata()
        #expect(metadata["Exif"]?["ExposureTime"] == "1/50 sec.")
        #expect(metadata["Exif"]?["ISOSpeedRatings"] == "400")
        #expect(metadata["TIFF"]?["Orientation"] == "Right-top")
        #expect(metadata["TIFF"]?["Make"]?.hasSuffix("rger & Co") == true)
        #expect(metadata["GPS"]?["GPSLatitudeRef"] == "N")

        let bare = try await library.add(photo())
        let other = try await library.resource(id: "2")
        #expect(try await other.metadata() == [:])
        try FileManager.default.removeItem(atPath: other.path)
        let error = await #expect(throws: LibraryError.self) {
            try await other.metadata()
        }
        #expect(
            error?.code == .notFound
                && error?.message.contains(bare.id.uuidString.lowercased()) == true)
        await library.close()
    }

    private struct Ignored: Decodable { init(from decoder: any Decoder) {} }

    @Test("checking whether a library exists does not create one")
    func exists() async throws {
        let folder = try LibraryFolder()
        #expect(try !AssetLibrary.exists(at: folder.root))
        #expect(try folder.names(folder.path) == [])
        try await folder.open().close()
        #expect(try AssetLibrary.exists(at: folder.root))
        // A folder without a database is a library if it has originals to adopt.
        try FileManager.default.removeItem(atPath: folder.root + "/library.sqlite")
        #expect(try !AssetLibrary.exists(at: folder.root))
        try folder.write(jpeg(), to: folder.root + "/originals/2026/11/21/any.jpg")
        #expect(try AssetLibrary.exists(at: folder.root))
    }

    @Test("a missing or full target ends the export, and the error tells how far it came")
    func unusableTarget() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        for _ in 0..<6 { try await library.add(photo(jpeg(bytes: 200_000))) }
        let error = await #expect(throws: LibraryError.self) {
            try await library.export(to: folder.path + "/no/such")
        }
        #expect(error?.code == .notFound)
        #expect(error?.message.contains("export to") == true)
        await library.close()
        let script = """
            mkdir \(folder.target) && mount -t tmpfs -o size=700k tmpfs \(folder.target) &&
            \(helper) export \(folder.root) \(folder.target); ls -A \(folder.target)
            """
        let full = try await command(
            ["unshare", "--map-root-user", "--mount", "sh", "-c", script])
        #expect(full.output.contains("failed export to \(folder.target): "))
        #expect(full.output.contains("No space left on device (after 3 files)"))
        #expect(full.lines.filter { $0.hasSuffix(".jpg") }.count == 3)
        #expect(!full.output.contains(".part"))
    }
}
