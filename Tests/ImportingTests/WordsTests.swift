// SPDX-License-Identifier: GPL-3.0-or-later

import Codecs
import Foundation
import Importing
import Library
import LinuxIO
import Media
import TestSupport
import Testing

/// Exports and imports words. exiftool is the oracle.
@Suite("captions, keywords and ratings in files")
struct WordsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ name: String) async throws -> AssetLibrary {
        try await AssetLibrary.open(at: folder.path(of: name), reserveMegabytes: 0)
    }

    private func take(_ paths: [String], into library: AssetLibrary) async throws -> ImportReport {
        let inspector = MediaInspector(memoryLimit: 32 << 20, programs: FakePrograms())
        return try await LibraryImporter(into: library, inspector: inspector).run(paths)
    }

    private func export(
        _ library: AssetLibrary, to name: String, _ options: ExportOptions = ExportOptions()
    ) async throws -> ExportReport {
        var list = try await ExportList(from: library)
        return try await AssetExporter(to: folder.path(of: name), options).run(total: list.total) {
            try await list.next(from: library)
        }
    }

    private func assets(_ library: AssetLibrary) async throws -> [Asset] {
        try await library.page(in: nil, FetchOptions(), after: nil, limit: 1000).assets.map(\.asset)
    }

    /// Returns the tags that exiftool reads, by file name.
    private func said(of name: String) throws -> [String: [String: Any]] {
        let outcome = try Program.run(
            "exiftool",
            [
                "-json", "-struct", "-n", "-XMP-dc:Description", "-XMP-dc:Subject",
                "-XMP-xmp:Rating",
                "-XMP-photoshop:DateCreated", "-IPTC:all", "-q", folder.path(of: name),
            ])
        let list = try #require(
            try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]],
            "\(outcome.text.prefix(500))")
        return Dictionary(
            uniqueKeysWithValues: list.map {
                ((($0["SourceFile"] as? String ?? "") as NSString).lastPathComponent, $0)
            })
    }

    /// Returns the texts of a tag. exiftool's JSON has numbers for keywords that look like numbers.
    private func texts(_ value: Any?) -> Set<String> {
        let list = value as? [Any] ?? [value].compactMap(\.self)
        return Set(list.map { "\($0)" })
    }

    private static let captions = [
        "Anna & Ben <\"quoted\"> 'all'", "👩🏽‍🚀🇦🇹 emoji 🎉", "שלום, مرحبا", "two\nlines",
        "caf\u{e9} and cafe\u{301}",
        String(repeating: "long ", count: 399) + "ends.", "]]> <!-- &amp; %0A {x}", "大きさ",
        "x\u{200d}y\u{feff}z",
    ]

    @Test("200 photos keep captions, keywords and favourites through export and import")
    func roundTrip() async throws {
        let jpeg = try Pictures.jpeg()
        for index in 0..<200 {
            let kinds: [([UInt8], String)] = [
                (jpeg, "jpg"), (jpeg, "jpg"), (try Pictures.png(), "png"),
                ([0, 0, 0, 24] + Array("ftypheic".utf8), "heic"),
                ([0, 0, 0, 24] + Array("ftypisom".utf8), "mp4"),
            ]
            let (bytes, ending) = kinds[index % kinds.count]
            // No two files have the same content.
            var picture = bytes + Array("\(index)".utf8)
            if ending == "png" {
                picture = try Pictures.png(Dimensions(width: 40 + index, height: 30))
            }
            try folder.write(picture, to: "in/\(index).\(ending)")
        }
        let library = try await open("library")
        let taken = try await take([folder.path(of: "in")], into: library)
        try #require(taken.imported.count == 200 && taken.failures.isEmpty)
        for (index, id) in taken.imported.enumerated() {
            let caption = Self.captions[index % Self.captions.count] + " \(index)"
            try await library.performChanges { changes in
                if index % 10 != 9 { changes.change([id], .setCaption(caption)) }
                if index % 3 == 0 {
                    changes.change([id], .addKeywords(["k\(index)", "a, b; c", "größe", "ключ"]))
                }
                if index % 4 == 0 { changes.change([id], .setFavorite(true)) }
            }
        }
        let before = try await assets(library)
        let report = try await export(library, to: "out")
        #expect(report.failures.isEmpty)
        // A second export copies nothing.
        let again = try await export(library, to: "out")
        #expect(again.exported.isEmpty && again.failures.isEmpty)

        let said = try said(of: "out")
        for asset in before {
            let name =
                said[asset.fileName + ".xmp"] == nil ? asset.fileName : asset.fileName + ".xmp"
            let tags = said[name] ?? [:]
            let description = (tags["Description"] as? String)
            #expect(description == asset.caption, "\(name)")
            #expect(texts(tags["Subject"]) == Set(asset.keywords), "\(name)")
            #expect(tags["Rating"] as? Int == (asset.isFavorite ? 5 : nil), "\(name)")
        }

        let second = try await open("second")
        let back = try await take([folder.path(of: "out")], into: second)
        #expect(back.imported.count == 200 && back.failures.isEmpty && back.ignored.isEmpty)
        func words(_ assets: [Asset]) -> [String] {
            assets.map { asset in
                "\(asset.caption ?? "-") \(asset.keywords.sorted()) \(asset.isFavorite) \(asset.createdAt)"
            }.sorted()
        }
        #expect(try await words(assets(second)) == words(before))
        await second.close()
        await library.close()
    }

    @Test("words written by exiftool are read from JPEG and PNG, XMP before IPTC-IIM")
    func foreign() async throws {
        let jpeg = try folder.write(try Pictures.jpeg(shade: 0.1), to: "in/a.jpg")
        let iptc = try folder.write(try Pictures.jpeg(shade: 0.2), to: "in/b.jpg")
        let png = try folder.write(try Pictures.png(), to: "in/c.png")
        let both = try folder.write(try Pictures.jpeg(shade: 0.3), to: "in/d.jpg")
        let latin = try folder.write(try Pictures.jpeg(shade: 0.4), to: "in/e.jpg")
        func write(_ file: String, _ tags: [String]) throws {
            let outcome = try Program.run(
                "exiftool", ["-q", "-overwrite_original"] + tags + [file])
            try #require(outcome.status == 0, "\(outcome.text)")
        }
        let xmp = [
            "-XMP-dc:Description-de=Kein", "-XMP-dc:Description=Über uns", "-XMP-dc:Subject=eins",
            "-XMP-dc:Subject=zwei", "-XMP-xmp:Rating=5",
            "-XMP-photoshop:DateCreated=2019:05:04 03:02:01+02:00",
            "-XMP-exif:GPSLatitude=48.5", "-XMP-exif:GPSLongitude=-16.25",
            "-XMP-exif:GPSAltitude=171",
        ]
        try write(jpeg, xmp)
        try write(png, xmp)
        try write(
            iptc,
            [
                "-IPTC:CodedCharacterSet=UTF8", "-IPTC:Caption-Abstract=Größe",
                "-IPTC:Keywords=drei",
                "-IPTC:Keywords=vier", "-IPTC:DateCreated=2018:01:02",
                "-IPTC:TimeCreated=03:04:05+01:00",
                "-XMP-xmp:Rating=4",
            ])
        try write(
            both,
            [
                "-XMP-dc:Description=new", "-IPTC:Caption-Abstract=old", "-IPTC:Keywords=kept",
                "-EXIF:DateTimeOriginal=2017:01:01 00:00:00",
                "-XMP-photoshop:DateCreated=2019:05:04 03:02:01",
            ])
        try write(
            latin,
            ["-IPTC:CodedCharacterSet=", "-charset", "iptc=latin", "-IPTC:Caption-Abstract=Größe"])
        let library = try await open("library")
        let report = try await take([folder.path(of: "in")], into: library)
        try #require(report.imported.count == 5 && report.failures.isEmpty)
        let found = try await assets(library)
        for asset in [found[0], found[2]] {
            #expect(asset.caption == "Über uns" && asset.isFavorite)
            #expect(Set(asset.keywords) == ["eins", "zwei"])
            #expect("\(asset.createdAt)" == "2019-05-04T03:02:01.000+02:00")
            #expect(asset.location == Location(latitude: 48.5, longitude: -16.25, altitude: 171))
        }
        #expect(found[1].caption == "Größe" && Set(found[1].keywords) == ["drei", "vier"])
        #expect(!found[1].isFavorite && "\(found[1].createdAt)" == "2018-01-02T03:04:05.000+01:00")
        #expect(found[3].caption == "new" && found[3].keywords == ["kept"])
        #expect("\(found[3].createdAt)".hasPrefix("2017-01-01T00:00:00"))
        #expect(found[4].caption == "Größe")

        // Existing IPTC-IIM gets the words of XMP. A rating below five stars stays.
        try await library.performChanges { changes in
            changes.change(found.map(\.id), .setCaption("Neu für alle"))
            changes.change([found[0].id], .setFavorite(false))
        }
        _ = try await export(library, to: "out")
        let said = try said(of: "out")
        for asset in found {
            let tags = said[asset.fileName] ?? [:]
            #expect(tags["Description"] as? String == "Neu für alle", "\(tags)")
            let caption = tags["Caption-Abstract"] as? String
            #expect(
                caption
                    == ([1, 3, 4].contains(found.firstIndex(of: asset)) ? "Neu für alle" : nil),
                "\(tags)")
        }
        #expect(said[found[0].fileName]?["Rating"] == nil)
        #expect(said[found[1].fileName]?["Rating"] as? Int == 4)
        // Everything except the words is unchanged.
        let exif = try Program.run(
            "exiftool", ["-s3", "-DateTimeOriginal", folder.path(of: "out/\(found[3].fileName)")])
        #expect(exif.output.hasPrefix("2017:01:01"))
        await library.close()
    }

    @Test("an export reports copies with older words, and updates them on request")
    func update() async throws {
        try folder.write(try Pictures.jpeg(), to: "in/a.jpg")
        try folder.write(try Pictures.png(), to: "in/b.png")
        try folder.write([0, 0, 0, 24] + Array("ftypheic".utf8), to: "in/c.heic")
        let library = try await open("library")
        let ids = try await take([folder.path(of: "in")], into: library).imported
        try #require(ids.count == 3)
        func setCaption(_ caption: String?) async throws {
            try await library.performChanges { $0.change(ids, .setCaption(caption)) }
        }
        func contents() throws -> [String: Data] {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(of: "out"))
            return try Dictionary(
                uniqueKeysWithValues: names.map {
                    ($0, try Data(contentsOf: URL(filePath: folder.path(of: "out/\($0)"))))
                })
        }
        func captions() throws -> Set<String> {
            Set(try said(of: "out").values.compactMap { $0["Description"] as? String })
        }
        let updating = ExportOptions(updatesWords: true)

        // The first copies have no words: they are the originals.
        _ = try await export(library, to: "out")
        try await setCaption("one")
        let first = try contents()
        let kept = try await export(library, to: "out")
        #expect(kept.outdated.count == 2 && kept.failures.isEmpty && kept.exported.count == 1)
        #expect(try contents().filter { !$0.key.hasSuffix(".xmp") } == first)
        let updated = try await export(library, to: "out", updating)
        #expect(updated.updated.count == 2 && updated.skipped.count == 2)
        #expect(updated.failures.isEmpty && updated.outdated.isEmpty)
        #expect(try said(of: "out").values.count { $0["Description"] as? String == "one" } == 3)

        // Changed words, and removed words.
        try await setCaption("two")
        let second = try await export(library, to: "out", updating)
        #expect(second.updated.count == 3 && second.skipped.count == 1 && second.exported.isEmpty)
        #expect(try captions() == ["two"])
        try await setCaption(nil)
        let third = try await export(library, to: "out", updating)
        #expect(third.updated.count == 2 && third.failures.isEmpty)
        #expect(try contents().filter { !$0.key.hasSuffix(".xmp") } == first)

        // A different picture under a copy's name and a side-car that somebody changed are kept.
        try await setCaption("three")
        let names = first.keys.sorted()
        let jpeg = try #require(names.first { $0.hasSuffix(".jpg") })
        let sidecar = try #require(names.first { $0.hasSuffix(".heic") }) + ".xmp"
        try folder.write(try Pictures.jpeg(shade: 0.9), to: "out/\(jpeg)")
        let outcome = try Program.run(
            "exiftool",
            ["-q", "-overwrite_original", "-XMP:Label=theirs", folder.path(of: "out/\(sidecar)")])
        try #require(outcome.status == 0, "\(outcome.text)")
        let before = try contents()
        let fourth = try await export(library, to: "out", updating)
        #expect(Set(fourth.failures.named.map(\.name)) == [jpeg, sidecar])
        #expect(fourth.failures.named.allSatisfy { $0.error.code == .conflict })
        #expect(fourth.updated.count == 1)
        let after = try contents()
        #expect(after[jpeg] == before[jpeg] && after[sidecar] == before[sidecar])
        await library.close()
    }

    @Test("words that do not fit into a JPEG go to a side-car and are imported from it")
    func tooLong() async throws {
        try folder.write(try Pictures.jpeg(), to: "in/a.jpg")
        let library = try await open("library")
        let id = try #require(
            try await take([folder.path(of: "in")], into: library).imported.first)
        // A segment holds 64 KiB.
        let keywords = (0..<300).map { "\($0)" + String(repeating: "\u{1f4f7}", count: 90) }
        try await library.performChanges { $0.change([id], .addKeywords(keywords)) }
        let report = try await export(library, to: "out")
        #expect(report.failures.isEmpty && report.exported.count == 2)
        #expect(report.exported.named.last == report.exported.named.first?.appending(".xmp"))
        await library.close()
        let second = try await open("second")
        _ = try await take([folder.path(of: "out")], into: second)
        #expect(try await Set(assets(second).flatMap(\.keywords)) == Set(keywords))
        await second.close()

        // A caption longer than an asset's limit is cut, with a remark.
        let family = String(repeating: "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}", count: 5000)
        try folder.write(try Pictures.jpeg(shade: 0.7), to: "long/b.jpg")
        try folder.write(try DescriptiveMetadata(caption: family).sidecar(), to: "long/b.xmp")
        let third = try await open("third")
        let cut = try await take([folder.path(of: "long")], into: third)
        #expect(cut.imported.count == 1 && cut.remarks.count == 1 && cut.failures.isEmpty)
        let kept = try #require(try await assets(third).first?.caption)
        #expect(family.hasPrefix(kept) && kept.count > 2000)
        await third.close()
    }

    @Test("usual prefixes for other namespaces in one file do not affect the next file")
    func namespaces() throws {
        let words = DescriptiveMetadata(caption: "c", keywords: ["k"], rating: 5)
        let usual = try words.sidecar()
        let strange = String(decoding: usual, as: UTF8.self)
            .replacingOccurrences(of: "ns.adobe.com/xap/1.0/", with: "example.org/1/")
            .replacingOccurrences(of: "purl.org/dc/elements/1.1/", with: "example.org/2/")
        _ = DescriptiveMetadata(reading: Array(strange.utf8))
        #expect(DescriptiveMetadata(reading: usual) == words)
        #expect(try words.sidecar() == usual)
    }

    @Test("side-cars take precedence over the file, and a broken one blocks no photo")
    func sidecars() async throws {
        func sidecar(_ caption: String, to name: String) throws {
            try folder.write(
                try DescriptiveMetadata(caption: caption, rating: 5).sidecar(), to: name)
        }
        try folder.write(try Pictures.jpeg(shade: 0.1), to: "in/a.JPG")
        try sidecar("of a", to: "in/a.xmp")
        try folder.write(try Pictures.jpeg(shade: 0.2), to: "in/b.jpg")
        try sidecar("of b", to: "in/B.JPG.XMP")
        try sidecar("not of b", to: "in/b.xmp")
        try folder.write(try Pictures.jpeg(shade: 0.3), to: "in/c.jpg")
        try folder.write(Array("II*\0".utf8) + [UInt8](repeating: 0, count: 100), to: "in/c.dng")
        try sidecar("of c", to: "in/c.dng.xmp")
        try folder.write(try Pictures.jpeg(shade: 0.4), to: "in/d.jpg")
        try folder.write(Array("nothing".utf8), to: "in/d.xmp")
        try sidecar("of nothing", to: "in/e.xmp")
        let library = try await open("library")
        let report = try await take([folder.path(of: "in")], into: library)
        #expect(report.imported.count == 4 && report.failures.isEmpty && report.attached.count == 1)
        #expect(report.remarks.map { ($0.path as NSString).lastPathComponent } == ["d.jpg"])
        #expect(
            Set(report.ignored.map { ($0 as NSString).lastPathComponent }) == ["b.xmp", "e.xmp"])
        let found = try await assets(library)
        #expect(found.map(\.caption) == ["of a", "of b", "of c", nil])
        #expect(found.map(\.isFavorite) == [true, true, true, false])
        let alone = try await take([folder.path(of: "in/e.xmp")], into: library)
        #expect((alone.failures.first?.error as? ImportError)?.code == .noPicture)

        // Originals are exported unchanged, with side-cars.
        let options = ExportOptions(version: .original, writesSidecars: true)
        let exported = try await export(library, to: "out", options)
        #expect(exported.exported.count == 9 && exported.failures.isEmpty)
        let original = folder.path(of: "out/\(found[0].fileName)")
        #expect(
            FileManager.default.contents(atPath: original)
                == FileManager.default.contents(atPath: folder.path(of: "in/a.JPG")))
        let modified = try FileTree.entry(original)?.modified
        #expect(modified == found[0].createdAt.nanoseconds)
        let said = try said(of: "out")
        #expect(said[found[0].fileName + ".xmp"]?["Description"] as? String == "of a")
        #expect(said[found[3].fileName + ".xmp"]?["DateCreated"] != nil)
        await library.close()
    }
}
