// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Importing
import Library
import TestSupport
import Testing

@Suite("importing RAWs")
struct RawImportTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ paths: [String]? = nil) async throws -> (ImportReport, [AssetResource]) {
        let library = try await AssetLibrary.open(
            at: folder.path(of: "library"), reserveMegabytes: 0)
        let inspector = MediaInspector(memoryLimit: 32 << 20, programs: FakePrograms())
        let report = try await LibraryImporter(into: library, inspector: inspector)
            .run(paths ?? [folder.path(of: "in")])
        #expect(try await library.verify(deep: true).findings.isEmpty)
        let assets = try await library.page(in: nil, FetchOptions(), after: nil, limit: 100).assets
        await library.close()
        let left = try FileManager.default.contentsOfDirectory(
            atPath: folder.path(of: "library/incoming"))
        #expect(left == [])
        return (report, assets)
    }

    private func place(_ bytes: [UInt8], _ name: String) throws {
        let path = folder.path(of: "in/" + name)
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    private func raw(_ beginning: String = "II*\0", number: UInt8 = 0) -> [UInt8] {
        Array(beginning.utf8) + [UInt8](repeating: number, count: 3000)
    }

    private func codes(_ report: ImportReport) -> [String: ImportError.Code] {
        Dictionary(
            uniqueKeysWithValues: report.failures.map {
                (($0.path as NSString).lastPathComponent, ($0.error as? ImportError)?.code)
            }
        ).compactMapValues(\.self)
    }

    @Test("a RAW is attached to the photo of its name and folder, and only once")
    func pairs() async throws {
        for number in 0..<3 {
            try place(try Pictures.jpeg(shade: Double(number) / 4), "IMG_\(number).JPG")
        }
        try place(raw(number: 0), "IMG_0.DNG")
        try place(raw("II*\0\u{10}\0\0\0CR\u{2}\0", number: 1), "img_1.cr2")
        try place(try Pictures.jpeg(shade: 0.9), "other/IMG_0.jpeg")
        try place(raw("FUJIFILMCCD-RAW 0201", number: 2), "other/IMG_0.RAF")
        let (report, assets) = try await run()
        #expect(report.failures.isEmpty && report.ignored.isEmpty)
        #expect(report.imported.count == 4 && report.attached.count == 3)
        #expect(
            report.bytes
                == assets.reduce(0) {
                    $0 + $1.asset.bytes + ($1.asset.alternatePhoto?.bytes ?? 0)
                })
        #expect(
            Set(assets.map(\.asset.alternatePhoto?.fileExtension)) == ["dng", "cr2", "raf", nil])
        for asset in assets {
            guard let path = asset.alternatePath else { continue }
            let content = try #require(FileManager.default.contents(atPath: path))
            // The number in its bytes identifies the RAW.
            let number = ["dng": 0, "cr2": 1, "raf": 2][(path as NSString).pathExtension]
            #expect(content.last.map(Int.init) == number)
        }
        let (again, _) = try await run()
        #expect(again.imported.isEmpty && again.attached.isEmpty && again.failures.isEmpty)
        #expect(again.duplicates.count == 7)
    }

    @Test("a RAW is attached to a photo that was imported earlier")
    func later() async throws {
        try place(try Pictures.jpeg(), "a.jpg")
        let (first, _) = try await run()
        try place(raw(), "a.nef")
        let (second, assets) = try await run()
        #expect(second.imported.isEmpty && second.attached == first.imported)
        #expect(assets.first?.asset.alternatePhoto?.fileExtension == "nef")
    }

    @Test("a RAW of a deleted photo is not attached and is reported as deleted")
    func deleted() async throws {
        try place(try Pictures.jpeg(), "a.jpg")
        let (first, _) = try await run()
        let library = try await AssetLibrary.open(
            at: folder.path(of: "library"), reserveMegabytes: 0)
        try await library.performChanges { $0.change(first.imported, .delete) }
        await library.close()
        try place(raw(), "a.nef")
        let (second, _) = try await run()
        #expect(second.attached.isEmpty && second.failures.isEmpty)
        #expect(second.duplicates.map(\.isDeleted) == [true, true])
    }

    @Test("a RAW is attached to its exact name or to none if names differ only in case")
    func cases() async throws {
        try place(try Pictures.jpeg(shade: 0.1), "IMG_1.JPG")
        try place(try Pictures.jpeg(shade: 0.2), "img_1.jpg")
        try place(raw(number: 1), "IMG_1.DNG")
        try place(raw(number: 2), "Img_1.nef")
        let (report, assets) = try await run()
        #expect(codes(report) == ["Img_1.nef": .noPicture])
        let owner = try #require(assets.first { $0.asset.alternatePhoto != nil })
        let content = try #require(FileManager.default.contents(atPath: owner.path))
        #expect(content == FileManager.default.contents(atPath: folder.path(of: "in/IMG_1.JPG")))
    }

    @Test("Google's names for a photo and its RAW form a pair")
    func pixelNames() async throws {
        try place(try Pictures.jpeg(shade: 0.1), "PXL_1.RAW-01.COVER.jpg")
        try place(raw(number: 1), "PXL_1.RAW-02.ORIGINAL.dng")
        try place(try Pictures.jpeg(shade: 0.2), "PXL_2.RAW-01.MP.COVER.jpg")
        try place(raw(number: 2), "PXL_2.RAW-02.ORIGINAL.dng")
        try place(try Pictures.jpeg(shade: 0.3), "PXL_3.jpg")
        try place(raw(number: 3), "PXL_3.ORIGINAL.dng")
        let (report, assets) = try await run()
        #expect(codes(report) == ["PXL_3.ORIGINAL.dng": .noPicture])
        #expect(report.attached.count == 2)
        #expect(assets.filter { $0.asset.alternatePhoto != nil }.count == 2)
    }

    @Test("names in different Unicode normalizations do not form a pair")
    func normalization() async throws {
        try place(try Pictures.jpeg(shade: 0.1), "caf\u{e9}.jpg")
        try place(raw(number: 1), "cafe\u{301}.dng")
        try place(try Pictures.jpeg(shade: 0.2), "cafe\u{301}.jpg")
        try place(raw(number: 2), "caf\u{e9}.dng")
        let (report, assets) = try await run()
        #expect(report.failures.isEmpty && report.attached.count == 2)
        for asset in assets {
            let raw = try #require(asset.alternatePath.flatMap(FileManager.default.contents))
            let isComposed =
                FileManager.default.contents(atPath: asset.path)
                == FileManager.default.contents(atPath: folder.path(of: "in/caf\u{e9}.jpg"))
            #expect(raw.last == (isComposed ? 2 : 1))
        }
    }

    @Test("an unpaired, damaged or second RAW is refused with the reason")
    func refused() async throws {
        try place(raw(), "alone.dng")
        try place(raw(), "cut.dng")
        try place(Array(try Pictures.jpeg().dropLast(40)), "cut.jpg")
        try place(try Pictures.jpeg(shade: 0.1), "text.jpg")
        try place(Array("text".utf8), "text.arw")
        try place(try Pictures.jpeg(shade: 0.2), "two.jpg")
        try place(raw(number: 1), "two.dng")
        try place(raw(number: 2), "two.orf")
        let (report, assets) = try await run()
        #expect(
            codes(report) == [
                "alone.dng": .noPicture, "cut.dng": .noPicture, "cut.jpg": .truncated,
                "text.arw": .damaged, "two.orf": .unsupported,
            ])
        #expect(report.imported.count == 2 && report.attached.count == 1)
        #expect(assets.compactMap(\.asset.alternatePhoto?.fileExtension) == ["dng"])
        let (named, _) = try await run([folder.path(of: "in/two.orf")])
        #expect(codes(named) == ["two.orf": .noPicture])
    }
}
