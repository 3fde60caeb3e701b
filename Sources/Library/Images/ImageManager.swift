// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
public import Imaging
internal import LinuxIO
public import Media

/// Pictures of a library's assets, decoded for a size. PHCachingImageManager.
///
///     for await delivery in images.requestImage(for: asset, targetSize: screen) { show(delivery) }
///
/// It decodes one picture at a time, on a thread of its own: what was asked for last comes first, since that
/// is what a person is looking at; what is only to be at hand comes last. Ending the iteration, or its task,
/// gives a request up.
public actor ImageManager {
    private static let executor = ThreadExecutor("images")

    /// The thread of the pictures.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe Self.executor.asUnownedSerialExecutor()
    }

    private struct Request {
        let number: Int
        let asset: Asset
        let size: ImageSize
        let options: ImageRequestOptions
        /// `nil`: it is only to be at hand.
        let deliver: AsyncStream<ImageDelivery>.Continuation?
    }

    private let layout: LibraryLayout
    private let library: AssetLibrary
    private let remote: (any RemoteOriginals)?
    private var cache: PictureCache
    private var renderer: PictureRenderer?
    private var waiting: [Request] = []
    private var preheating: [PreheatKey: Request] = [:]
    private var order: [PreheatKey] = []
    private var isWorking = false
    private var lastNumber = 0

    private struct PreheatKey: Hashable {
        let asset: UUID
        let size: ImageSize
        let options: ImageRequestOptions
    }

    /// - Parameters:
    ///   - memoryBudget: Bytes of decoded pictures that are kept.
    ///   - remote: Where originals are that are not here.
    public init(
        _ library: AssetLibrary, memoryBudget: Int = 64 << 20,
        remote: (any RemoteOriginals)? = nil
    ) {
        self.library = library
        layout = library.layout
        self.remote = remote
        cache = PictureCache(budget: memoryBudget)
    }

    /// Asks for a picture; see ``ImageDelivery`` for what comes.
    ///
    /// - Parameter targetSize: Pixels, of the upright picture; a picture is never enlarged.
    public nonisolated func requestImage(
        for asset: Asset, targetSize: Dimensions, contentMode: ImageContentMode = .aspectFit,
        options: ImageRequestOptions = ImageRequestOptions()
    ) -> AsyncStream<ImageDelivery> {
        let size = ImageSize(
            target: targetSize, contentMode: contentMode, resizeMode: options.resizeMode)
        return AsyncStream { continuation in
            let task = Task { await begin(asset, size, options, continuation) }
            continuation.onTermination = { _ in
                task.cancel()
                Task { await self.giveUp(continuation) }
            }
        }
    }

    /// Has pictures decoded before they are asked for, as far as the memory goes; what is asked for comes first.
    public func startCachingImages(
        for assets: [Asset], targetSize: Dimensions, contentMode: ImageContentMode = .aspectFit,
        options: ImageRequestOptions = ImageRequestOptions()
    ) {
        let size = ImageSize(
            target: targetSize, contentMode: contentMode, resizeMode: options.resizeMode)
        for asset in assets {
            let key = PreheatKey(asset: asset.id, size: size, options: options)
            guard preheating[key] == nil, cache.picture(cacheKey(asset, size, options)) == nil
            else { continue }
            lastNumber += 1
            preheating[key] = Request(
                number: lastNumber, asset: asset, size: size, options: options, deliver: nil)
            order.append(key)
        }
        work()
    }

    /// Gives up what was to be decoded and is not yet.
    public func stopCachingImages(
        for assets: [Asset], targetSize: Dimensions, contentMode: ImageContentMode = .aspectFit,
        options: ImageRequestOptions = ImageRequestOptions()
    ) {
        let size = ImageSize(
            target: targetSize, contentMode: contentMode, resizeMode: options.resizeMode)
        for asset in assets {
            preheating[PreheatKey(asset: asset.id, size: size, options: options)] = nil
        }
        order.removeAll { preheating[$0] == nil }
    }

    /// Gives up all that was to be decoded and is not yet.
    public func stopCachingImagesForAllAssets() {
        preheating = [:]
        order = []
    }

    /// Bytes of decoded pictures that are kept now.
    public var cachedBytes: Int { cache.bytes }

    /// Requests that nobody has begun with, of those that are only to be at hand, too.
    package var waitingCount: Int { waiting.count + preheating.count }
    /// Whether nothing is being decoded.
    package var isIdle: Bool { !isWorking }

    // MARK: - Requests

    private func begin(
        _ asset: Asset, _ size: ImageSize, _ options: ImageRequestOptions,
        _ deliver: AsyncStream<ImageDelivery>.Continuation
    ) {
        if Task.isCancelled { return }
        if let picture = cache.picture(cacheKey(asset, size, options)) {
            deliver.yield(.final(picture))
            return deliver.finish()
        }
        if options.deliveryMode != .highQualityFormat,
            let small = thumbnail(of: asset, size, options)
        {
            deliver.yield(.degraded(small))
            if options.deliveryMode == .fastFormat { return deliver.finish() }
        }
        lastNumber += 1
        waiting.append(
            Request(
                number: lastNumber, asset: asset, size: size, options: options, deliver: deliver))
        work()
    }

    private func giveUp(_ deliver: AsyncStream<ImageDelivery>.Continuation) {
        waiting.removeAll { $0.deliver == deliver }
    }

    private func work() {
        guard !isWorking else { return }
        isWorking = true
        Task {
            while let request = next() {
                await answer(request)
                // Whoever has asked, or has given up, meanwhile is heard.
                await Task.yield()
            }
            isWorking = false
        }
    }

    private func next() -> Request? {
        if let request = waiting.popLast() { return request }
        while !order.isEmpty {
            if let request = preheating.removeValue(forKey: order.removeFirst()) { return request }
        }
        return nil
    }

    private func answer(_ request: Request) async {
        let key = cacheKey(request.asset, request.size, request.options)
        if let picture = cache.picture(key) {
            request.deliver?.yield(.final(picture))
        } else {
            do throws(LibraryError) {
                if let picture = try await picture(request) {
                    cache.keep(picture, as: key)
                    request.deliver?.yield(.final(picture))
                } else {
                    request.deliver?.yield(.remote)
                }
            } catch {
                request.deliver?.yield(.failed(error))
            }
        }
        request.deliver?.finish()
    }

    // MARK: - Pictures

    private func cacheKey(
        _ asset: Asset, _ size: ImageSize, _ options: ImageRequestOptions
    ) -> PictureCache.Key {
        PictureCache.Key(
            sha256: asset.sha256, orientation: asset.orientation,
            adjustment: options.adjustment(of: asset), size: size)
    }

    /// What was made when it was stored.
    private func thumbnail(
        of asset: Asset, _ size: ImageSize, _ options: ImageRequestOptions
    ) -> StillPicture? {
        guard let bytes = Thumbnail.read(layout.thumbnail(asset.id)) else { return nil }
        return try? render(bytes, asset, size, options)
    }

    /// `nil` when it is elsewhere and may not be fetched.
    private func picture(_ request: Request) async throws(LibraryError) -> StillPicture? {
        let asset = request.asset
        let what = "asset \(asset.id.text)"
        guard asset.mediaType == .photo, asset.isJPEG else {
            guard let small = thumbnail(of: asset, request.size, request.options) else {
                throw LibraryError(.notFound, "\(what): has no picture")
            }
            return small
        }
        guard let bytes = try await original(request) else { return nil }
        do throws(ImagingError) {
            let picture = try render(bytes, asset, request.size, request.options)
            Thumbnail.makeIfMissing(layout.thumbnail(asset.id), of: bytes)
            return picture
        } catch {
            throw LibraryError(.damaged, "\(what): \(error)", underlying: error)
        }
    }

    private func original(_ request: Request) async throws(LibraryError) -> [UInt8]? {
        let asset = request.asset
        let row = try await library.row(id: asset.id.text)
        do throws(LibraryError) {
            return try OriginalFile.content(of: layout.original(row.path), "asset \(asset.id.text)")
        } catch {
            guard error.code == .notFound, let remote, await remote.holds(asset) else {
                throw error
            }
            guard request.options.allowsNetworkAccess else { return nil }
            let deliver = request.deliver
            let bytes = try await remote.fetch(asset) { deliver?.yield(.progress($0)) }
            guard hexadecimal(SHA256.hash([bytes])) == asset.sha256 else {
                throw LibraryError(
                    .damaged, "asset \(asset.id.text): what was fetched is not its original")
            }
            return bytes
        }
    }

    private func render(
        _ bytes: [UInt8], _ asset: Asset, _ size: ImageSize, _ options: ImageRequestOptions
    ) throws(ImagingError) -> StillPicture {
        let renderer: PictureRenderer
        if let known = self.renderer { renderer = known } else { renderer = try PictureRenderer() }
        self.renderer = renderer
        return try renderer.render(
            bytes, ExifOrientation(rawValue: asset.orientation) ?? .upright,
            options.adjustment(of: asset), size)
    }
}

extension ImageRequestOptions {
    fileprivate func adjustment(of asset: Asset) -> AssetAdjustment? {
        version == .current ? asset.adjustment : nil
    }
}

extension Asset {
    var isJPEG: Bool { fileName.hasSuffix(".jpg") || fileName.hasSuffix(".jpeg") }
}
