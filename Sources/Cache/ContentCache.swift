// SPDX-License-Identifier: GPL-3.0-or-later

internal import Hashing
internal import LinuxIO
package import Network
internal import Store

/// Files by URL, kept on disk with an expiry (RFC 9111, for a cache of one user). Several processes
/// may use one folder at the same time. A file appears only complete and checked, and is never
/// removed while somebody has a ``ContentResult`` of it.
///
///     FOLDER/index.sqlite
///     FOLDER/items/HASH-OF-URL-NUMBER         a random number, so that no name comes twice
///     FOLDER/incoming/HASH-OF-URL             unfinished
///     FOLDER/shown/HASH-OF-URL                see ``show(_:)``
package actor ContentCache {
    private let executor = ThreadExecutor("cache")
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }
    /// The folder of the cache.
    package nonisolated let folder: String
    /// The most bytes of all files.
    let quota: Int
    let client: HTTPClient
    let index: ContentIndex
    let now: @Sendable () -> ContentMoment
    let progress: Progress
    /// URLs that are never evicted.
    var pinned: Set<ContentURL> = []
    /// The callers that wait for each download that is under way.
    private var waiting: [Request: [PendingAnswer<Outcome>]] = [:]
    /// Files that others have replaced, and that were in use then.
    var replaced: Set<String> = []
    /// Uses that are not in the index yet.
    private var uses: [ContentURL: Int] = [:]

    package typealias Progress = @Sendable (ContentURL, Int, Int?) -> Void
    private typealias Outcome = Result<(CachedItem, ContentResult.Source), ContentError>

    /// The time for which uses of an item are not written again, in nanoseconds.
    private static let usePeriod: Int64 = 60_000_000_000

    /// Opens or creates a cache. Files that nothing refers to are removed, except unfinished
    /// downloads that can go on.
    /// - Parameters:
    ///   - folder: An absolute path; its parent must exist.
    ///   - quota: The most bytes of all files.
    ///   - now: Returns the present moment.
    ///   - progress: Called with a URL, the bytes that have come, and the length if it is known.
    package init(
        at folder: String, quota: Int, client: HTTPClient,
        now: @escaping @Sendable () -> ContentMoment = { .now },
        progress: @escaping Progress = { _, _, _ in }
    ) throws(ContentError) {
        self.folder = folder
        self.quota = quota
        self.client = client
        self.now = now
        self.progress = progress
        index = try ContentError.naming {
            for name in ["", "/items", "/incoming", "/shown"] {
                if try FileTree.makeDirectory(folder + name), !name.isEmpty {
                    try DurableFile.synchronizeDirectory(folder)
                }
            }
            let index = try ContentIndex(at: "\(folder)/index.sqlite")
            try Self.removeLeftovers(folder, index)
            return index
        }
    }

    deinit { index.close() }

    // MARK: - Questions, which never touch the network

    /// Returns the item of a URL, fresh or stale; `nil` if there is none or its file is damaged.
    package func cachedItem(for url: String) throws(ContentError) -> CachedItem? {
        try complete(try parse(url))?.item
    }

    /// Returns whether ``fetch(_:expiresIn:extendsExpiryOnHit:expecting:revalidating:)`` would
    /// answer without the network.
    package func isCached(_ url: String) throws(ContentError) -> Bool {
        try cachedItem(for: url)?.freshness(at: now()) == .fresh
    }

    /// Returns all items of the cache in a folder, those used last first. Makes no folder, and
    /// needs no right to write.
    package static func items(in folder: String) throws(ContentError) -> [CachedItem] {
        let path = "\(folder)/index.sqlite"
        return try ContentError.naming {
            guard try FileTree.entry(path) != nil else { return [] }
            let isWritable = (try? FileTree.requireWritable(folder)) != nil
            let index = try isWritable ? ContentIndex(at: path) : ContentIndex.readOnly(path)
            defer { index.close() }
            return try index.items()
        }
    }

    /// Returns all items, those used last first.
    package func items() throws(ContentError) -> [CachedItem] {
        try ContentError.naming { try index.items() }
    }

    // MARK: - Fetching

    /// Returns the file of a URL: at once if it is complete and fresh, else after a download or
    /// the server's word that it is the same. Callers of one URL share one download. A stale file
    /// is returned if no newer one can be had and the server's rules allow it.
    /// - Parameters:
    ///   - lifetime: The seconds from the end of the download for which the file is fresh; `nil`
    ///     for what the server says. A given lifetime overrides the server's rules.
    ///   - extendsExpiryOnHit: Whether a fresh file's lifetime begins anew, with this one.
    ///   - expectation: What the file must be. A file that is not so counts as missing.
    ///   - revalidating: Whether the server is asked even if the file is fresh.
    package func fetch(
        _ url: String, expiresIn lifetime: Double? = nil, extendsExpiryOnHit: Bool = false,
        expecting expectation: Expectation = Expectation(), revalidating: Bool = false
    ) async throws(ContentError) -> ContentResult {
        let url = try parse(url)
        let request = Request(url: url, lifetime: lifetime, expectation: expectation)
        removeReplaced()
        var found = try accepted(complete(url), expectation)
        if let found, !revalidating {
            if found.item.freshness(at: now()) == .fresh {
                let item = try hit(found.item, extendedBy: extendsExpiryOnHit ? lifetime : nil)
                return ContentResult(item: item, source: .cache, lease: found.lease)
            }
            if lifetime == nil, found.item.mayServeWhileRevalidating(at: now()) {
                _ = join(request)
                return ContentResult(item: found.item, source: .stale(nil), lease: found.lease)
            }
        }
        let failure: ContentError
        switch await join(request).value(within: .seconds(86_400)) {
        case .success((let item, let source)):
            guard let lease = try leased(item) else {
                failure = ContentError(.disk, "\(url): the file is gone again", next: "Try again")
                break
            }
            if let wrong = try mismatch(item, lease, expectation) {
                failure = ContentError(
                    .unexpected, "\(url): this is not the expected content: \(wrong)",
                    next: "Check what is expected")
                break
            }
            // The former file is in use no longer, at least not here.
            found = nil
            removeReplaced()
            return ContentResult(item: item, source: source, lease: lease)
        case .failure(let error): failure = error
        case nil: failure = ContentError(.cancelled, "\(url): cancelled", next: "Try again")
        }
        guard let found, failure.code != .cancelled,
            lifetime != nil || found.item.mayServeInsteadOfError(at: now())
        else { throw failure }
        return ContentResult(item: found.item, source: .stale(failure), lease: found.lease)
    }

    /// The callers that wait for downloads.
    package var callersWaiting: Int { waiting.values.reduce(0) { $0 + $1.count } }

    /// A download as its callers want it.
    struct Request: Hashable, Sendable {
        let url: ContentURL
        let lifetime: Double?
        let expectation: Expectation
    }

    /// Notes a use. A lifetime begins anew durably.
    private func hit(
        _ item: CachedItem, extendedBy lifetime: Double?
    ) throws(ContentError) -> CachedItem {
        try ContentError.naming {
            if let lifetime {
                _ = try index.renew(
                    item, at: now(), lifetime: lifetime, isOwn: true, control: nil)
                return try index.item(item.url) ?? item
            }
            // Uses only order the items, so those that a crash loses do no harm.
            uses[item.url, default: 0] += 1
            if abs(now().wall - item.lastUsed) > Self.usePeriod {
                try index.use(
                    item.url, hits: uses.removeValue(forKey: item.url) ?? 0, at: now().wall)
            }
            return item
        }
    }

    /// Joins the download of a URL, or begins one.
    private func join(_ request: Request) -> PendingAnswer<Outcome> {
        let answer = PendingAnswer<Outcome>()
        let isNew = waiting[request] == nil
        waiting[request, default: []].append(answer)
        if isNew {
            Task {
                let outcome: Outcome
                do throws(ContentError) {
                    outcome = .success(try await download(request))
                } catch {
                    outcome = .failure(error)
                }
                for one in waiting.removeValue(forKey: request) ?? [] { one.give(outcome) }
            }
        }
        return answer
    }

    // MARK: - Helpers

    func parse(_ text: String) throws(ContentError) -> ContentURL {
        guard let url = ContentURL(text) else {
            throw ContentError(
                .invalidURL, "\(text): no absolute URL of http or https",
                next: "Write it as in: https://example.org/picture.png")
        }
        return url
    }

    /// Returns an item only if it is what a caller expects.
    func accepted(
        _ found: (item: CachedItem, lease: FileLease)?, _ expectation: Expectation
    ) throws(ContentError) -> (item: CachedItem, lease: FileLease)? {
        guard let found, try mismatch(found.item, found.lease, expectation) == nil else {
            return nil
        }
        return found
    }

    private func mismatch(
        _ item: CachedItem, _ lease: FileLease, _ expectation: Expectation
    ) throws(ContentError) -> String? {
        if let wrong = item.mismatch(with: expectation) { return wrong }
        guard expectation.isPicture else { return nil }
        return try ContentError.naming {
            expectation.mismatch(beginning: try DurableFileReader(lease.path).read(upTo: 16))
        }
    }

    /// Returns an item whose file is there, readable and of the right length, with a lease. An item
    /// without such a file is forgotten.
    func complete(
        _ url: ContentURL
    ) throws(ContentError) -> (item: CachedItem, lease: FileLease)? {
        guard let item = try ContentError.naming({ try index.item(url) }) else {
            return nil
        }
        if let lease = try leased(item) { return (item, lease) }
        try ContentError.naming { try index.remove(item) }
        return nil
    }

    func leased(_ item: CachedItem) throws(ContentError) -> FileLease? {
        let path = "\(folder)/\(item.file)"
        return try ContentError.naming {
            guard let lease = try FileLease(path), let entry = try FileTree.entry(path),
                entry.bytes == item.bytes
            else { return nil }
            return lease
        }
    }
}
