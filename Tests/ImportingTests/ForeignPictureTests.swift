// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Imaging
import Importing
import Library
import Media
import TestSupport
import Testing

@Suite("foreign pictures")
struct ForeignPictureTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("PNG, HEIF and videos have pictures of any size, and get new thumbnails")
    func pictures() async throws {
        let inspector = MediaInspector(memoryLimit: 32 << 20, programs: FakePrograms())
        let files: [(name: String, bytes: [UInt8], size: Dimensions)] = [
            (
                "a.png", try Pictures.png(Dimensions(width: 640, height: 400)),
                Dimensions(width: 320, height: 200)
            ),
            ("b.heic", [0, 0, 0, 24] + Array("ftypheic".utf8), Dimensions(width: 64, height: 48)),
            // Rotated as in playback.
            ("c.mp4", [0, 0, 0, 32] + Array("ftypisom".utf8), Dimensions(width: 240, height: 320)),
        ]
        let library = try await AssetLibrary.open(
            at: folder.path(of: "library"), reserveMegabytes: 0)
        for file in files {
            let path = try folder.write(file.bytes, to: file.name)
            let id = try #require(
                try await LibraryImporter(into: library, inspector: inspector).run([path])
                    .imported.first)
            let asset = try await library.asset(id: id.uuidString)
            let thumbnail = folder.path(
                of: "library/derived/thumbnails/\(id.uuidString.lowercased()).jpg")
            try FileManager.default.removeItem(atPath: thumbnail)
            let images = ImageManager(library, foreign: inspector)
            var last: ImageDelivery?
            for await delivery in images.requestImage(
                for: asset, targetSize: Dimensions(width: 320, height: 320))
            {
                last = delivery
            }
            guard case .final(let picture)? = last else {
                Issue.record("\(file.name): \(last.map { "\($0)" } ?? "nothing")")
                continue
            }
            #expect(picture.description.dimensions == file.size, "\(file.name)")
            #expect(await library.thumbnail(of: asset) != nil, "\(file.name)")
        }
        await library.close()
    }

    @Test("a picture that needs too much memory is unsupported, not damaged")
    func tooLarge() async throws {
        let size = Dimensions(width: 30_000, height: 30_000)
        let path = try folder.write(try Pictures.png(claiming: size), to: "file")
        let inspector = MediaInspector(memoryLimit: 16 << 20, programs: FakePrograms())
        let error = await #expect(throws: LibraryError.self) { try await inspector.jpeg(of: path) }
        #expect(error?.code == .unsupported)
        #expect((error?.underlying as? ImportError)?.code == .tooLarge)
    }

    @Test("JPEGs and files without a picture are refused")
    func refused() async throws {
        let inspector = MediaInspector(memoryLimit: 16 << 20, programs: FakePrograms())
        for bytes in [try Pictures.jpeg(), Array("text".utf8)] {
            let path = try folder.write(bytes, to: "file")
            let error = await #expect(throws: ImportError.self) {
                try await inspector.jpeg(of: path)
            }
            #expect(error?.code == .notMedia)
        }
    }
}
