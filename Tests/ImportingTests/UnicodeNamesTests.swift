// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Importing
import Library
import LinuxIO
import TestSupport
import Testing

@Suite("Unicode file names")
struct UnicodeNamesTests {
    /// The parts of names: texts that are equal only in some comparisons, that combine with their
    /// neighbours, or that change the direction of writing.
    private static let pieces = [
        "a", "caf\u{e9}", "cafe\u{301}", "\u{212b}", "\u{c5}", "A\u{30a}",
        "\u{1112}\u{1161}\u{11ab}",
        "\u{d55c}", "\u{fb01}", "fi", "\u{301}", "\u{327}", "\u{20dd}", "\u{200d}", "\u{200c}",
        "\u{fe0f}", "\u{fe00}", "\u{202e}", "\u{200e}", "\u{feff}", "\u{ad}", "x\u{85}y",
        "x\u{2028}y",
        "\u{1f1e6}", "\u{1f1f9}", "\u{1f44d}\u{1f3fd}", "\u{1f468}\u{200d}\u{1f467}", "\u{e0067}",
        "\u{e000}", "\u{fffe}", "\u{10ffff}", "\u{0e33}", "\u{0915}\u{094d}\u{0937}", "\u{0600}",
        "\u{05e9}\u{05dc}", "x\u{3000}y", "\u{2024}", "\u{2215}", "-", "~", "%2f", "\u{212a}", "K",
    ]

    /// The names. No two have the same bytes.
    private static let names: [String] = {
        var random = Seeded(37)
        var names = Set(pieces.map { PathName($0) })
        while names.count < 500 {
            let count = Int.random(in: 2...3, using: &random)
            names.insert(
                PathName(
                    (0..<count).map { _ in
                        pieces.randomElement(using: &random) ?? ""
                    }.joined()))
        }
        return names.sorted().map(\.text)
    }()

    @Test("500 unusual names survive import, caption and export with every byte")
    func corners() async throws {
        let folder = try TemporaryFolder()
        let names = Self.names
        try #require(names.count == 500)
        let jpeg = try Pictures.jpeg()
        for (index, name) in names.enumerated() {
            // Two folders whose names are equal as `String`.
            let parent = index % 2 == 0 ? "caf\u{e9}" : "cafe\u{301}"
            let path = folder.path(of: "in/\(parent)")
            try FileTree.makeDirectories(["in", parent], below: folder.path)
            let file = URL(fileURLWithPath: "\(path)/\(name).jpg")
            try Data(jpeg + Array("\(index)".utf8)).write(to: file)
        }
        let library = try await AssetLibrary.open(
            at: folder.path(of: "library"), reserveMegabytes: 0)
        let inspector = MediaInspector(memoryLimit: 32 << 20, programs: FakePrograms())
        let report = try await LibraryImporter(into: library, inspector: inspector)
            .run([folder.path(of: "in")])
        #expect(report.imported.count == 500)
        #expect(report.duplicates.isEmpty && report.failures.isEmpty && report.ignored.isEmpty)
        for (asset, name) in zip(report.imported, names) {
            try await library.performChanges { $0.change([asset], .setCaption(name)) }
        }
        let target = folder.path(of: "out")
        let options = ExportOptions(template: try ExportTemplate("{caption}/{name}"))
        var list = try await ExportList(from: library)
        let exported = try await AssetExporter(to: target, options).run(total: 500) {
            try await list.next(from: library)
        }
        #expect(exported.exported.count == 500 && exported.failures.isEmpty)
        await library.close()
        // `find` writes the names as bytes, with a slash after each.
        let found = try Program.run(
            "find", [target, "-mindepth", "1", "-type", "d", "-printf", "%f/"])
        let folders = Set(PathName(found.output).components.map { PathName($0) })
        let lost = Set(names.map { PathName($0) }).symmetricDifference(folders)
        #expect(lost.isEmpty)
    }
}
