// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
public import Media

/// Pictures of a library's assets, decoded for a size. PHCachingImageManager.
///
///     for await delivery in images.requestImage(for: asset, targetSize: screen) { show(delivery) }
///
/// It decodes one picture at a time, on a thread of its own: what was asked for last comes first, since that
/// is what a person is looking at; what is only to be at hand comes last. What has to come from elsewhere, or out of
/// another program, keeps nobody waiting meanwhile. Ending the iteration, or its task, gives a request up.
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

    /// So many originals come from elsewhere at a time.
    private static let mostFetches = 4

    /// The library of the pictures.
    public nonisolated let library: AssetLibrary
    /// What the pictures may take.
    public nonisolated let budgets: ImageBudgets
    private let source: PictureSource
    private var maker: PictureMaker
    /// The last is the next.
    private var waiting: [PictureRequest] = []
    private var preheating: [PictureRequest.Wish: PictureRequest] = [:]
    private var order: [PictureRequest.Wish] = []
    /// What is being answered; `nil` when that was given up, too.
    private var current: PictureRequest?
    private var distant: [PictureRequest] = []
    private var fetching: [Int: Fetch] = [:]
    private var isWorking = false
    private var lastNumber = 0

    /// - Parameters:
    ///   - foreign: For originals that are no JPEG; without it there is only the thumbnail of these.
    ///   - remote: Where originals are that are not here.
    public init(
        _ library: AssetLibrary, _ budgets: ImageBudgets = ImageBudgets(),
        foreign: (any ForeignPictures)? = nil, remote: (any RemoteOriginals)? = nil
    ) {
        self.library = library
        self.budgets = budgets
        source = PictureSource(library: library, foreign: foreign, remote: remote)
        maker = PictureMaker(library, budgets)
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
        return request(asset, size, options)
    }

    /// Asks for the picture of a representation; what `options` say of resizing and version does not count. Those for
    /// the screen are kept.
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

    /// Has pictures decoded before they are asked for, as far as the memory goes; what is asked for comes first.
    public func startCachingImages(
        for assets: [Asset], targetSize: Dimensions, contentMode: ImageContentMode = .aspectFit,
        options: ImageRequestOptions = ImageRequestOptions()
    ) {
        let size = ImageSize(
            target: targetSize, contentMode: contentMode, resizeMode: options.resizeMode)
        for asset in assets {
            let request = newRequest(asset, size, options, nil)
            let wish = request.wish
            guard preheating[wish] == nil, !isUnderWay(wish), !maker.hasAtHand(request) else {
                continue
            }
            preheating[wish] = request
            order.append(wish)
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
        let wishes = Set(
            assets.map { PictureRequest.Wish(asset: $0.id, size: size, options: options) })
        for wish in wishes { preheating[wish] = nil }
        order.removeAll { preheating[$0] == nil }
        giveUp { $0.deliver == nil && wishes.contains($0.wish) }
    }

    /// Gives up all that was to be decoded and is not yet.
    public func stopCachingImagesForAllAssets() {
        preheating = [:]
        order = []
        giveUp { $0.deliver == nil }
    }

    /// Bytes of decoded pictures that are kept now.
    public var cachedBytes: Int { maker.cachedBytes }

    /// Requests that are not being decoded yet, of those that are only to be at hand, too.
    package var waitingCount: Int {
        waiting.count + preheating.count + distant.count + fetching.count
    }
    /// Whether nothing is being decoded or fetched.
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
        if options.deliveryMode != .highQualityFormat, let small = maker.thumbnail(request) {
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

    private func isUnderWay(_ wish: PictureRequest.Wish) -> Bool {
        distant.contains { $0.wish == wish }
            || fetching.values.contains { $0.request.wish == wish }
    }

    private func work() {
        guard !isWorking else { return }
        isWorking = true
        Task {
            while let request = next() {
                current = request
                await answer(request)
                current = nil
                // Whoever has asked, or has given up, meanwhile is heard.
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

    // MARK: - Originals from elsewhere

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
