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
    private let client: HTTPClient
    let index: ContentIndex
    let now: @Sendable () -> ContentMoment
    private let progress: Progress
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

    /// The time between two looks at a download of another process.
    private static let patience = Duration.milliseconds(200)
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

    private struct Request: Hashable, Sendable {
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

    // MARK: - Downloads

    private func download(
        _ request: Request
    ) async throws(ContentError) -> (CachedItem, ContentResult.Source) {
        let began = now()
        let file = try await claim(request, since: began)
        switch consume file {
        case .another(let item): return (item, .network)
        case .ours(let file): return try await download(request, into: file, since: began)
        }
    }

    private enum Claim: ~Copyable {
        case ours(GrowingFile)
        /// Another process has fetched the item meanwhile.
        case another(CachedItem)
    }

    /// Takes the unfinished file of a URL. Waits while another process downloads it, which ends a
    /// download that stalls, unless somebody has stopped the process.
    private func claim(
        _ request: Request, since began: ContentMoment
    ) async throws(ContentError) -> Claim {
        let path = "\(folder)/incoming/\(request.url.name)"
        let limit = 3 * Int64(client.configuration.stallSeconds) * 1_000_000_000
        var (seen, seenAt): (FileTree.Entry?, Int64) = (nil, Clock.boot)
        while true {
            do {
                if let file = try GrowingFile.claim(path) {
                    guard let item = try published(request, since: began) else {
                        return .ours(file)
                    }
                    // The former owner has published what it had.
                    try FileTree.remove(path)
                    return .another(item)
                }
            } catch {
                throw ContentError(naming: error)
            }
            do {
                try await Task.sleep(for: Self.patience)
            } catch {
                throw ContentError(.cancelled, "\(request.url): cancelled", next: "Try again")
            }
            if let item = try renewed(request, since: began) { return .another(item) }
            let file = try? FileTree.entry(path)
            if file != seen { (seen, seenAt) = (file, Clock.boot) }
            guard Clock.boot - seenAt < limit else {
                throw ContentError(
                    .stalled, "\(request.url): another process downloads it and does not go on",
                    next: "End that process, which fuser names: fuser -v \(path)")
            }
        }
    }

    /// Returns an item that another process has fetched meanwhile.
    private func renewed(
        _ request: Request, since began: ContentMoment
    ) throws(ContentError) -> CachedItem? {
        guard let item = try complete(request.url)?.item,
            let age = item.renewed.seconds(since: began), age > 0
        else { return nil }
        return item
    }

    /// Returns an item that another process has fetched meanwhile, also if it is publishing it.
    private func published(
        _ request: Request, since began: ContentMoment
    ) throws(ContentError) -> CachedItem? {
        try ContentError.naming { try index.waitForPublishers() }
        return try renewed(request, since: began)
    }

    private func download(
        _ request: Request, into file: consuming GrowingFile, since began: ContentMoment
    ) async throws(ContentError) -> (CachedItem, ContentResult.Source) {
        let url = request.url
        let known = try accepted(complete(url), request.expectation)
        var part = try ContentError.naming { try index.part(url) }
        if let row = part, row.bytes > file.bytes || row.bytes == 0 {
            try ContentError.naming { try index.removePart(url.text) }
            part = nil
        }
        var file = file
        do throws(SystemCallError) {
            // The bytes behind may not have been on the medium when the power failed.
            try file.shorten(to: part?.bytes ?? 0)
        } catch {
            throw ContentError(naming: error)
        }
        var http = HTTPRequest(url.text)
        if let part {
            http.headers = [
                ("Range", "bytes=\(part.bytes)-"), ("If-Range", part.validator),
            ]
            http.allowsEncoding = false
        } else if let known {
            if let etag = known.item.etag { http.headers.append(("If-None-Match", etag)) }
            if let changed = known.item.lastModified {
                http.headers.append(("If-Modified-Since", changed))
            }
        }
        let download = ContentDownload(
            url, file: file, index: index,
            limits: ContentDownload.Limits(bytes: quota, expectation: request.expectation),
            continuing: part, progress: progress)
        var keepsPart = true
        do {
            let response = try await client.send(http, to: download)
            // A server that cannot satisfy the range has another content now.
            keepsPart = response.status != 416
            switch response.status {
            case 304:
                download.abandon(keepsPart: false)
                guard let known, part == nil else { throw status(response, url) }
                return (try renew(known.item, response, request), .renewed)
            case 200..<300 where response.status != 206 || part != nil:
                return (try publish(download, response, request, since: began), .network)
            default:
                throw status(response, url)
            }
        } catch {
            let error = ContentError(naming: error)
            // A full disk needs the room; what is unexpected is no beginning of anything.
            let isUseless: Set<ContentError.Code> = [
                .disk, .unexpected, .tooLarge, .notStorable, .index,
            ]
            download.abandon(keepsPart: keepsPart && !isUseless.contains(error.code))
            throw error
        }
    }

    private func status(_ response: HTTPResponse, _ url: ContentURL) -> ContentError {
        let next =
            switch response.status {
            case 401, 403, 407: "Check the permissions of the URL"
            case 404, 410: "Check the URL"
            default: "Try again later; see whether the server works"
            }
        return ContentError(.status, "\(url): the server answers \(response.status)", next: next)
    }

    private func renew(
        _ item: CachedItem, _ response: HTTPResponse, _ request: Request
    ) throws(ContentError) -> CachedItem {
        // An answer without rules leaves those of the stored one (RFC 9111, section 3.2).
        let hasRules = response["Cache-Control"] != nil || response["Expires"] != nil
        let control = hasRules ? CacheControl(response) : item.control
        let lifetime = hasRules || item.hasOwnLifetime ? control.lifetime : item.lifetime
        let renewed = try ContentError.naming {
            try index.renew(
                item, at: now(), lifetime: request.lifetime ?? lifetime,
                isOwn: request.lifetime != nil, control: control)
                ? try index.item(item.url) : nil
        }
        guard let renewed else {
            throw ContentError(.broken, "\(item.url): purged meanwhile", next: "Try again")
        }
        return renewed
    }

    private func publish(
        _ download: ContentDownload, _ response: HTTPResponse, _ request: Request,
        since began: ContentMoment
    ) throws(ContentError) -> CachedItem {
        let control = CacheControl(response)
        guard control.isStorable || request.lifetime != nil else {
            throw ContentError(
                .notStorable, "\(request.url): the server forbids that it is stored (no-store)",
                next: "Give a lifetime, which overrides the server's rules")
        }
        do {
            let complete = try download.finish()
            let (bytes, hash) = (complete.file.bytes, complete.sha256)
            let name =
                "items/\(request.url.name)-\(String(UInt64.random(in: 0 ... .max), radix: 16))"
            let old = try index.item(request.url)
            let ended = now()
            let item = CachedItem(
                url: request.url, file: name, bytes: bytes, sha256: hash,
                contentType: response["Content-Type"], etag: response["ETag"],
                lastModified: response["Last-Modified"], downloadStarted: began.wall,
                downloadEnded: ended.wall, renewed: ended,
                lifetime: request.lifetime ?? control.lifetime,
                hasOwnLifetime: request.lifetime != nil, control: control, lastUsed: ended.wall,
                hits: 0, downloads: 1, renewals: 0)
            var file: GrowingFile? = complete.file
            // The lease keeps other processes from removing a file that is not in the index yet.
            var lease: FileLease?
            try index.publish(item) { () throws(SystemCallError) in
                lease = try file.take()?.publish(replacing: "\(folder)/\(name)")
            }
            if let old { replaced.insert(old.file) }
            removeReplaced()
            try withExtendedLifetime(lease) { try evict() }
            return try index.item(request.url) ?? item
        } catch {
            throw ContentError(naming: error)
        }
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
    private func accepted(
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
    private func complete(
        _ url: ContentURL
    ) throws(ContentError) -> (item: CachedItem, lease: FileLease)? {
        guard let item = try ContentError.naming({ try index.item(url) }) else {
            return nil
        }
        if let lease = try leased(item) { return (item, lease) }
        try ContentError.naming { try index.remove(item) }
        return nil
    }

    private func leased(_ item: CachedItem) throws(ContentError) -> FileLease? {
        let path = "\(folder)/\(item.file)"
        return try ContentError.naming {
            guard let lease = try FileLease(path), let entry = try FileTree.entry(path),
                entry.bytes == item.bytes
            else { return nil }
            return lease
        }
    }
}
