// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import LinuxIO
import Network
import Synchronization
import TestSupport
import Testing

@Suite("Resources", .timeLimit(.common))
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
