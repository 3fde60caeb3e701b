// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Imaging
import Library
import Media
import Synchronization
import TestSupport
import Testing

@Suite("pictures and adjustments")
struct ImageTests {
    private let folder: LibraryFolder

    init() throws { folder = try LibraryFolder() }

    /// Returns a library and its photo, which shows ``Corners``.
    private func corners(
        _ orientation: Int = 1, size: Dimensions = Corners.size
    ) async throws -> (AssetLibrary, Asset) {
        let library = try await folder.open()
        let asset = try await library.add(
            photo(jpeg: try Corners.jpeg(size), size: size, orientation: orientation))
        return (library, asset)
    }

    private func final(_ deliveries: AsyncStream<ImageDelivery>) async throws -> StillPicture {
        for await delivery in deliveries {
            switch delivery {
            case .final(let picture): return picture
            case .failed(let error): throw error
            default: break
            }
        }
        throw CommandFailed(text: "no final picture")
    }

    @Test("rotations apply to the upright picture in every EXIF orientation", arguments: 1...8)
    func upright(orientation: Int) async throws {
        let (library, asset) = try await corners(orientation)
        let images = ImageManager(library)
        for quarters in 0..<4 {
            let turn = try #require(Rotation(rawValue: quarters * 90))
            try await library.performChanges {
                $0.change([asset.id], .setAdjustment(AssetAdjustment(rotation: turn)))
            }
            let now = try await library.asset(id: asset.id.uuidString)
            #expect(now.isAdjusted == (quarters > 0))
            for size in [
                Dimensions(width: 10_000, height: 10_000), Dimensions(width: 64, height: 64),
            ] {
                let picture = try await final(images.requestImage(for: now, targetSize: size))
                #expect(
                    Corners.colors(of: picture)
                        == Corners.turned(Corners.expected(orientation), quarters))
                let isUpended = (orientation > 4) != (quarters % 2 == 1)
                let shown = picture.description.dimensions
                #expect((shown.height > shown.width) == isUpended)
                #expect(max(shown.width, shown.height) == min(640, size.width))
            }
        }
        await library.close()
    }

    @Test(
        "a target side of 0 is derived from the upright picture's aspect ratio",
        arguments: [1, 6], ImageContentMode.allCases)
    func boundedOnOneSide(orientation: Int, contentMode: ImageContentMode) async throws {
        let (library, asset) = try await corners(orientation)
        let images = ImageManager(library)
        let (width, height) = orientation == 1 ? (64, 48) : (64, 85)
        for (target, expected) in [
            (Dimensions(width: 64, height: 0), Dimensions(width: width, height: height)),
            (
                Dimensions(width: 0, height: 48),
                Dimensions(width: orientation == 1 ? 64 : 36, height: 48)
            ),
        ] {
            let picture = try await final(
                images.requestImage(for: asset, targetSize: target, contentMode: contentMode))
            #expect(picture.description.dimensions == expected)
        }
        await library.close()
    }

    @Test("a crop applies to the upright picture in every EXIF orientation", arguments: 1...8)
    func cropped(orientation: Int) async throws {
        let (library, asset) = try await corners(orientation)
        // The top left quarter has one colour.
        let part = AssetAdjustment.Crop(x: 0, y: 0, width: 0.5, height: 0.5)
        try await library.performChanges {
            $0.change([asset.id], .setAdjustment(AssetAdjustment(crop: part, rotation: .quarter)))
        }
        let now = try await library.asset(id: asset.id.uuidString)
        let target = Dimensions(width: 4000, height: 4000)
        let images = ImageManager(library)
        let picture = try await final(images.requestImage(for: now, targetSize: target))
        #expect(Set(Corners.colors(of: picture)) == [Corners.expected(orientation)[0]])
        #expect(
            picture.description.dimensions
                == (orientation > 4
                    ? Dimensions(width: 320, height: 240) : Dimensions(width: 240, height: 320)))
        // The original is still available.
        let original = try await final(
            images.requestImage(
                for: now, targetSize: target, options: ImageRequestOptions(version: .original)))
        #expect(Corners.colors(of: original) == Corners.expected(orientation))
        await library.close()
    }

    @Test("a picture fits, fills or has the nearest decoder size, and is never enlarged")
    func sizes() async throws {
        let (library, asset) = try await corners()
        let images = ImageManager(library)
        func size(
            _ width: Int, _ height: Int, _ mode: ImageContentMode, _ resize: ImageResizeMode
        ) async throws -> [Int] {
            let picture = try await final(
                images.requestImage(
                    for: asset, targetSize: Dimensions(width: width, height: height),
                    contentMode: mode, options: ImageRequestOptions(resizeMode: resize)))
            let found = picture.description.dimensions
            return [found.width, found.height]
        }
        #expect(try await size(100, 100, .aspectFit, .exact) == [100, 75])
        #expect(try await size(100, 100, .aspectFill, .exact) == [133, 100])
        // An eighth of 640x480 is too small, a quarter is not.
        #expect(try await size(100, 100, .aspectFit, .fast) == [160, 120])
        #expect(try await size(100, 100, .aspectFit, .none) == [640, 480])
        #expect(try await size(2000, 2000, .aspectFill, .exact) == [640, 480])
        await library.close()
    }

    @Test("a thumbnail is delivered before the final picture, which is then cached")
    func deliveries() async throws {
        let (library, asset) = try await corners()
        let images = ImageManager(library)
        let target = Dimensions(width: 320, height: 240)
        func kinds(_ mode: ImageRequestOptions.DeliveryMode) async -> [String] {
            var kinds: [String] = []
            let deliveries = images.requestImage(
                for: asset, targetSize: target, options: ImageRequestOptions(deliveryMode: mode))
            for await delivery in deliveries {
                switch delivery {
                case .degraded(let picture):
                    kinds.append("degraded \(picture.description.dimensions.width)")
                case .final(let picture):
                    kinds.append("final \(picture.description.dimensions.width)")
                case .progress: kinds.append("progress")
                case .remote: kinds.append("remote")
                case .failed(let error): kinds.append("failed \(error.code)")
                }
            }
            return kinds
        }
        #expect(await kinds(.highQualityFormat) == ["final 320"])
        #expect(await images.cachedBytes == 320 * 240 * 4)
        #expect(await kinds(.opportunistic) == ["final 320"])
        // The photo came without a thumbnail. The first picture made one.
        let another = ImageManager(library)
        #expect(await another.cachedBytes == 0)
        let fresh = another.requestImage(for: asset, targetSize: target)
        var first: ImageDelivery?
        for await delivery in fresh {
            first = delivery
            break
        }
        guard case .degraded(let small)? = first else {
            Issue.record("not degraded")
            return
        }
        #expect(small.description.dimensions.width == 160)
        try FileManager.default.removeItem(atPath: try await library.resource(id: "1").path)
        let last = ImageManager(library).requestImage(
            for: asset, targetSize: target,
            options: ImageRequestOptions(deliveryMode: .highQualityFormat))
        await #expect { try await final(last) } throws: {
            ($0 as? LibraryError)?.code == .notFound
        }
        await library.close()
    }

    @Test("a fetched PNG is converted by way of a private file, which is removed afterwards")
    func remoteForeign() async throws {
        let library = try await folder.open()
        try await library.add(
            photo(
                jpeg: Array("a PNG".utf8), size: Corners.size, orientation: 1, fileExtension: "png")
        )
        let asset = try await library.resource(id: "1")
        try FileManager.default.removeItem(atPath: asset.path)
        let foreign = ReadingPictures(jpeg: try Corners.jpeg(Corners.size))
        let images = ImageManager(
            library, foreign: foreign, remote: Elsewhere(bytes: Array("a PNG".utf8)))
        let picture = try await final(
            images.requestImage(
                for: asset.asset, targetSize: Dimensions(width: 320, height: 240),
                options: ImageRequestOptions(
                    deliveryMode: .highQualityFormat, allowsNetworkAccess: true)))
        #expect(picture.description.dimensions == Dimensions(width: 320, height: 240))
        let read = try #require(foreign.read.first)
        #expect(foreign.read.count == 1 && read.content == Array("a PNG".utf8))
        #expect(read.mode == 0o600 && !FileManager.default.fileExists(atPath: read.path))
        await library.close()
    }

    @Test("a remote original is fetched only if allowed, and must match its hash")
    func remote() async throws {
        let (library, asset) = try await corners()
        let path = try await library.resource(id: "1").path
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        try FileManager.default.removeItem(atPath: path)
        let target = Dimensions(width: 320, height: 240)
        func kinds(_ bytes: [UInt8], allowed: Bool) async -> [String] {
            let images = ImageManager(library, remote: Elsewhere(bytes: bytes))
            let options = ImageRequestOptions(
                deliveryMode: .highQualityFormat, allowsNetworkAccess: allowed)
            var kinds: [String] = []
            for await delivery in images.requestImage(
                for: asset, targetSize: target, options: options)
            {
                switch delivery {
                case .progress(let part): kinds.append("\(part)")
                case .final: kinds.append("final")
                case .remote: kinds.append("remote")
                case .failed(let error): kinds.append("\(error.code)")
                case .degraded: kinds.append("degraded")
                }
            }
            return kinds
        }
        #expect(await kinds(bytes, allowed: false) == ["remote"])
        #expect(await kinds(bytes, allowed: true) == ["0.5", "1.0", "final"])
        #expect(await kinds(bytes.reversed(), allowed: true) == ["0.5", "1.0", "damaged"])
        await library.close()
    }

    @Test("caching in advance stays within the memory budget and can be stopped")
    func caching() async throws {
        let library = try await folder.open()
        for number in 0..<12 {
            let size = Dimensions(width: 640 + number * 16, height: 480)
            try await library.add(photo(jpeg: try Corners.jpeg(size), size: size, orientation: 1))
        }
        let assets = try await library.assets(.everything, limit: 20)
        let target = Dimensions(width: 160, height: 120)
        let each = 160 * 120 * 4
        var budgets = ImageBudgets()
        budgets.memory = 8 * each
        let images = ImageManager(library, budgets)
        await images.startCachingImages(for: assets, targetSize: target)
        // A request comes before the pictures that are cached in advance.
        _ = try await final(images.requestImage(for: assets[11], targetSize: target))
        await images.stopCachingImagesForAllAssets()
        for _ in 0..<3 {
            await images.startCachingImages(for: assets, targetSize: target)
            try await waitUntil { await images.isIdle }
            let bytes = await images.cachedBytes
            #expect(bytes > 6 * each && bytes <= 8 * each)
        }
        await images.startCachingImages(for: assets, targetSize: Dimensions(width: 64, height: 64))
        await images.stopCachingImages(
            for: assets, targetSize: Dimensions(width: 64, height: 64))
        #expect(await images.waitingCount == 0)
        await library.close()
    }

    @Test("cancelled requests leave nothing waiting, and later ones are answered")
    func givenUp() async throws {
        let (library, asset) = try await corners()
        let images = ImageManager(library)
        for _ in 0..<50 {
            let task = Task {
                for await _ in images.requestImage(
                    for: asset, targetSize: Dimensions(width: .random(in: 30...600), height: 400))
                {}
            }
            task.cancel()
            await task.value
        }
        _ = try await final(
            images.requestImage(for: asset, targetSize: Dimensions(width: 50, height: 50)))
        #expect(await images.waitingCount == 0)
        await library.close()
    }

    @Test("only photos can be adjusted, with a valid crop, and adjustments can be removed")
    func changes() async throws {
        let (library, asset) = try await corners()
        let video = try await library.add(
            photo(jpeg: [1, 2, 3], size: Corners.size, orientation: 1, fileExtension: "mp4"))
        _ = try await folder.sqlite("UPDATE asset SET media_type = 'video' WHERE sequence = 2")
        func adjust(_ id: UUID, _ adjustment: AssetAdjustment?) async throws {
            try await library.performChanges { $0.change([id], .setAdjustment(adjustment)) }
        }
        for crop in [(-0.1, 0.0, 0.5, 0.5), (0.6, 0, 0.5, 1), (0, 0, 0, 1), (0, 0.5, 1, .nan)] {
            let part = AssetAdjustment.Crop(x: crop.0, y: crop.1, width: crop.2, height: crop.3)
            await #expect { try await adjust(asset.id, AssetAdjustment(crop: part)) } throws: {
                ($0 as? LibraryError)?.code == .invalidValue
            }
        }
        await #expect { try await adjust(video.id, AssetAdjustment(rotation: .half)) } throws: {
            ($0 as? LibraryError)?.code == .invalidValue
        }
        try await adjust(asset.id, AssetAdjustment(rotation: .half))
        let options = FetchOptions(filter: AssetFilter.isAdjusted == true)
        let found = try await library.fetchAssets(options).firstObject()
        #expect(found?.adjustment == AssetAdjustment(rotation: .half))
        try await adjust(asset.id, AssetAdjustment())
        let reverted = try await library.asset(id: asset.id.uuidString)
        #expect(reverted.adjustment == nil && reverted.sha256 == asset.sha256)
        await library.close()
    }

    @Test("an export has the adjustment, unless the original is requested")
    func exported() async throws {
        let (library, asset) = try await corners(6)
        try await library.performChanges {
            $0.change([asset.id], .setAdjustment(AssetAdjustment(rotation: .quarter)))
        }
        let target = folder.root + "-out"
        defer { try? FileManager.default.removeItem(atPath: target) }
        func export(_ version: ExportVersion) async throws -> ExportReport {
            let items = [ExportItem.original(try await library.resource(id: "1"))]
            var pages = [items].makeIterator()
            return try await AssetExporter(to: target, ExportOptions(version: version))
                .run(total: 1) { pages.next() }
        }
        func exif(_ name: String, _ tag: String) async throws -> String {
            try await command(["exiftool", "-n", "-s3", "-\(tag)", "\(target)/\(name)"]).lines.first
                ?? ""
        }
        let turned = try await export(.current)
        let first = try #require(turned.exported.named.first)
        #expect(first.contains("_e"))
        // The EXIF orientation is rotated, and the picture's data is unchanged.
        #expect(try await exif(first, "Orientation") == "3")
        let pixels = try await command(["exiftool", "-all=", "-o", "-", "\(target)/\(first)"])
        let same = try await command([
            "exiftool", "-all=", "-o", "-", try await library.resource(id: "1").path,
        ])
        #expect(pixels.output == same.output && pixels.output.utf8.count > 1000)
        #expect(try await export(.current).skipped.named == [first])
        #expect(try await export(.original).exported.named == [asset.fileName])

        try await library.performChanges {
            let part = AssetAdjustment.Crop(x: 0, y: 0, width: 0.5, height: 1)
            $0.change([asset.id], .setAdjustment(AssetAdjustment(crop: part)))
        }
        let cut = try #require(try await export(.current).exported.named.first)
        #expect(cut != first)
        let lines = try await command([
            "ffprobe", "-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0",
            "\(target)/\(cut)",
        ]).lines
        #expect(lines == ["240,640"])
        #expect(try await exif(cut, "Orientation") == "1")
        #expect(try await exif(cut, "ExifImageWidth") == "240")
        await library.close()
    }
}

/// A remote that has one original.
private struct Elsewhere: RemoteOriginals {
    let bytes: [UInt8]

    func holds(_ asset: Asset) async -> Bool { true }

    func fetch(
        _ asset: Asset, progress: @Sendable (Double) -> Void
    ) async throws(LibraryError) -> [UInt8] {
        progress(0.5)
        progress(1)
        return bytes
    }
}
