// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
package import LinuxIO
internal import Synchronization

/// Opens URLs of `http` and `https` through a ``ResourceServer``, which may be in a process with
/// rights that this one lacks (AVAssetResourceLoader's counterpart). Any thread.
public final class ResourceLoader: Sendable {
    private let door = Mutex<PacketSocket?>(nil)

    /// Creates a loader that opens nothing before it has a server.
    package init() {}

    /// Creates a loader whose server is in this process.
    /// - Throws: `EMFILE` or `ENFILE` when there are no descriptors.
    package convenience init(_ server: ResourceServer) throws(SystemCallError) {
        self.init()
        let (here, there) = try PacketSocket.pair()
        Task { await server.serve(there) }
        connect(here)
    }

    deinit { door.withLock { $0 }?.shutdown() }

    /// Takes the connection to another server. Open resources stay open.
    package func connect(_ new: PacketSocket) {
        let old = door.withLock { door in
            defer { door = new }
            return door
        }
        old?.shutdown()
    }

    /// Asks for a resource from an offset on.
    /// - Parameters:
    ///   - validator: The version that the bytes must be of; `nil` for any.
    ///   - isPatient: Whether a server that does not answer is asked again for half a minute.
    ///     A server that has answered is, anyway.
    ///   - stop: Wakes the reader when `isStopped` becomes true.
    /// - Throws: A ``ResourceFailure`` if there is no server; `EMFILE` or `ENFILE`.
    package func open(
        _ url: String, from offset: Int64 = 0, validator: String? = nil, isPatient: Bool = false,
        stop: WakeSignal, isStopped: @escaping @Sendable () -> Bool
    ) throws -> ResourceConnection {
        let (here, there) = try PacketSocket.pair()
        let request = ResourceRequest(
            url: url, offset: offset, validator: validator, isPatient: isPatient)
        let line = [UInt8](try JSONEncoder().encode(request))
        guard line.count <= ResourcePacket.mostBytes else {
            throw ResourceFailure("resource.invalid", "a URL of \(url.count) characters", next: "")
        }
        guard let door = door.withLock({ $0 }) else { throw Self.noServer }
        do throws(SystemCallError) {
            try unsafe door.send(line.span.bytes, passing: there.passed)
        } catch {
            throw Self.noServer
        }
        return try ResourceConnection(here, stop, isStopped)
    }

    static let noServer = ResourceFailure(
        "resource.noService", "the service that reads from the network is not running",
        next: "Start it: sudo systemctl start vitrine-sync")
}

/// A resource that is being loaded: a thread of its own receives up to 8 MB ahead of the reader.
/// One thread reads; any thread may ask how much there is.
package final class ResourceConnection: Sendable {
    /// The most bytes that wait for the reader.
    package static let mostAhead = 8 << 20

    private struct State {
        var head: ResourceHead?
        var pieces: [[UInt8]] = []
        /// The place of the next byte in the first piece.
        var start = 0
        var bytes = 0
        var hasEnded = false
        var failure: ResourceFailure?
        /// All bytes so far, and how long they took, in nanoseconds.
        var received = 0
        var receiving: Int64 = 0
        var isClosed = false

        /// Takes a packet; returns whether others follow.
        mutating func take(_ packet: ArraySlice<UInt8>) -> Bool {
            let content = packet.dropFirst()
            switch packet.first.flatMap(ResourcePacket.Kind.init) {
            case .head:
                head = try? JSONDecoder().decode(ResourceHead.self, from: Data(content))
                if head != nil { return true }
            case .bytes:
                pieces.append(Array(content))
                bytes += content.count
                received += content.count
                return true
            case .failure:
                failure = try? JSONDecoder().decode(ResourceFailure.self, from: Data(content))
            case .end:
                hasEnded = true
                return false
            case nil: break
            }
            failure = failure ?? ResourceLoader.noServer
            return false
        }
    }

    /// The state that the thread and the reader share.
    private final class Store: Sendable {
        let state = Mutex(State())
        let arrived: WakeSignal
        let emptied: WakeSignal

        init() throws(SystemCallError) { (arrived, emptied) = (try WakeSignal(), try WakeSignal()) }
    }
    private let store: Store
    private let socket: PacketSocket
    private let isStopped: @Sendable () -> Bool
    /// Wakes the reader.
    private let poller: Poller

    init(
        _ socket: PacketSocket, _ stop: WakeSignal, _ isStopped: @escaping @Sendable () -> Bool
    ) throws(SystemCallError) {
        let store = try Store()
        let room = try Poller.watching(store.emptied)
        poller = try Poller.watching(store.arrived)
        try poller.add(stop, tag: 1)
        (self.store, self.socket, self.isStopped) = (store, socket, isStopped)
        _ = NamedThread("resource") {
            Self.receive(from: socket, into: store) { _ = room.wait() }
        }
    }

    deinit {
        store.state.withLock { $0.isClosed = true }
        socket.shutdown()
        store.emptied.signal()
    }

    // MARK: reading

    /// Waits for the properties; `nil` if the reader is stopped.
    /// - Throws: A ``ResourceFailure``.
    package func head() throws -> ResourceHead? {
        try wait { state in
            if let head = state.head { return .success(head) }
            return state.failure.map { .failure($0) }
        }
    }

    /// Reads 1 byte or more; returns 0 at the end, `nil` if the reader is stopped.
    /// - Throws: A ``ResourceFailure``.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int? {
        let piece: ArraySlice<UInt8>? = try wait { state in
            guard let first = state.pieces.first else {
                if let failure = state.failure { return .failure(failure) }
                return state.hasEnded ? .success([]) : nil
            }
            let piece = first[state.start...].prefix(buffer.count)
            state.start += piece.count
            state.bytes -= piece.count
            if state.start == first.count {
                state.pieces.removeFirst()
                state.start = 0
            }
            return .success(piece)
        }
        guard let piece else { return nil }
        store.emptied.signal()
        unsafe buffer.copyBytes(from: piece)
        return piece.count
    }

    private func wait<Value: Sendable>(
        _ body: (inout State) -> Result<Value, ResourceFailure>?
    ) throws -> Value? {
        while !isStopped() {
            if let result = store.state.withLock({ body(&$0) }) { return try result.get() }
            _ = poller.wait()
        }
        return nil
    }

    /// The bytes that wait for the reader, and whether all the others are among them.
    package var ahead: (bytes: Int, isAll: Bool) {
        store.state.withLock { ($0.bytes, $0.hasEnded) }
    }

    /// All bytes so far, and how long they took, in nanoseconds.
    package var progress: (bytes: Int, nanoseconds: Int64) {
        store.state.withLock { ($0.received, $0.receiving) }
    }

    // MARK: receiving

    private static func receive(
        from socket: PacketSocket, into store: Store, waitForRoom: () -> Void
    ) {
        var packet = [UInt8](repeating: 0, count: ResourcePacket.mostBytes)
        while true {
            let (isFull, isClosed) = store.state.withLock { ($0.bytes >= mostAhead, $0.isClosed) }
            if isClosed { return }
            if isFull {
                waitForRoom()
                continue
            }
            let begin = Clock.monotonic
            var file: PassedFile?
            let count = unsafe packet.withUnsafeMutableBytes { buffer in
                (try? unsafe socket.receive(into: buffer, file: &file)) ?? 0
            }
            let duration = Clock.monotonic - begin
            let goesOn = store.state.withLock { state in
                state.receiving += duration
                return state.take(packet[..<count])
            }
            store.arrived.signal()
            if !goesOn { return }
        }
    }
}
