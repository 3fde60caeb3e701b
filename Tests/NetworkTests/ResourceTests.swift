// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Glibc
import LinuxIO
import Network
import Synchronization
import TestSupport
import Testing

@Suite("Resources", .ownThread, .timeLimit(.common))
struct ResourceTests {
    private let server = ResourceServer(silence: 1) { HTTPClient.Configuration() }

    private func open(
        _ url: String, through loader: ResourceLoader,
        isStopped: @escaping @Sendable () -> Bool = { false },
        stop: WakeSignal? = nil
    ) throws -> ResourceConnection {
        try loader.open(url, stop: try stop ?? WakeSignal(), isStopped: isStopped)
    }

    private func failure(_ body: () throws -> Void) -> ResourceFailure? {
        do {
            try body()
            return nil
        } catch {
            return error as? ResourceFailure
        }
    }

    @Test("a URL that cannot be opened fails with its reason and the next step")
    func reasons() throws {
        let loader = try ResourceLoader(server)
        let refused = failure { _ = try open("http://127.0.0.1:1/", through: loader).head() }
        #expect(refused?.code == "resource.unreachable" && refused?.next.isEmpty == false)
        let unserved = failure {
            _ = try open("http://127.0.0.1:1/", through: ResourceLoader()).head()
        }
        #expect(unserved?.code == "resource.noService")
        #expect(unserved?.next.contains("vitrine-sync") == true)
    }

    @Test("an end of the service is no end of the resource")
    func serviceGone() throws {
        let loader = ResourceLoader()
        let (here, there) = try PacketSocket.pair()
        loader.connect(here)
        let connection = try open("http://127.0.0.1:1/", through: loader)
        there.shutdown()
        // The request is lost with the socket that came with it.
        var packet = [UInt8](repeating: 0, count: 4096)
        var file: PassedFile?
        _ = try unsafe packet.withUnsafeMutableBytes {
            try unsafe there.receive(into: $0, file: &file)
        }
        file = nil
        #expect(failure { _ = try connection.head() }?.code == "resource.noService")
    }

    @Test("what nobody reads is not loaded, and a reader that leaves ends the transfer")
    func bounds() async throws {
        let web = try MediaServer()
        let bytes = 4 * ResourceConnection.mostAhead
        FileManager.default.createFile(atPath: web.path(of: "zeros"), contents: nil)
        #expect(unsafe truncate(web.path(of: "zeros"), bytes) == 0)
        let loader = try ResourceLoader(server)
        do {
            let connection = try open(web.url("zeros"), through: loader)
            #expect(try connection.head()?.bytes == Int64(bytes))
            try await waitUntil("it is full") {
                connection.ahead.bytes >= ResourceConnection.mostAhead
            }
            #expect(connection.ahead.bytes < ResourceConnection.mostAhead + 100_000)
            // nginx notes a request when it ends.
            #expect(try web.answers("zeros").isEmpty)
            var (buffer, count) = ([UInt8](repeating: 1, count: 1 << 20), 0)
            count =
                try unsafe buffer.withUnsafeMutableBytes { try unsafe connection.read(into: $0) }
                ?? 0
            #expect(count > 0 && buffer[..<count].allSatisfy { $0 == 0 })
        }
        try await waitUntil("the transfer ends") { try web.answers("zeros").count == 1 }
    }

    @Test("a request that is one too many is told so, and others are not disturbed")
    func tooMany() throws {
        let media = try MediaServer()
        try Data(repeating: 7, count: 32 << 20)
            .write(to: URL(filePath: media.path(of: "long")))
        let loader = try ResourceLoader(server)
        // What nobody reads stays open.
        var open = try (0..<32).map { _ in
            let connection = try self.open(media.url("long"), through: loader)
            #expect(try connection.head()?.bytes == 32 << 20)
            return connection
        }
        let refused = failure { _ = try self.open(media.url("long"), through: loader).head() }
        #expect(refused?.code == "resource.busy")
        open.removeLast()
        // Control: one that has ended makes room.
        try blockUntil("another one is answered") {
            let next = try self.open(media.url("long"), through: loader)
            return failure { _ = try next.head() } == nil
        }
        #expect(open.allSatisfy { !$0.ahead.isAll })
    }

    @Test("a reader that waits is stopped")
    func stop() async throws {
        let loader = ResourceLoader()
        let (here, there) = try PacketSocket.pair()
        loader.connect(here)
        let (flag, signal) = (StopFlag(), try WakeSignal())
        let connection = try open(
            "http://127.0.0.1:1/", through: loader, isStopped: { flag.isSet }, stop: signal)
        let head = Task { try connection.head() }
        flag.set()
        signal.signal()
        #expect(try await head.value == nil)
        there.shutdown()
    }

    @Test("packets of strangers end the resource and nothing else")
    func strangers() throws {
        for packet: [UInt8] in [[0x7a], Array("h{".utf8), Array("f{}".utf8)] {
            let loader = ResourceLoader()
            let (here, there) = try PacketSocket.pair()
            loader.connect(here)
            let connection = try open("http://127.0.0.1:1/", through: loader)
            var buffer = [UInt8](repeating: 0, count: 4096)
            var file: PassedFile?
            _ = try unsafe buffer.withUnsafeMutableBytes {
                try unsafe there.receive(into: $0, file: &file)
            }
            let answer = try PacketSocket(try #require(file))
            try unsafe answer.send(packet.span.bytes)
            #expect(failure { _ = try connection.head() } != nil)
        }
    }
}

private final class StopFlag: Sendable {
    private let flag = Atomic<Bool>(false)
    var isSet: Bool { flag.load(ordering: .relaxed) }
    func set() { flag.store(true, ordering: .relaxed) }
}
