// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
public import Media

/// Makes pictures of a library's assets for a size (PHCachingImageManager's counterpart).
///
///     for await delivery in images.requestImage(for: asset, targetSize: screen) { show(delivery) }
///
/// It decodes one picture at a time, on its own thread. The latest request comes first, because a
/// person is looking at it; decoding in advance comes last. Fetching an original, or converting it
/// in another program, delays no other request. Ending the iteration or its task cancels it.
///
///     waiting ──▶ decoded ──▶ delivered
///        ▲ └──▶ distant ──▶ fetching ─┐
///        └────────────────────────────┘
public actor ImageManager {
    private static let executor = ThreadExecutor("images")

    /// The thread of the pictures.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe Self.executor.asUnownedSerialExecutor()
    }

    private struct Fetch {
        let request: PictureRequest
        let task: Task<Void, Never>
    }

    /// The maximum number of originals that are fetched at the same time.
    private static let mostFetches = 4

    /// The library of the pictures.
    public nonisolated let library: AssetLibrary
    /// The limits of memory and disk space.
    public nonisolated let budgets: ImageBudgets
    private let source: PictureSource
    private var maker: PictureMaker
    /// The requests to answer; the last one is next.
    private var waiting: [PictureRequest] = []
    private var preheating: [PictureRequest.Identity: PictureRequest] = [:]
    private var order: [PictureRequest.Identity] = []
    /// The request being answered; `nil` also if it was cancelled meanwhile.
    private var current: PictureRequest?
    private var distant: [PictureRequest] = []
    private var fetching: [Int: Fetch] = [:]
    private var isWorking = false
    private var lastNumber = 0

    /// Creates a manager. `foreign` reads originals that are not JPEGs, which otherwise only have
    /// thumbnails. `remote` is the source of originals that are not stored here.
    public init(
        _ library: AssetLibrary, _ budgets: ImageBudgets = ImageBudgets(),
        foreign: (any ForeignPictures)? = nil, remote: (any RemoteOriginals)? = nil
    ) {
        self.library = library
        self.budgets = budgets
        source = PictureSource(library: library, foreign: foreign, remote: remote)
        maker = PictureMaker(library, budgets)
    }

    /// Requests a picture; see ``ImageDelivery`` for the elements of the stream.
    /// - Parameter targetSize: Pixels of the upright picture. A picture is never enlarged.
    public nonisolated func requestImage(
        for asset: Asset, targetSize: Dimensions, contentMode: ImageContentMode = .aspectFit,
        options: ImageRequestOptions = ImageRequestOptions()
    ) -> AsyncStream<ImageDelivery> {
        let size = ImageSize(
            target: targetSize, contentMode: contentMode, resizeMode: options.resizeMode)
        return request(asset, size, options)
    }

    /// Requests the picture of a representation, which determines the resize mode and version
    /// instead of `options`. Pictures for the screen are kept on the disk.
    public nonisolated func requestImage(
        for representation: AssetRepresentation,
        options: ImageRequestOptions = ImageRequestOptions()
    ) -> AsyncStream<ImageDelivery> {
        if representation.kind == .alternatePhoto {
            return AsyncStream { continuation in
                let error = LibraryError(
                    .unsupported,
                    "asset \(representation.asset.id.text): no picture is made of a RAW")
                continuation.yield(.failed(error))
                continuation.finish()
            }
        }
        var options = options
        options.version = representation.version
        options.resizeMode = representation.size.resizeMode
        if representation.kind == .fullScreen { options.keepsPicture = true }
        return request(representation.asset, representation.size, options)
    }

    private nonisolated func request(
        _ asset: Asset, _ size: ImageSize, _ options: ImageRequestOptions
    ) -> AsyncStream<ImageDelivery> {
        AsyncStream { continuation in
            let task = Task { await begin(asset, size, options, continuation) }
            continuation.onTermination = { _ in
                task.cancel()
                Task { await self.giveUp { $0.deliver == continuation } }
            }
        }
    }

    /// Decodes pictures in advance, within the memory budget. Requests come first.
    public func startCachingImages(
        for assets: [Asset], targetSize: Dimensions, contentMode: ImageContentMode = .aspectFit,
        options: ImageRequestOptions = ImageRequestOptions()
    ) {
        let size = ImageSize(
            target: targetSize, contentMode: contentMode, resizeMode: options.resizeMode)
        for asset in assets {
            let request = newRequest(asset, size, options, nil)
            let identity = request.identity
            guard preheating[identity] == nil, !isUnderWay(identity), !maker.hasAtHand(request)
            else {
                continue
            }
            preheating[identity] = request
            order.append(identity)
        }
        work()
    }

    /// Stops decoding these pictures in advance. Those already decoded are kept.
    public func stopCachingImages(
        for assets: [Asset], targetSize: Dimensions, contentMode: ImageContentMode = .aspectFit,
        options: ImageRequestOptions = ImageRequestOptions()
    ) {
        let size = ImageSize(
            target: targetSize, contentMode: contentMode, resizeMode: options.resizeMode)
        let identities = Set(
            assets.map { PictureRequest.Identity(asset: $0.id, size: size, options: options) })
        for identity in identities { preheating[identity] = nil }
        order.removeAll { preheating[$0] == nil }
        giveUp { $0.deliver == nil && identities.contains($0.identity) }
    }

    /// Stops decoding any pictures in advance. Those already decoded are kept.
    public func stopCachingImagesForAllAssets() {
        preheating = [:]
        order = []
        giveUp { $0.deliver == nil }
    }

    /// The size of the decoded pictures in memory.
    public var cachedBytes: Int { maker.cachedBytes }

    /// The number of requests not being decoded yet, including those in advance.
    package var waitingCount: Int {
        waiting.count + preheating.count + distant.count + fetching.count
    }
    package var isIdle: Bool { !isWorking && distant.isEmpty && fetching.isEmpty }

    // MARK: - Requests

    private func newRequest(
        _ asset: Asset, _ size: ImageSize, _ options: ImageRequestOptions,
        _ deliver: AsyncStream<ImageDelivery>.Continuation?
    ) -> PictureRequest {
        lastNumber += 1
        return PictureRequest(
            number: lastNumber, asset: asset, size: size, options: options, deliver: deliver)
    }

    private func begin(
        _ asset: Asset, _ size: ImageSize, _ options: ImageRequestOptions,
        _ deliver: AsyncStream<ImageDelivery>.Continuation
    ) {
        if Task.isCancelled { return }
        let request = newRequest(asset, size, options, deliver)
        if let picture = maker.known(request) { return request.finish(.final(picture)) }
        if options.deliveryMode != .highQualityFormat, let small = maker.substitute(request) {
            deliver.yield(.degraded(small))
            if options.deliveryMode == .fastFormat { return deliver.finish() }
        }
        waiting.append(request)
        work()
    }

    private func giveUp(_ isGivenUp: @Sendable (PictureRequest) -> Bool) {
        waiting.removeAll(where: isGivenUp)
        distant.removeAll(where: isGivenUp)
        if let request = current, isGivenUp(request) { current = nil }
        for (number, fetch) in fetching where isGivenUp(fetch.request) {
            fetching[number] = nil
            fetch.task.cancel()
        }
        fetchNext()
    }

    private func isUnderWay(_ identity: PictureRequest.Identity) -> Bool {
        distant.contains { $0.identity == identity }
            || fetching.values.contains { $0.request.identity == identity }
    }

    private func work() {
        guard !isWorking else { return }
        isWorking = true
        Task {
            while let request = next() {
                current = request
                await answer(request)
                current = nil
                // New and cancelled requests get their turn.
                await Task.yield()
            }
            isWorking = false
        }
    }

    private func next() -> PictureRequest? {
        if let request = waiting.popLast() { return request }
        while !order.isEmpty {
            if let request = preheating.removeValue(forKey: order.removeFirst()) { return request }
        }
        return nil
    }

    private func answer(_ request: PictureRequest) async {
        do throws(LibraryError) {
            if let picture = maker.known(request) {
                request.finish(.final(picture))
            } else if let original = try await original(request) {
                request.finish(.final(try maker.make(request, of: original)))
            } else if current != nil {
                distant.append(request)
                fetchNext()
            }
        } catch {
            request.finish(.failed(error))
        }
    }

    private func original(_ request: PictureRequest) async throws(LibraryError) -> [UInt8]? {
        if let source = request.source { return source }
        return try await source.original(of: request.asset)
    }

    // MARK: - Fetching originals

    private func fetchNext() {
        while fetching.count < Self.mostFetches, !distant.isEmpty {
            let next = distant.lastIndex { $0.deliver != nil } ?? distant.count - 1
            let request = distant.remove(at: next)
            let task = Task { await fetch(request) }
            fetching[request.number] = Fetch(request: request, task: task)
        }
    }

    private func fetch(_ request: PictureRequest) async {
        var arrived = request
        do throws(LibraryError) {
            arrived.source = try await source.fetched(request)
            guard fetching.removeValue(forKey: request.number) != nil else { return }
            if arrived.source == nil {
                request.finish(.remote)
            } else {
                waiting.append(arrived)
                work()
            }
        } catch {
            guard fetching.removeValue(forKey: request.number) != nil else { return }
            request.finish(.failed(error))
        }
        fetchNext()
    }
}

extension Asset {
    var isJPEG: Bool { fileName.hasSuffix(".jpg") || fileName.hasSuffix(".jpeg") }
}
