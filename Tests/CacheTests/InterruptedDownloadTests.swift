// SPDX-License-Identifier: GPL-3.0-or-later

import Cache
import Glibc
import LinuxIO
import Synchronization
import TestSupport
import Testing

/// Tests of downloads that break off, and of files that crashes and full disks leave.
@Suite("interrupted downloads", .timeLimit(.common), .ownThread)
struct InterruptedDownloadTests {
    private static let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) }

    /// A server whose first answer breaks off after 100,000 bytes.
    private func breakingServer(_ validators: [String], changes: Bool = false) throws -> WebServer {
        let count = Mutex(0)
        return try WebServer { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            let content = changes && number > 1 ? Self.content.map { ~$0 } : Self.content
            let tag = validators.map { changes && number > 1 ? $0 + "2" : $0 }
            if let range = request["Range"], !changes || request["If-Range"] == tag.first {
                let start = Int(range.dropFirst(6).dropLast()) ?? 0
                return WebServer.Answer(
                    status: 206,
                    headers: tag + [
                        "Content-Range: bytes \(start)-\(content.count - 1)/\(content.count)"
                    ], body: Array(content[start...]))
            }
            return WebServer.Answer(
                headers: tag, body: content, breaksAfter: number == 1 ? 100_000 : nil)
        }
    }

    @Test("a download that broke off goes on where it ended, also in another process")
    func resumed() async throws {
        let server = try breakingServer(["ETag: \"one\""])
        let tested = try TestedCache()
        await #expect {
            try await tested.cache.fetch(server.url(), expiresIn: 60)
        } throws: { ($0 as? ContentError)?.code == .broken }
        #expect(try tested.names("incoming").count == 1)
        #expect(try tested.names("items").isEmpty)
        let other = try TestedCache(in: tested.folder, clock: tested.clock)
        let result = try await other.cache.fetch(server.url(), expiresIn: 60)
        #expect(try other.bytes(result) == Self.content)
        #expect(server.requests.last?["Range"] == "bytes=100000-")
        #expect(server.requests.last?["If-Range"] == "\"one\"")
        #expect(try other.names("incoming").isEmpty)
    }

    @Test("a download whose content has changed begins anew")
    func changed() async throws {
        let server = try breakingServer(["ETag: \"one\""], changes: true)
        let tested = try TestedCache()
        await #expect(throws: ContentError.self) { try await tested.cache.fetch(server.url()) }
        let result = try await tested.cache.fetch(server.url(), expiresIn: 60)
        #expect(try tested.bytes(result) == Self.content.map { ~$0 })
    }

    @Test(
        "without a strong validator nothing is kept",
        arguments: [[], ["ETag: W/\"one\""], ["Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"]])
    func weak(_ validators: [String]) async throws {
        let server = try breakingServer(validators)
        let tested = try TestedCache()
        await #expect(throws: ContentError.self) { try await tested.cache.fetch(server.url()) }
        #expect(try tested.names("incoming").isEmpty)
        let result = try await tested.cache.fetch(server.url(), expiresIn: 60)
        #expect(try tested.bytes(result) == Self.content)
        #expect(server.requests.last?["Range"] == nil)
    }

    @Test("what a power cut may have spoiled behind the last synchronized byte is not used")
    func powerCut() async throws {
        let server = try breakingServer(["ETag: \"one\""])
        let tested = try TestedCache()
        await #expect(throws: ContentError.self) { try await tested.cache.fetch(server.url()) }
        let part = try tested.folder.path(
            of: "incoming/\(#require(tested.names("incoming").first))")
        // Bytes that came later, of which the power cut has left only the length.
        let file = try OwnedDescriptor(open: part, flags: O_WRONLY)
        #expect(ftruncate(file.number, 250_000) == 0)
        let result = try await tested.cache.fetch(server.url(), expiresIn: 60)
        #expect(try tested.bytes(result) == Self.content)
    }

    @Test("an empty answer is not the end of a download", arguments: [204, 200, 206])
    func emptyAnswer(_ status: Int) async throws {
        let count = Mutex(0)
        let server = try WebServer { _ in
            switch count.withLock({ count in
                count += 1
                return count
            }) {
            case 1:
                WebServer.Answer(
                    headers: ["ETag: \"one\""], body: Self.content, breaksAfter: 100_000)
            case 2:
                WebServer.Answer(
                    status: status, headers: ["Content-Range: bytes 100000-299999/300000"])
            default: WebServer.Answer(headers: ["ETag: \"one\""], body: Self.content)
            }
        }
        let tested = try TestedCache()
        for _ in 0..<2 {
            await #expect(throws: ContentError.self) { try await tested.cache.fetch(server.url()) }
            #expect(try tested.names("items").isEmpty)
        }
        let result = try await tested.cache.fetch(server.url(), expiresIn: 60)
        #expect(try tested.bytes(result) == Self.content)
    }

    @Test("a stall ends within its deadline")
    func stall() async throws {
        let server = try WebServer { _ in
            WebServer.Answer(body: Self.content, beforeBody: { sleep(20) })
        }
        let tested = try TestedCache(stallSeconds: 1)
        await #expect {
            try await tested.cache.fetch(server.url())
        } throws: { ($0 as? ContentError)?.code == .stalled }
    }

    @Test("files that nothing refers to go at the next start; others stay")
    func leftovers() async throws {
        let server = try WebServer { _ in WebServer.Answer(body: Self.content) }
        let tested = try TestedCache()
        let kept = try await tested.cache.fetch(server.url(), expiresIn: 60)
        try tested.folder.write([1], to: "items/\(String(repeating: "a", count: 64))-0")
        try tested.folder.write([1], to: "incoming/\(String(repeating: "b", count: 64))")
        let other = try TestedCache(in: tested.folder, clock: tested.clock)
        #expect(try other.names("items").count == 1 && other.names("incoming").isEmpty)
        #expect(try await other.cache.fetch(server.url()).path == kept.path)
    }

    @Test(
        "a file that is missing, short or unreadable is fetched again",
        arguments: ["missing", "short", "empty"])
    func damaged(_ kind: String) async throws {
        let server = try WebServer { _ in WebServer.Answer(body: Self.content) }
        let tested = try TestedCache()
        let path = try await tested.cache.fetch(server.url(), expiresIn: 60).path
        switch kind {
        case "missing": try FileTree.remove(path)
        default: #expect(unsafe truncate(path, kind == "short" ? 10 : 0) == 0)
        }
        #expect(try await !tested.cache.isCached(server.url()))
        let result = try await tested.cache.fetch(server.url(), expiresIn: 60)
        #expect(result.source == .network)
        #expect(try tested.bytes(result) == Self.content)
    }

    @Test("a damaged index is made anew", arguments: [0, 4096])
    func damagedIndex(_ from: Int) async throws {
        let server = try WebServer { _ in WebServer.Answer(body: Self.content) }
        let folder = try TemporaryFolder()
        do {
            let tested = try TestedCache(in: folder)
            _ = try await tested.cache.fetch(server.url(), expiresIn: 60)
        }
        var bytes = try folder.contents(of: "index.sqlite")
        for index in from..<bytes.count { bytes[index] = 0x55 }
        try folder.write(bytes, to: "index.sqlite")
        let tested = try TestedCache(in: folder)
        #expect(try await tested.cache.items().isEmpty)
        #expect(try tested.names("items").isEmpty)
        #expect(try await tested.cache.fetch(server.url(), expiresIn: 60).source == .network)
    }

    @Test("the longest unused items go first; those in use and pinned ones stay")
    func eviction() async throws {
        let server = try WebServer { _ in WebServer.Answer(body: Self.content) }
        let tested = try TestedCache(quota: 1_000_000)
        await tested.cache.setPinned([server.url("/pinned")])
        _ = try await tested.cache.fetch(server.url("/pinned"), expiresIn: 60)
        let used = try await tested.cache.fetch(server.url("/used"), expiresIn: 60)
        _ = try await tested.cache.fetch(server.url("/a"), expiresIn: 60)
        tested.clock.pass(61)
        tested.clock.jump(to: 0)
        _ = try await tested.cache.fetch(server.url("/b"), expiresIn: 60)
        #expect(try await tested.cache.cachedItem(for: server.url("/a")) == nil)
        for path in ["/pinned", "/used", "/b"] {
            #expect(try await tested.cache.cachedItem(for: server.url(path)) != nil, "\(path)")
        }
        withExtendedLifetime(used) {}
    }

    @Test("content larger than the cache is refused, with and without a length")
    func tooLarge() async throws {
        for saysLength in [true, false] {
            let server = try WebServer { _ in
                WebServer.Answer(body: Self.content, saysLength: saysLength)
            }
            let tested = try TestedCache(quota: 200_000)
            await #expect {
                try await tested.cache.fetch(server.url())
            } throws: { ($0 as? ContentError)?.code == .tooLarge }
            #expect(try tested.names("incoming").isEmpty)
        }
    }

    @Test("a replaced file goes at once, unless somebody uses it")
    func replaced() async throws {
        let count = Mutex(0)
        let server = try WebServer { _ in
            WebServer.Answer(
                body: Array(
                    "\(count.withLock { count in count += 1; return count })".utf8))
        }
        let tested = try TestedCache()
        func next() async throws -> ContentResult {
            tested.clock.pass(10)
            return try await tested.cache.fetch(server.url(), expiresIn: 1)
        }
        _ = try await next()
        var used: ContentResult? = try await next()
        #expect(try tested.names("items").count == 1)
        _ = try await next()
        #expect(try tested.names("items").count == 2)
        #expect(try used.map { try tested.bytes($0) } == Array("2".utf8))
        used = nil
        _ = try await next()
        #expect(try tested.names("items").count == 1)
    }

    @Test("a process that was stopped in its download holds up no other one for ever")
    func stopped() async throws {
        let server = try WebServer { _ in WebServer.Answer(body: Self.content) }
        let tested = try TestedCache(stallSeconds: 1)
        let first = try await tested.cache.fetch(server.url(), expiresIn: 1)
        tested.clock.pass(10)
        let name = PathName(first.path).last.prefix(64)
        let path = tested.folder.path(of: "incoming/\(name)")
        let stopped = try GrowingFile.claim(path)
        #expect(GrowingFile.isGrowing(path))
        // The stale file is better than none.
        let second = try await tested.cache.fetch(server.url(), expiresIn: 1)
        guard case .stale(let reason) = second.source else {
            Issue.record("\(second.source)")
            return
        }
        #expect(reason?.code == .stalled)
        _ = consume stopped
        #expect(try await tested.cache.fetch(server.url(), expiresIn: 1).source == .network)
        #expect(server.requests.count == 2)
    }

    @Test("purging removes items and unfinished downloads, but nothing in use")
    func purge() async throws {
        let server = try WebServer { _ in WebServer.Answer(body: Self.content) }
        let tested = try TestedCache()
        for path in ["/a", "/b"] {
            _ = try await tested.cache.fetch(server.url(path), expiresIn: path == "/a" ? 1 : 60)
        }
        tested.clock.pass(10)
        #expect(try await tested.cache.purge(onlyStale: true) == 1)
        #expect(try await tested.cache.cachedItem(for: server.url("/a")) == nil)
        var used: ContentResult? = try await tested.cache.fetch(server.url("/b"))
        #expect(try await tested.cache.purge(onlyStale: false) == 0)
        #expect(used != nil)
        used = nil
        #expect(try await tested.cache.purge(server.url("/b")))
        #expect(try tested.names("items").isEmpty)
    }
}
