// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import Cache
internal import CommandProtocol
internal import Glibc
internal import Library
internal import LinuxIO
internal import Network
internal import Settings

struct CacheCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache", abstract: "Keep files from URLs, for times without a network.",
        discussion: """
              vitrine cache fetch https://example.org/logo.png

            The folder and its size are those of [cache] in the configuration. The service \
            vitrine-sync keeps the content of [[content]] fresh by itself.
            """,
        subcommands: [List.self, Fetch.self, Refresh.self, Purge.self, Stats.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the files, those used last first. Asks no server.",
            discussion: """
                  vitrine cache list --json
                """)

        @OptionGroup var options: CacheOptions

        private struct Line: Encodable {
            let url: String
            let path: String
            let bytes: Int
            let sha256: String
            let contentType: String?
            let isFresh: Bool
            let downloadStarted: WallTime
            let downloadEnded: WallTime
            let lifetimeSeconds: Double
            let expiresAt: WallTime
            let lastUsed: WallTime
            let hits: Int
            let downloads: Int
            let renewals: Int

            init(_ item: CachedItem, in folder: String) {
                url = item.url.description
                path = item.path(in: folder)
                bytes = item.bytes
                sha256 = item.hash
                contentType = item.contentType
                isFresh = item.freshness(at: .now) == .fresh
                downloadStarted = WallTime(here: item.downloadStarted)
                downloadEnded = WallTime(here: item.downloadEnded)
                lifetimeSeconds = item.lifetime
                expiresAt = WallTime(here: item.expiryDate)
                lastUsed = WallTime(here: item.lastUsed)
                (hits, downloads, renewals) = (item.hits, item.downloads, item.renewals)
            }
        }

        func run() async throws {
            let folder = try options.settings().cache.path
            let items = try options.items(in: folder)
            if options.json {
                for item in items { print(try jsonLine(Line(item, in: folder))) }
                return
            }
            var table = TextTable([
                TextTable.Column(heading: "state", weight: 5),
                TextTable.Column(heading: "size", alignsRight: true, weight: 3),
                TextTable.Column(heading: "expires", shortest: 20, weight: 4),
                TextTable.Column(heading: "url", shortest: 20, weight: 6),
            ])
            table.print(
                items.map { item in
                    [
                        item.freshness(at: .now) == .fresh ? "fresh" : "stale",
                        "\((item.bytes + 999) / 1000) kB",
                        WallTime(here: item.expiryDate).description, oneLine(item.url.description),
                    ]
                })
        }
    }

    struct Fetch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the path of a URL's file, downloaded if it is missing or stale.",
            discussion: """
                  vitrine cache fetch https://example.org/logo.png --lifetime 3600

                A stale file is better than none: if no newer one can be had, its path is printed \
                and the reason goes to standard error.
                """)

        @Argument(help: "Absolute URLs of http or https.")
        var urls: [String]

        @Option(
            help: """
                Seconds for which a downloaded file is fresh, whatever the server says (default: \
                what the server says).
                """)
        var lifetime: Double?

        @Flag(help: "Begin the lifetime of a fresh file anew, with --lifetime.")
        var extend = false

        @Option(help: "Beginning of the media type that is expected, such as image/.")
        var type: String?

        @Option(help: "SHA-256 of the content that is expected, 64 hexadecimal digits.")
        var sha256: String?

        @OptionGroup var options: CacheOptions

        func validate() throws {
            if let lifetime, !(0...1e9).contains(lifetime) {
                throw ValidationError("--lifetime is \(lifetime), allowed: 0 to 1000000000")
            }
            if extend, lifetime == nil { throw ValidationError("--extend needs --lifetime") }
            if let sha256, Expectation.hash(sha256) == nil {
                throw ValidationError("--sha256 is \(sha256), allowed: 64 hexadecimal digits")
            }
        }

        func run() async throws {
            var expectation = Expectation()
            expectation.contentType = type
            expectation.sha256 = sha256.flatMap(Expectation.hash)
            try await options.fetch(urls) { [expectation] cache, url in
                try await cache.fetch(
                    url, expiresIn: lifetime, extendsExpiryOnHit: extend, expecting: expectation)
            }
        }
    }

    struct Refresh: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ask the servers for newer files now.",
            discussion: """
                  vitrine cache refresh

                Without URLs, every file of the cache and of [[content]] is refreshed. A file \
                stays as it is if its server does not answer.
                """)

        @Argument(help: "Absolute URLs of http or https (default: all).")
        var urls: [String] = []

        @OptionGroup var options: CacheOptions

        func run() async throws {
            let settings = try options.settings()
            let items = try options.items(in: settings.cache.path)
            let contents = settings.contents.filter { !$0.url.isEmpty }
            let all = contents.map(\.url) + items.map(\.url.text)
            var seen: Set<String> = []
            let chosen = (urls.isEmpty ? all : urls).filter {
                seen.insert(ContentURL($0)?.text ?? $0).inserted
            }
            try await options.fetch(chosen) { cache, url in
                let content = contents.first { ContentURL($0.url) == ContentURL(url) }
                let item = items.first { $0.url == ContentURL(url) }
                return try await cache.fetch(
                    url,
                    expiresIn: content.map { Double($0.lifetimeSeconds) } ?? item?.ownLifetime,
                    expecting: content.map(Expectation.init) ?? Expectation(), revalidating: true)
            }
        }
    }

    struct Purge: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove files and unfinished downloads. Files in use stay.",
            discussion: """
                  vitrine cache purge --stale
                """)

        @Argument(help: "URLs of the files to remove.")
        var urls: [String] = []

        @Flag(help: "Remove the files whose lifetime has ended.")
        var stale = false

        @Flag(help: "Remove all files.")
        var all = false

        @OptionGroup var options: CacheOptions

        func validate() throws {
            guard [!urls.isEmpty, stale, all].filter({ $0 }).count == 1 else {
                throw ValidationError("name URLs, or give --stale or --all")
            }
        }

        func run() async throws {
            let count = try await options.use { cache in
                if urls.isEmpty { return try await cache.purge(onlyStale: stale) }
                var count = 0
                for url in urls { count += try await cache.purge(url) ? 1 : 0 }
                return count
            }
            if options.json {
                print(try jsonLine(["removed": count]))
            } else {
                print("\(count) removed")
            }
            if count < urls.count {
                throw CommandError(
                    "cache.missing",
                    "\(urls.count - count) of the URLs have no file, or it is in use",
                    next: "See: vitrine cache list", exit: .noInput)
            }
        }
    }

    struct Stats: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print how much is kept, and how often it was used.",
            discussion: """
                  vitrine cache stats
                """)

        @OptionGroup var options: CacheOptions

        private struct Report: Encodable {
            let folder: String
            let items: Int
            let fresh: Int
            let bytes: Int
            let quotaBytes: Int
            let unfinished: Int
            let unfinishedBytes: Int
            let hits: Int
            let downloads: Int
            let renewals: Int
        }

        func run() async throws {
            let settings = try options.settings().cache
            let items = try options.items(in: settings.path)
            let incoming = "\(settings.path)/incoming"
            let unfinished = ((try? FileTree.names(in: incoming)) ?? []).compactMap {
                ((try? FileTree.entry("\(incoming)/\($0)")) ?? nil)?.bytes
            }
            func sum(_ value: (CachedItem) -> Int) -> Int { items.reduce(0) { $0 + value($1) } }
            let report = Report(
                folder: settings.path, items: items.count,
                fresh: items.filter { $0.freshness(at: .now) == .fresh }.count, bytes: sum(\.bytes),
                quotaBytes: settings.quota, unfinished: unfinished.count,
                unfinishedBytes: unfinished.reduce(0, +), hits: sum(\.hits),
                downloads: sum(\.downloads), renewals: sum(\.renewals))
            if options.json { return print(try jsonLine(report)) }
            print("folder      \(oneLine(report.folder))")
            print("files       \(report.items), \(report.fresh) of them fresh")
            print(
                "size        \(report.bytes / 1_000_000) of \(report.quotaBytes / 1_000_000) MB")
            print("unfinished  \(report.unfinished), \(report.unfinishedBytes / 1_000_000) MB")
            print(
                "uses        \(report.hits) from disk, \(report.downloads) downloads, "
                    + "\(report.renewals) renewals")
        }
    }
}

/// The cache of the configuration.
struct CacheOptions: ParsableArguments {
    @OptionGroup var configuration: ConfigurationOptions

    @Flag(help: "Print JSON: one object per line, nothing else.")
    var json = false

    func settings() throws(SettingsError) -> Settings { try configuration.load() }

    /// Returns all items of the cache in a folder.
    func items(in folder: String) throws(CommandError) -> [CachedItem] {
        do {
            return try ContentCache.items(in: folder)
        } catch {
            throw CommandError(error)
        }
    }

    /// Opens the cache for `body`, as the owner of its folder.
    func use<Value: Sendable>(
        showing bar: ProgressLine = ProgressLine(isShown: false),
        _ body: (ContentCache) async throws -> Value
    ) async throws -> Value {
        let settings = try settings()
        return try await asOwner(of: settings.cache.path) { _ in
            do {
                let cache = try ContentCache(
                    at: settings.cache.path, quota: settings.cache.quota,
                    client: HTTPClient(HTTPClient.Configuration(settings.cache)),
                    progress: { _, done, total in
                        if let total { bar.show(done / 1000, of: max(total / 1000, 1)) }
                    })
                await cache.setPinned(settings.contents.map(\.url))
                return try await body(cache)
            } catch let error as ContentError {
                throw CommandError(error)
            }
        }
    }

    private struct Fetched: Encodable {
        let url: String
        let path: String
        let bytes: Int
        let sha256: String
        let contentType: String?
        let source: String
        let isFromCache: Bool
        let expiresAt: WallTime
        /// Why a stale file is not replaced.
        let failure: String?
    }

    /// Fetches URLs at the same time and prints each path as it comes. Ends with the status of the
    /// last failure.
    func fetch(
        _ urls: [String],
        _ body: @escaping @Sendable (ContentCache, String) async throws -> ContentResult
    ) async throws {
        let bar = ProgressLine(isShown: !json && isatty(STDERR_FILENO) == 1)
        let failure: CommandError? = try await use(showing: bar) { cache in
            try await withThrowingTaskGroup(of: Result<ContentResult, ContentError>.self) { group in
                for url in urls {
                    group.addTask {
                        do {
                            return .success(try await body(cache, url))
                        } catch let error as ContentError {
                            return .failure(error)
                        }
                    }
                }
                var last: CommandError?
                for try await result in group {
                    bar.end()
                    switch result {
                    case .success(let result): try show(result)
                    case .failure(let error):
                        let error = CommandError(error)
                        if let last { complain("vitrine: \(last.line)") }
                        last = error
                    }
                }
                return last
            }
        }
        if let failure { throw failure }
    }

    private func show(_ result: ContentResult) throws {
        var failure: ContentError?
        let source: String
        switch result.source {
        case .cache: source = "cache"
        case .renewed: source = "renewed"
        case .network: source = "network"
        case .stale(let reason): (source, failure) = ("stale", reason)
        }
        if json {
            print(
                try jsonLine(
                    Fetched(
                        url: result.item.url.description, path: result.path,
                        bytes: result.item.bytes, sha256: result.item.hash,
                        contentType: result.item.contentType, source: source,
                        isFromCache: result.isFromCache,
                        expiresAt: WallTime(here: result.item.expiryDate),
                        failure: failure?.message)))
        } else {
            print(result.path)
        }
        if let failure { complain("vitrine: the file is stale: \(failure.message)") }
    }
}
