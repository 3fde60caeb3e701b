// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Library
import Media
import Testing

@Suite("export names, sizes and manifest")
struct ExportNamesTests {
    private let folder: LibraryFolder

    init() throws { folder = try LibraryFolder() }

    /// Returns the paths of the files, relative to the export's folder.
    private func files() async throws -> [String] {
        try await command(["find", folder.target, "-type", "f", "-printf", "%P\\n"]).lines.sorted()
    }

    private func manifest() throws -> [[String: Any]] {
        try String(contentsOfFile: folder.target + "/manifest.jsonl", encoding: .utf8)
            .split(separator: "\n").map {
                try #require(
                    try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
            }
    }

    private func template(_ text: String, fitting: Dimensions? = nil) throws -> ExportOptions {
        ExportOptions(fitting: fitting, template: try ExportTemplate(text))
    }

    @Test("every field of a template stands for its property, and folders are created")
    func fields() async throws {
        let library = try await folder.open()
        let asset = try await library.add(photo())
        try await library.performChanges { $0.change([asset.id], .setCaption("Anna & Ben")) }
        let id = asset.id.uuidString.lowercased()
        let name = asset.fileName.dropLast(4)
        for (text, path) in [
            ("{year}/{month}/{day}/{name}", "2026/11/22/\(name).jpg"),
            ("{date} {time}", "2026-11-22 12-30-05_000001.jpg"),
            ("{hour}{minute}{second}-{id}", "123005-\(id).jpg"),
            ("{type}/{device}/{session}-{sequence}", "photo/HD Webcam/evening-000001.jpg"),
            ("{caption}/{sequence}", "Anna & Ben/000001.jpg"),
            ("fixed", "fixed_000001.jpg"),
        ] {
            #expect(
                try await library.export(to: folder.target, template(text)).exported.named == [path]
            )
            #expect(
                try await library.export(to: folder.target, template(text)).skipped.named == [path])
        }
        #expect(try await files().count == 6)
        await library.close()
    }

    @Test("photos whose names collide get distinct files, the same in every export")
    func collisions() async throws {
        let library = try await folder.open()
        for _ in 0..<3 { try await library.add(photo()) }
        let options = try template("{date}")
        let some = try await library.export(["2"], to: folder.target, options)
        #expect(some.exported.named == ["2026-11-22_000002.jpg"])
        let all = try await library.export(to: folder.target, options)
        #expect(all.exported.named == ["2026-11-22_000001.jpg", "2026-11-22_000003.jpg"])
        #expect(all.skipped.named == some.exported.named)
        #expect(all.failures.isEmpty)
        await library.close()
    }

    @Test(
        "a caption becomes a name that every file system accepts",
        arguments: [
            ("../../etc/passwd", "_.._etc_passwd"), (".hidden", "hidden"),
            ("a:b*c?\"<>|", "a_b_c_____"),
            ("line\nfeed\u{7F}", "line_feed_"), ("ends in dots. .", "ends in dots"),
            ("...", "none"),
            ("/", "_"), ("Größe 大きさ", "Größe 大きさ"),
            (String(repeating: "ä", count: 50), String(repeating: "ä", count: 30)),
        ])
    func words(caption: String, name: String) async throws {
        let library = try await folder.open()
        let asset = try await library.add(photo())
        try await library.performChanges { $0.change([asset.id], .setCaption(caption)) }
        for options in [try template("{caption}/{sequence}"), try template("{caption}-{sequence}")]
        {
            #expect(
                try await library.export(to: folder.target, options).failures.isEmpty)
        }
        #expect(try await files() == ["\(name)-000001.jpg", "\(name)/000001.jpg"])
        #expect(try folder.names(folder.path) == ["export", "root"])
        await library.close()
    }

    @Test("a missing caption, session or camera is written as `none`")
    func nothing() async throws {
        let library = try await folder.open()
        var bare = photo()
        (bare.deviceName, bare.sessionID) = ("", nil)
        try await library.add(bare)
        let report = try await library.export(
            to: folder.target, template("{session}/{device} {caption} {sequence}"))
        #expect(report.exported.named == ["none/none none 000001.jpg"])
        await library.close()
    }

    @Test(
        "an invalid template is refused",
        arguments: [
            "", "{nam}", "{name", "name}", "{{name}}", "/abs/{name}", "{name}/", "a//{name}",
            "../{name}", "a/../{name}", "./{name}", ".{name}", "a\\{name}", "a:{name}",
            "tab\t{name}",
            "{name}.", "end /{name}", "{}",
        ])
    func refused(text: String) {
        let error = #expect(throws: LibraryError.self) { try ExportTemplate(text) }
        #expect(error?.code == .invalidValue)
        #expect(error?.message.contains("template \"\(text)\": ") == true)
    }

    @Test("a symbolic link in place of a folder is not followed; other folders are filled")
    func links() async throws {
        let library = try await folder.open()
        for caption in ["in", "out"] {
            let asset = try await library.add(photo())
            try await library.performChanges { $0.change([asset.id], .setCaption(caption)) }
        }
        let elsewhere = folder.path + "/elsewhere"
        let manager = FileManager.default
        for path in [elsewhere, folder.target] {
            try manager.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        try manager.createSymbolicLink(
            atPath: folder.target + "/out", withDestinationPath: elsewhere)
        for _ in 0..<2 {
            let report = try await library.export(
                to: folder.target, template("{caption}/{sequence}"))
            #expect(report.failures.named.map(\.name) == ["out/000002.jpg"])
            #expect(report.exported.named + report.skipped.named == ["in/000001.jpg"])
        }
        #expect(try folder.names(elsewhere) == [])
        await library.close()
    }

    @Test("larger photos are reduced upright and with edits; those that fit are unchanged")
    func sizes() async throws {
        let library = try await folder.open()
        for orientation in [1, 6] {
            try await library.add(
                photo(jpeg: try Corners.jpeg(), size: Corners.size, orientation: orientation))
        }
        let turned = try await library.add(
            photo(jpeg: try Corners.jpeg(), size: Corners.size, orientation: 1))
        let png = try await library.add(
            photo(
                jpeg: Array("a PNG".utf8), size: Corners.size, orientation: 1, fileExtension: "png")
        )
        try await library.performChanges {
            let part = AssetAdjustment.Crop(x: 0, y: 0, width: 1, height: 0.5)
            $0.change(
                [turned.id], .setAdjustment(AssetAdjustment(crop: part, rotation: .quarter)))
        }
        let fitting = try template("{sequence}", fitting: Dimensions(width: 320, height: 160))
        let foreign = ReadingPictures(jpeg: try Corners.jpeg())
        let small = try await library.export(to: folder.target, fitting, foreign: foreign)
        #expect(small.failures.isEmpty)
        // An export without a reader of foreign pictures cannot reduce a PNG.
        let alone = try await library.export(["4"], to: folder.target + "/alone", fitting)
        #expect(alone.failures.named.map(\.error.code) == [.unsupported] && alone.exported.isEmpty)
        let mark = try #require(small.exported.named[2].split(separator: "_").dropFirst().first)
        #expect(
            small.exported.named == [
                "000001_320x160.jpg", "000002_320x160.jpg", "000003_\(mark)_320x160.jpg",
                "000004_320x160.jpg",
            ])
        #expect(foreign.read.map(\.content) == [Array("a PNG".utf8)])
        var sizes: [String] = []
        for name in small.exported.named {
            sizes += try await command([
                "exiftool", "-s3", "-ImageSize", "-Orientation#", "\(folder.target)/\(name)",
            ]).lines
        }
        // The pictures: 640x480 upright, 480x640, 640x240 rotated by a quarter, and the PNG.
        #expect(sizes == ["213x160", "1", "120x160", "1", "60x160", "1", "213x160", "1"])

        let large = try await library.export(
            ["1", "2", "4"], to: folder.target,
            template("{sequence}", fitting: Dimensions(width: 640, height: 640)))
        #expect(
            large.exported.named == [
                "000001_640x640.jpg", "000002_640x640.jpg", "000004_640x640.png",
            ])
        let first = try await library.asset(id: "1")
        for (name, original) in [("000001_640x640.jpg", first), ("000004_640x640.png", png)] {
            #expect(
                try await command(["sha256sum", "\(folder.target)/\(name)"]).output
                    .hasPrefix(original.sha256))
        }
        await library.close()
    }

    @Test("the manifest names the asset of every copy, including those of earlier exports")
    func manifestOfAll() async throws {
        let library = try await folder.open()
        for _ in 0..<4 { try await library.add(photo()) }
        let second = try await library.asset(id: "2").id
        try await library.performChanges { $0.change([second], .setCaption("with\nline feed")) }
        var options = ExportOptions(writesManifest: true)
        let first = try await library.export(["2", "3", "2"], to: folder.target, options)
        #expect(first.manifest == folder.target + "/manifest.jsonl")
        #expect(try manifest().compactMap { $0["file"] as? String } == first.exported.named)
        options.template = try ExportTemplate("{year}/{sequence}")
        let others = try await library.export(["1", "3"], to: folder.target, options)
        #expect(others.exported.count == 2)
        options.template = .name
        #expect(
            try await library.export(["3", "4"], to: folder.target, options).skipped.count == 1)

        let lines = try manifest()
        #expect(
            Set(lines.compactMap { $0["file"] as? String })
                == Set(try await files()).subtracting(["manifest.jsonl"]))
        #expect(lines.count == 5)
        for line in lines {
            let file = try #require(line["file"] as? String)
            let sum = try await command(["sha256sum", "\(folder.target)/\(file)"]).output
            #expect(sum.hasPrefix(try #require(line["sha256"] as? String)))
            let asset = try #require(line["asset"] as? [String: Any])
            let number = try #require(asset["sequence"] as? Int)
            // The second photo's copy differs, because its caption was written into it.
            #expect((asset["sha256"] as? String == line["sha256"] as? String) == (number != 2))
            #expect((line["bytes"] as? Int == asset["bytes"] as? Int) == (number != 2))
            #expect((asset["caption"] as? String == "with\nline feed") == (number == 2))
        }
        await library.close()
    }

    @Test(
        "another program's manifest.jsonl ends the export before anything is copied",
        arguments: ["file", "link"])
    func foreignManifest(kind: String) async throws {
        let library = try await folder.open()
        try await library.add(photo())
        let path = folder.target + "/manifest.jsonl"
        try folder.write(Array("{\"mine\":1}\n".utf8), to: path)
        if kind == "link" {
            try FileManager.default.moveItem(atPath: path, toPath: folder.path + "/mine")
            try FileManager.default.createSymbolicLink(
                atPath: path, withDestinationPath: folder.path + "/mine")
        }
        await #expect(throws: LibraryError.self) {
            try await library.export(to: folder.target, ExportOptions(writesManifest: true))
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "{\"mine\":1}\n")
        #expect(try folder.names(folder.target) == ["manifest.jsonl"])
        await library.close()
    }

    @Test("a cancelled export leaves a manifest of the copies made so far")
    func brokenOff() async throws {
        let library = try await folder.open()
        for _ in 0..<5 { try await library.add(photo()) }
        let task = Task {
            try await library.export(to: folder.target, ExportOptions(writesManifest: true)) {
                if $0.done == 3 { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
            }
        }
        let result = await task.result
        #expect(throws: LibraryError.self) { try result.get() }
        #expect(try manifest().count == 3)
        #expect(try folder.names(folder.target).count == 4)
        await library.close()
    }
}
