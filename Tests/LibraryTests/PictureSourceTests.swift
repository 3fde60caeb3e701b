// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Imaging
import Library
import LinuxIO
import Media
import Synchronization
import TestSupport
import Testing

@Suite("picture sources", .timeLimit(.common))
struct PictureSourceTests {
    private let folder: LibraryFolder
    private let exactly = ImageRequestOptions(deliveryMode: .highQualityFormat)

    init() throws { folder = try LibraryFolder() }

    private var thumbnails: String { folder.root + "/derived/thumbnails" }
    private var pictures: String { folder.root + "/derived/pictures" }

    /// Adds photos of ``Corners``, each of another width.
    private func add(_ count: Int, to library: AssetLibrary) async throws -> [AssetResource] {
        var added: [AssetResource] = []
        for number in 0..<count {
            let size = Dimensions(width: 640 + number * 16, height: 480)
            let asset = try await library.add(
                photo(jpeg: try Corners.jpeg(size), size: size, orientation: 1))
            added.append(try await library.resource(id: asset.id.uuidString))
        }
        return added
    }

    private func kinds(_ deliveries: AsyncStream<ImageDelivery>) async -> [String] {
        var kinds: [String] = []
        for await delivery in deliveries {
            switch delivery {
            case .degraded(let picture): kinds.append("degraded \(picture.description.dimensions)")
            case .final(let picture): kinds.append("final \(picture.description.dimensions)")
            case .progress: kinds.append("progress")
            case .remote: kinds.append("remote")
            case .failed(let error): kinds.append("failed \(error.code)")
            }
        }
        return kinds
    }

    @Test("every representation has the stated size and shows the right picture")
    func representations() async throws {
        let library = try await folder.open()
        let size = Corners.size
        let asset = try await library.add(
            photo(jpeg: try Corners.jpeg(size), size: size, orientation: 6))
        let images = ImageManager(library)
        let screen = Dimensions(width: 200, height: 100)
        let upright = Corners.expected(6)
        func check(
            _ resource: AssetResource,
            _ expected: [(AssetRepresentation.Kind, String, [Corners.Color])]
        ) async throws {
            let found = resource.representations(screen: screen)
            #expect(found.map(\.kind) == expected.map(\.0))
            for (representation, (_, size, colors)) in zip(found, expected) {
                #expect(representation.dimensions.map { "\($0)" } == size)
                let picture = try await final(images.requestImage(for: representation))
                #expect("\(picture.description.dimensions)" == size)
                #expect(Corners.colors(of: picture) == colors, "\(representation.kind)")
            }
        }
        let plain = try await library.resource(id: "1")
        #expect(plain.defaultRepresentation == plain.fullResolution)
        #expect(plain.fullResolution.path == plain.path)
        #expect(plain.fullResolution.bytes == asset.bytes && plain.thumbnail.bytes == nil)
        try await check(
            plain,
            [
                (.fullResolution, "480x640", upright), (.fullScreen, "75x100", upright),
                (.thumbnail, "90x120", upright),
            ])
        try await library.performChanges {
            $0.change([asset.id], .setAdjustment(AssetAdjustment(rotation: .quarter)))
        }
        let turned = try await library.resource(id: "1")
        let seen = Corners.turned(upright, 1)
        #expect(turned.defaultRepresentation.kind == .edited)
        try await check(
            turned,
            [
                (.fullResolution, "480x640", upright), (.edited, "640x480", seen),
                (.fullScreen, "133x100", seen), (.thumbnail, "160x120", seen),
            ])
        await library.close()
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

    @Test("a readable PNG has pictures of any size and gets a new thumbnail")
    func foreign() async throws {
        let library = try await folder.open()
        let asset = try await library.add(
            photo(jpeg: [1, 2, 3], size: Corners.size, orientation: 6, fileExtension: "png"))
        let target = Dimensions(width: 300, height: 400)
        let alone = ImageManager(library)
        #expect(
            await kinds(alone.requestImage(for: asset, targetSize: target)) == [
                "failed unsupported"
            ])
        let images = ImageManager(library, foreign: Known(jpeg: try Corners.jpeg()))
        let picture = try await final(images.requestImage(for: asset, targetSize: target))
        #expect(picture.description.dimensions == target)
        #expect(Corners.colors(of: picture) == Corners.expected(6))
        #expect(await library.thumbnail(of: asset) != nil)
        // The thumbnail has enough pixels, so the original is not needed.
        let small = Dimensions(width: 90, height: 120)
        #expect(
            await kinds(alone.requestImage(for: asset, targetSize: small, options: exactly))
                == ["final 90x120"])
        #expect(
            await kinds(alone.requestImage(for: asset, targetSize: target))
                == ["degraded 120x160", "failed unsupported"])
        let broken = ImageManager(library, foreign: Known(jpeg: [0xFF, 0xD8]))
        #expect(
            await kinds(broken.requestImage(for: asset, targetSize: target, options: exactly))
                == ["failed damaged"])
        await library.close()
    }

    @Test("a slow remote delays no other picture, and its fetches end with their requests")
    func slow() async throws {
        let library = try await folder.open()
        let added = try await add(8, to: library)
        let far = added.dropLast().map(\.asset)
        for photo in added.dropLast() {
            try FileManager.default.removeItem(atPath: photo.path)
        }
        let here = try #require(added.last).asset
        let elsewhere = Unending()
        let images = ImageManager(library, remote: elsewhere)
        let target = Dimensions(width: 320, height: 240)
        let options = ImageRequestOptions(
            deliveryMode: .highQualityFormat, allowsNetworkAccess: true)
        // More than are fetched at a time.
        let requests = far.map { asset in
            Task {
                for await _ in images.requestImage(for: asset, targetSize: target, options: options)
                {}
            }
        }
        await elsewhere.began.first { true }
        await images.startCachingImages(for: far, targetSize: target, options: options)
        _ = try await final(images.requestImage(for: here, targetSize: target, options: exactly))
        for request in requests { request.cancel() }
        for request in requests { await request.value }
        await images.stopCachingImagesForAllAssets()
        try await waitUntil { await images.waitingCount == 0 }
        try await elsewhere.nothingIsFetched()
        await library.close()
    }

    @Test("pictures for the screen are kept on the disk, and made again when they are lost")
    func kept() async throws {
        let library = try await folder.open()
        var resource = try await add(1, to: library)[0]
        let id = resource.asset.id
        let screen = Dimensions(width: 320, height: 320)
        func fullScreen() async throws -> [Corners.Color] {
            let images = ImageManager(library)
            return Corners.colors(
                of: try await final(images.requestImage(for: resource.fullScreen(screen))))
        }
        let upright = try await fullScreen()
        #expect(upright == Corners.expected(1))
        let first = try folder.names(pictures)
        #expect(first.count == 1 && first[0].hasPrefix(id.uuidString.lowercased()))
        // The original is no longer needed.
        try FileManager.default.moveItem(atPath: resource.path, toPath: folder.path + "/away")
        #expect(try await fullScreen() == upright)
        try FileManager.default.moveItem(atPath: folder.path + "/away", toPath: resource.path)

        try await library.performChanges {
            $0.change([id], .setAdjustment(AssetAdjustment(rotation: .half)))
        }
        resource = try await library.resource(id: "1")
        #expect(try await fullScreen() == Corners.turned(upright, 2))
        #expect(try folder.names(pictures).count == 2)

        // An incomplete picture, as after a power cut, and one that belongs to no asset.
        try folder.write([0xFF, 0xD8, 1], to: pictures + "/" + first[0])
        let stranger = UUID().uuidString.lowercased() + "-0123456789abcdef.jpg"
        try folder.write(jpeg(bytes: 9), to: pictures + "/" + stranger)
        try folder.write([1], to: pictures + "/notes.txt")
        let findings = try await library.verify().findings
        #expect(
            Set(findings.map { "\($0.kind) \($0.path ?? "")" }) == [
                "thumbnail derived/pictures/\(first[0])", "thumbnail derived/pictures/\(stranger)",
                "foreign derived/pictures/notes.txt",
            ])
        let outcomes = try await library.repair(findings)
        #expect(outcomes.allSatisfy { $0.result == .repaired })
        #expect(try await library.verify().findings.isEmpty)
        try await library.performChanges { $0.change([id], .setAdjustment(nil)) }
        resource = try await library.resource(id: "1")
        #expect(try await fullScreen() == upright)
        #expect(try folder.names(pictures).contains(first[0]))

        try await library.performChanges { $0.change([id], .delete) }
        try await library.performChanges { $0.change([id], .purge) }
        #expect(try folder.names(pictures) == [] && folder.names(thumbnails) == [])
        await library.close()
    }

    @Test("a picture too large for memory is refused, unless a smaller one is requested")
    func large() async throws {
        let library = try await folder.open()
        // Only the header claims this size.
        var jpeg = try Corners.jpeg(Dimensions(width: 640, height: 480))
        let frame = try #require(
            jpeg.indices.dropLast(9).first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xC0 })
        jpeg.replaceSubrange(frame + 5..<frame + 9, with: [0x17, 0x70, 0x1F, 0x40])
        let size = Dimensions(width: 8000, height: 6000)
        let asset = try await library.add(photo(jpeg: jpeg, size: size, orientation: 6))
        let images = ImageManager(library)
        let resource = try await library.resource(id: asset.id.uuidString)
        let full = await kinds(
            images.requestImage(for: resource.fullResolution, options: exactly))
        #expect(full == ["failed unsupported"])
        let small = await kinds(
            images.requestImage(
                for: asset, targetSize: Dimensions(width: 600, height: 800), options: exactly))
        #expect(small != ["failed unsupported"])
        // A progressive JPEG needs memory for all its coefficients, even for a small picture.
        jpeg[frame + 1] = 0xC2
        let held = try await library.add(photo(jpeg: jpeg, size: size, orientation: 6))
        let little = Dimensions(width: 600, height: 800)
        #expect(
            await kinds(images.requestImage(for: held, targetSize: little, options: exactly))
                == ["failed unsupported"])
        await library.close()
    }

    @Test("no picture is kept of an asset that is purged while the picture is made")
    func purgedMeanwhile() async throws {
        let library = try await folder.open()
        let asset = try await library.add(
            photo(jpeg: [1, 2, 3], size: Corners.size, orientation: 1, fileExtension: "png"))
        let resource = try await library.resource(id: asset.id.uuidString)
        let images = ImageManager(
            library, foreign: Purging(jpeg: try Corners.jpeg(), library: library, asset: asset.id))
        // The request is answered all the same.
        #expect(
            await kinds(
                images.requestImage(
                    for: resource.fullScreen(Dimensions(width: 300, height: 300)),
                    options: exactly)) == ["final 300x225"])
        #expect(try await library.statistics().assets == 0)
        #expect(try folder.names(pictures) == [] && folder.names(thumbnails) == [])
        #expect(try await library.verify().findings.isEmpty)
        await library.close()
    }

    @Test("no picture is kept on a disk with too little free space")
    func leastFree() async throws {
        let (free, least) = (Int64(1) << 30, (Int64(1) << 30) - 10)
        let library = try await AssetLibrary.open(at: folder.root, reserveMegabytes: 0) {
            _ throws(SystemCallError) in free
        }
        let photo = try #require(try await add(1, to: library).first)
        let screen = photo.fullScreen(Dimensions(width: 400, height: 400))
        for (leastFreeBytes, isKept) in [(least, false), (least / 2, true)] {
            var budgets = ImageBudgets()
            budgets.leastFree = leastFreeBytes
            let images = ImageManager(library, budgets)
            _ = try await final(images.requestImage(for: screen))
            #expect(try folder.names(pictures).isEmpty != isKept)
        }
        await library.close()
    }

    @Test("the least recently used pictures are deleted first, even after a restart")
    func budget() async throws {
        let library = try await folder.open()
        let photos = try await add(4, to: library)
        let screen = Dimensions(width: 400, height: 400)
        func look(at number: Int, _ images: ImageManager) async throws {
            _ = try await final(images.requestImage(for: photos[number].fullScreen(screen)))
        }
        func kept() throws -> Set<Int> {
            let names = try folder.names(pictures)
            return Set(
                photos.indices.filter { number in
                    let id = photos[number].asset.id.uuidString.lowercased()
                    return names.contains { $0.hasPrefix(id) }
                })
        }
        // Returns a manager that keeps nothing in memory.
        func manager(_ bytes: Int64) -> ImageManager {
            var budgets = ImageBudgets()
            (budgets.memory, budgets.disk) = (0, bytes)
            return ImageManager(library, budgets)
        }
        try await look(at: 0, manager(0))
        #expect(try kept() == [])
        let images = manager(1 << 20)
        try await look(at: 0, images)
        let name = try #require(try folder.names(pictures).first)
        let size = try #require(
            FileManager.default.contents(atPath: pictures + "/" + name)?.count)
        let small = manager(Int64(size) * 7 / 2)
        for number in [1, 2, 0, 3] { try await look(at: number, small) }
        #expect(try kept() == [0, 2, 3])
        // Sets times that differ even if the kernel's clock is coarse.
        let names = try folder.names(pictures)
        for (use, number) in [2, 0, 3].enumerated() {
            let id = photos[number].asset.id.uuidString.lowercased()
            let name = try #require(names.first { $0.hasPrefix(id) })
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: Double(1_700_000_000 + use))],
                ofItemAtPath: pictures + "/" + name)
        }
        let later = manager(Int64(size) * 7 / 2)
        for number in [2, 1] { try await look(at: number, later) }
        #expect(try kept() == [1, 2, 3])
        // A lower budget applies at the first access, even if nothing new is kept.
        try await look(at: 0, manager(0))
        #expect(try kept() == [])
        await library.close()
    }
}

/// A source that has the same picture for every file.
private struct Known: ForeignPictures {
    let jpeg: [UInt8]

    func jpeg(of path: String) async throws -> [UInt8] { jpeg }
    func metadata(of path: String) async throws -> [String: [String: String]] { [:] }
}

/// A source that purges the asset before it returns the picture.
private struct Purging: ForeignPictures {
    let jpeg: [UInt8]
    let library: AssetLibrary
    let asset: UUID

    func metadata(of path: String) async throws -> [String: [String: String]] { [:] }

    func jpeg(of path: String) async throws -> [UInt8] {
        try await library.performChanges { changes in
            changes.change([asset], .delete)
            changes.change([asset], .purge)
        }
        return jpeg
    }
}

/// A remote that has all originals and never delivers one.
private final class Unending: RemoteOriginals {
    let began: AsyncStream<Void>
    private let beginning: AsyncStream<Void>.Continuation
    private let under = Mutex(0)

    init() { (began, beginning) = AsyncStream.makeStream(of: Void.self) }

    func holds(_ asset: Asset) async -> Bool { true }

    func fetch(
        _ asset: Asset, progress: @Sendable (Double) -> Void
    ) async throws(LibraryError) -> [UInt8] {
        under.withLock { $0 += 1 }
        defer { under.withLock { $0 -= 1 } }
        beginning.yield()
        // Waits until the task is cancelled.
        for await _ in AsyncStream<Void>.makeStream().stream {}
        throw LibraryError(.cancelled, "given up")
    }

    func nothingIsFetched() async throws {
        try await waitUntil { under.withLock({ $0 }) == 0 }
    }
}
