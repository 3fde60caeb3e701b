// SPDX-License-Identifier: GPL-3.0-or-later

import Cache
import Glibc
import LinuxIO
import Synchronization
import TestSupport
import Testing

/// Tests of a cache and a server on the loopback.
@Suite("content cache", .timeLimit(.common), .ownThread)
struct ContentCacheTests {
    private static let content = Array("a picture".utf8)

    private func server(
        _ content: [UInt8] = content, _ headers: String...
    ) throws -> WebServer {
        try WebServer { _ in WebServer.Answer(headers: headers, body: content) }
    }

    @Test("the first call downloads, the second is answered from disk")
    func hit() async throws {
        let (server, tested) = (try server(), try TestedCache())
        #expect(try await !tested.cache.isCached(server.url()))
        let first = try await tested.cache.fetch(server.url(), expiresIn: 60)
        #expect(!first.isFromCache && first.item.bytes == 9)
        let second = try await tested.cache.fetch(server.url(), expiresIn: 60)
        #expect(second.source == .cache && second.isFromCache)
        #expect(try tested.bytes(second) == Self.content)
        #expect(try await tested.cache.isCached(server.url()))
        #expect(server.requests.count == 1)
        #expect(try tested.names("incoming").isEmpty)
    }

    @Test("a lifetime counts from the end of the download")
    func lifetimeFromEnd() async throws {
        let tested = try TestedCache()
        let server = try WebServer { [clock = tested.clock] _ in
            WebServer.Answer(body: Self.content, beforeBody: { clock.pass(100) })
        }
        let item = try await tested.cache.fetch(server.url(), expiresIn: 60).item
        #expect(item.downloadEnded - item.downloadStarted == 100_000_000_000)
        #expect(item.expiryDate == item.downloadEnded + 60_000_000_000)
        tested.clock.pass(59)
        #expect(try await tested.cache.isCached(server.url()))
        tested.clock.pass(1)
        #expect(try await !tested.cache.isCached(server.url()))
    }

    @Test("a hit extends the lifetime only if the caller wants it, and durably")
    func extension_() async throws {
        let (server, tested) = (try server(), try TestedCache())
        _ = try await tested.cache.fetch(server.url(), expiresIn: 60)
        tested.clock.pass(50)
        _ = try await tested.cache.fetch(server.url(), expiresIn: 100)
        #expect(try await tested.cache.cachedItem(for: server.url())?.lifetime == 60)
        _ = try await tested.cache.fetch(server.url(), expiresIn: 100, extendsExpiryOnHit: true)
        tested.clock.pass(90)
        // Another process sees the same.
        let other = try TestedCache(in: tested.folder, clock: tested.clock)
        let item = try await other.cache.fetch(server.url(), expiresIn: 100)
        #expect(item.source == .cache && item.item.lifetime == 100)
        #expect(server.requests.count == 1)
    }

    @Test("500 callers of one URL cause one request")
    func shared() async throws {
        let isOpen = Mutex(false)
        let server = try WebServer { _ in
            WebServer.Answer(
                body: Self.content,
                beforeBody: { while !isOpen.withLock({ $0 }) { usleep(1000) } })
        }
        let tested = try TestedCache()
        let url = server.url()
        try await withThrowingTaskGroup(of: ContentResult.self) { group in
            for _ in 0..<500 {
                group.addTask { try await tested.cache.fetch(url, expiresIn: 60) }
            }
            try await waitUntil { await tested.cache.callersWaiting == 500 }
            isOpen.withLock { $0 = true }
            for try await result in group { #expect(try tested.bytes(result) == Self.content) }
        }
        #expect(server.requests.count == 1)
    }

    @Test("a failed first download leaves nothing, and every waiter hears why")
    func failure() async throws {
        let server = try WebServer { _ in WebServer.Answer(status: 503, body: Self.content) }
        let tested = try TestedCache()
        let url = server.url()
        await withTaskGroup(of: ContentError?.self) { group in
            for _ in 0..<5 {
                group.addTask {
                    do throws(ContentError) {
                        _ = try await tested.cache.fetch(url)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            for await error in group {
                #expect(error?.code == .status && error?.message.contains("503") == true)
            }
        }
        #expect(try await tested.cache.items().isEmpty)
        #expect(try tested.names("items").isEmpty && tested.names("incoming").isEmpty)
    }

    @Test("a stale item is renewed by 304, and only by 304")
    func renewal() async throws {
        let server = try WebServer { request in
            request["If-None-Match"] == "\"one\""
                ? WebServer.Answer(status: 304, headers: ["ETag: \"one\""])
                : WebServer.Answer(headers: ["ETag: \"one\""], body: Self.content)
        }
        let tested = try TestedCache()
        _ = try await tested.cache.fetch(server.url(), expiresIn: 60)
        tested.clock.pass(100)
        let result = try await tested.cache.fetch(server.url(), expiresIn: 60)
        #expect(result.source == .renewed && result.item.renewals == 1)
        #expect(try tested.bytes(result) == Self.content)
        #expect(try await tested.cache.isCached(server.url()))
        let asked = try await tested.cache.fetch(server.url(), revalidating: true)
        #expect(asked.source == .renewed && server.requests.count == 3)
    }

    @Test("new content replaces the old, which stays for those who use it")
    func replacement() async throws {
        let version = Mutex(0)
        let server = try WebServer { _ in
            let number = version.withLock { version in
                version += 1
                return version
            }
            return WebServer.Answer(body: Array("version \(number)".utf8))
        }
        let tested = try TestedCache()
        var first: ContentResult? = try await tested.cache.fetch(server.url(), expiresIn: 1)
        tested.clock.pass(2)
        let second = try await tested.cache.fetch(server.url(), expiresIn: 1)
        #expect(try first.map(tested.bytes) == Array("version 1".utf8))
        #expect(try tested.bytes(second) == Array("version 2".utf8))
        #expect(second.item.downloads == 2)
        #expect(try tested.names("items").count == 2)
        first = nil
        _ = try await tested.cache.fetch(server.url(), expiresIn: 1)
        #expect(try tested.names("items").count == 1)
    }

    @Test("a file in use stays, even if the same content came again")
    func sameContentAgain() async throws {
        let (server, tested) = (try server(), try TestedCache())
        let first = try await tested.cache.fetch(server.url(), expiresIn: 1)
        tested.clock.pass(2)
        #expect(try await tested.cache.fetch(server.url(), expiresIn: 1).source == .network)
        _ = try await tested.cache.purge(onlyStale: false)
        #expect(try tested.bytes(first) == Self.content)
    }

    @Test("an answer of 304 without rules leaves those of the stored answer")
    func rulesOf304() async throws {
        let count = Mutex(0)
        let server = try WebServer { _ in
            switch count.withLock({ count in
                count += 1
                return count
            }) {
            case 1:
                WebServer.Answer(
                    headers: ["ETag: \"one\"", "Cache-Control: max-age=60, must-revalidate"],
                    body: Self.content)
            case 2: WebServer.Answer(status: 304, headers: ["ETag: \"one\""])
            default: WebServer.Answer(status: 500)
            }
        }
        let tested = try TestedCache()
        for _ in 0..<2 {
            _ = try await tested.cache.fetch(server.url())
            tested.clock.pass(100)
        }
        #expect(try await tested.cache.cachedItem(for: server.url())?.lifetime == 60)
        await #expect(throws: ContentError.self) { try await tested.cache.fetch(server.url()) }
    }

    @Test(
        "a stale file stays when the server fails",
        arguments: [500, 404, 200, 206, 204])
    func staleOnFailure(_ status: Int) async throws {
        let isWell = Mutex(true)
        let server = try WebServer { _ in
            isWell.withLock { $0 }
                ? WebServer.Answer(body: Self.content)
                // 200 comes with an empty body.
                : WebServer.Answer(status: status, body: status == 200 ? [] : [1, 2, 3])
        }
        let tested = try TestedCache()
        _ = try await tested.cache.fetch(server.url(), expiresIn: 60)
        isWell.withLock { $0 = false }
        tested.clock.pass(100)
        let result = try await tested.cache.fetch(server.url(), expiresIn: 60)
        guard case .stale(let error?) = result.source else {
            Issue.record("\(result.source)")
            return
        }
        #expect(error.code == (status == 200 || status == 204 ? .unexpected : .status))
        #expect(try tested.bytes(result) == Self.content)
        #expect(try await !tested.cache.isCached(server.url()))
    }

    @Test("a kiosk without its server shows what it has for a week, and asks again")
    func week() async throws {
        let tested = try TestedCache()
        var server: WebServer? = try server()
        let url = server?.url() ?? ""
        _ = try await tested.cache.fetch(url, expiresIn: 3600)
        server = nil
        for day in 0..<7 {
            if day == 3 { tested.clock.reboot(after: 3600) }
            tested.clock.pass(86_400)
            let result = try await tested.cache.fetch(url, expiresIn: 3600)
            #expect(try tested.bytes(result) == Self.content)
            guard case .stale(let error?) = result.source else {
                Issue.record("\(result.source)")
                continue
            }
            #expect(error.code == .unreachable)
        }
    }

    @Test("the server's rules decide what a stale file may replace; a caller's lifetime overrides")
    func rules() async throws {
        let isWell = Mutex(true)
        func server(_ rules: String) throws -> WebServer {
            try WebServer { _ in
                isWell.withLock { $0 }
                    ? WebServer.Answer(headers: ["Cache-Control: \(rules)"], body: Self.content)
                    : WebServer.Answer(status: 500)
            }
        }
        let tested = try TestedCache()
        let strict = try server("max-age=10, must-revalidate")
        let limited = try server("max-age=10, stale-if-error=100")
        for one in [strict, limited] { _ = try await tested.cache.fetch(one.url()) }
        isWell.withLock { $0 = false }
        tested.clock.pass(60)
        await #expect(throws: ContentError.self) { try await tested.cache.fetch(strict.url()) }
        #expect(try await tested.cache.fetch(limited.url()).isFromCache)
        #expect(try await tested.cache.fetch(strict.url(), expiresIn: 5).isFromCache)
        tested.clock.pass(60)
        await #expect(throws: ContentError.self) { try await tested.cache.fetch(limited.url()) }
    }

    @Test("stale-while-revalidate answers at once, and fetches meanwhile")
    func staleWhileRevalidate() async throws {
        let server = try server(
            Self.content, "Cache-Control: max-age=10, stale-while-revalidate=60")
        let tested = try TestedCache()
        _ = try await tested.cache.fetch(server.url())
        tested.clock.pass(30)
        let result = try await tested.cache.fetch(server.url())
        #expect(result.source == .stale(nil))
        try await waitUntil { try await tested.cache.isCached(server.url()) }
        #expect(server.requests.count == 2)
    }

    @Test("no-store is refused unless the caller gives a lifetime")
    func noStore() async throws {
        let server = try server(Self.content, "Cache-Control: no-store")
        let tested = try TestedCache()
        await #expect {
            try await tested.cache.fetch(server.url())
        } throws: { ($0 as? ContentError)?.code == .notStorable }
        #expect(try tested.names("items").isEmpty && tested.names("incoming").isEmpty)
        #expect(try await tested.cache.fetch(server.url(), expiresIn: 60).item.bytes == 9)
    }

    @Test("a captive portal's page is noticed by type, beginning or hash, and replaces nothing")
    func captivePortal() async throws {
        let isCaptive = Mutex(false)
        let picture: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 1, 2, 3]
        let server = try WebServer { _ in
            isCaptive.withLock { $0 }
                ? WebServer.Answer(
                    headers: ["Content-Type: text/html"], body: Array("<html>log in".utf8))
                : WebServer.Answer(headers: ["Content-Type: image/png"], body: picture)
        }
        let tested = try TestedCache()
        var (type, beginning, hash) = (Expectation(), Expectation(), Expectation())
        type.contentType = "image/"
        beginning.isPicture = true
        let first = try await tested.cache.fetch(
            server.url(), expiresIn: 60, expecting: beginning)
        hash.sha256 = stride(from: 0, to: 64, by: 2).compactMap { offset in
            let start = first.item.hash.index(first.item.hash.startIndex, offsetBy: offset)
            return UInt8(first.item.hash[start...].prefix(2), radix: 16)
        }
        isCaptive.withLock { $0 = true }
        for expectation in [type, beginning, hash] {
            tested.clock.pass(100)
            let result = try await tested.cache.fetch(
                server.url(), expiresIn: 60, expecting: expectation)
            guard case .stale(let error?) = result.source else {
                Issue.record("\(result.source)")
                continue
            }
            #expect(error.code == .unexpected)
            #expect(try tested.bytes(result) == picture)
        }
        // Control: without an expectation the page counts as the content.
        tested.clock.pass(100)
        let page = try await tested.cache.fetch(server.url(), expiresIn: 60)
        #expect(page.source == .network)
        await #expect(throws: ContentError.self) {
            try await tested.cache.fetch(server.url(), expiresIn: 60, expecting: beginning)
        }
        // A later caller who expects a picture does not get the page.
        isCaptive.withLock { $0 = false }
        let again = try await tested.cache.fetch(server.url(), expiresIn: 60, expecting: type)
        #expect(try tested.bytes(again) == picture)
    }

    @Test("ages survive clocks that jump, also over a restart")
    func clocks() async throws {
        let (server, clock) = (try server(), TestClock())
        let tested = try TestedCache(clock: clock)
        let url = server.url()
        let right = clock.now.wall
        _ = try await tested.cache.fetch(url, expiresIn: 3600)
        // In one boot the time since boot decides.
        for wall in [0, right - 3_600_000_000_000, right + 315_360_000_000_000_000] {
            clock.jump(to: wall)
            #expect(try await tested.cache.isCached(url))
        }
        clock.jump(to: right)
        clock.pass(3601)
        #expect(try await !tested.cache.isCached(url))
        // After a restart the wall clock decides, if it is right.
        _ = try await tested.cache.fetch(url, expiresIn: 3600)
        clock.reboot(after: 1800)
        #expect(try await tested.cache.isCached(url))
        clock.jump(to: 0, isTrusted: false)
        #expect(try await !tested.cache.isCached(url))
        #expect(try await tested.cache.fetch(url, expiresIn: 3600).source == .network)
        // What was fetched under a wrong clock is fresh in this boot, and unknown in the next.
        clock.pass(1800)
        #expect(try await tested.cache.isCached(url))
        clock.reboot()
        clock.jump(to: right + 7_200_000_000_000)
        #expect(try await !tested.cache.isCached(url))
        #expect(server.requests.count == 3)
    }
}
