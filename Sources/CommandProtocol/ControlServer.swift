// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxIO
internal import Synchronization

/// Answers requests at the control socket.
///
/// Each client has a thread that alone reads from it and writes to it, one request after the other: a
/// client that stands still holds up nobody but itself.
public final class ControlServer: Sendable {
    /// Does what a request asks and returns the result. Of the progress that it reports, a slow client
    /// hears only the newest.
    public typealias Handler =
        @Sendable (Request, _ progress: @escaping @Sendable (JSONValue) -> Void) async throws ->
        any Encodable & Sendable

    private let listener: UnixListener
    /// Whose socket it is.
    private let user: UInt32
    private let group: UInt32
    private let version: String
    private let limit: ClientLimit
    private let patience: ServedClient.Patience
    private let grace: Duration
    private let handler: Handler
    private let clients = Mutex<[ObjectIdentifier: ServedClient]>([:])
    private let thread = Mutex<NamedThread?>(nil)

    /// Listens at `path` for root, this user and the group of the file: the kernel's file rights (0660)
    /// keep others out, and who gets past them, because of a directory's or a person's mistake, is refused.
    ///
    /// - Parameters:
    ///   - patienceMilliseconds: a client that takes nothing for so long is given up, and what it asked for
    ///     is cancelled.
    ///   - silenceMilliseconds: so is one that has not asked anything for so long. Who has may take any time
    ///     for the next request: files are copied in between.
    ///   - grace: how long ``stop()`` waits for answers to what is being asked.
    public init(
        path: String, version: String, patienceMilliseconds: Int = 10_000,
        silenceMilliseconds: Int = 10_000, grace: Duration = .seconds(2), handler: @escaping Handler
    ) throws(SystemCallError) {
        listener = try UnixListener(path: path, mode: 0o660)
        user = try SocketPath.owner(of: path)
        group = try SocketPath.group(of: path)
        limit = ClientLimit(owner: user)
        self.version = version
        patience = ServedClient.Patience(
            writing: patienceMilliseconds, firstRequest: silenceMilliseconds)
        self.grace = grace
        self.handler = handler
    }

    /// Where it listens; removed by ``stop()``.
    public var path: String { listener.path }

    /// Starts the thread "control"; until then clients connect and wait. Once per server.
    public func start() {
        let thread = NamedThread("control") { [self] in listener.run { serve($0) } }
        self.thread.withLock { $0 = thread }
    }

    /// Turns new clients away, answers what is being asked within the grace, ends the connections, and
    /// returns when the threads have ended.
    public func stop() async {
        listener.stop()
        await thread.withLock { $0 }?.join()
        let left = clients.withLock { Array($0.values) }
        for client in left { client.finish() }
        let impatience = Task {
            try await Task.sleep(for: grace)
            for client in left { client.end() }
        }
        for client in left { await client.join() }
        impatience.cancel()
    }

    private func serve(_ connection: LineConnection) {
        let peer = try? connection.peer()
        let client = ServedClient(connection, peer, patience, handler)
        guard let peer, isWelcome(peer) else { return client.turnAway(Self.denial) }
        let hasRoom = clients.withLock { all in
            let others = all.values.compactMap { $0.peer?.user }
            guard limit.hasRoom(for: peer.user, beside: others) else { return false }
            all[ObjectIdentifier(client)] = client
            return true
        }
        guard hasRoom else { return client.turnAway(Self.crowd) }
        client.start(Greeting(version: version)) { [self] in
            clients.withLock { $0[ObjectIdentifier(client)] = nil }
        }
    }

    private func isWelcome(_ peer: PeerCredentials) -> Bool {
        [0, user].contains(peer.user) || peer.groups.contains(group)
    }

    private static let denial = CommandError(
        "socket.notPermitted", "the appliance does not talk to this user",
        next: "Use sudo, or add yourself to group vitrine.", exit: .notPermitted)
    private static let crowd = CommandError(
        "appliance.crowded", "too many clients are connected already",
        next: "Try again in a moment.", exit: .temporary)
}
