// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxIO
internal import Synchronization

/// Answers requests at the control socket. Each client has its own thread, which answers one
/// request after another, so that a client that stalls holds up only itself.
public final class ControlServer: Sendable {
    /// Performs a request and returns its result. A slow client receives only the newest of the
    /// reported progress.
    public typealias Handler =
        @Sendable (Request, _ progress: @escaping @Sendable (JSONValue) -> Void) async throws ->
        any Encodable & Sendable

    private let listener: UnixListener
    /// The user and group that own the socket.
    private let user: UInt32
    private let group: UInt32
    private let version: String
    private let limit: ClientLimit
    private let patience: ServedClient.Patience
    private let grace: Duration
    private let clients = Mutex<[ObjectIdentifier: ServedClient]>([:])
    private let thread = Mutex<NamedThread?>(nil)

    /// Listens at `path` for root, this user and the group of the file. The file mode 0660 keeps
    /// others out; a peer who gets past it, for example through a wrong directory mode, is refused.
    /// - Parameters:
    ///   - patienceMilliseconds: how long a client may read nothing before it is disconnected and
    ///     its request is cancelled.
    ///   - silenceMilliseconds: how long a client may take to send its first request. Later
    ///     requests have no limit, because clients copy files in between.
    ///   - grace: how long ``stop()`` waits for running requests.
    public init(
        path: String, version: String, patienceMilliseconds: Int = 10_000,
        silenceMilliseconds: Int = 10_000, grace: Duration = .seconds(2)
    ) throws(SystemCallError) {
        listener = try UnixListener(path: path, mode: 0o660)
        user = try SocketPath.owner(of: path)
        group = try SocketPath.group(of: path)
        limit = ClientLimit(owner: user)
        self.version = version
        patience = ServedClient.Patience(
            writing: patienceMilliseconds, firstRequest: silenceMilliseconds)
        self.grace = grace
    }

    /// The path of the socket; ``stop()`` removes it.
    public var path: String { listener.path }

    /// Starts the thread "control", once. Until then, clients connect and wait.
    public func start(_ handler: @escaping Handler) {
        let thread = NamedThread("control") { [self] in listener.run { serve($0, handler) } }
        self.thread.withLock { $0 = thread }
    }

    /// Refuses new clients, waits up to the grace for running requests, ends all connections, and
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

    private func serve(_ connection: LineConnection, _ handler: @escaping Handler) {
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
        "socket.notPermitted", "this user may not use the appliance",
        next: "Use sudo, or add yourself to group vitrine.", exit: .notPermitted)
    private static let crowd = CommandError(
        "appliance.crowded", "too many clients are connected already",
        next: "Try again in a moment.", exit: .temporary)
}
