// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Glibc
internal import LinuxIO
internal import Synchronization

/// One client of a ``ControlServer``, with its thread.
///
///     waiting for a line ──request──▶ waiting for the handler ──progress──▶ writing
///            ▲                                   ▲                            │
///            └──────────── outcome ──────────────┴────────────────────────────┘
final class ServedClient: Sendable {
    /// The longest request in bytes; a longer line is refused and ends the connection.
    private static let longestRequest = 1 << 20

    private struct State {
        var mailbox: RequestMailbox?
        var mustEnd = false
        var thread: NamedThread?
    }

    /// The time limits for a client, in milliseconds.
    struct Patience: Sendable {
        /// How long the client may read nothing while the server writes.
        var writing: Int
        /// How long the client may take to send its first request.
        var firstRequest: Int
    }

    /// The client's credentials; `nil` if the kernel reports none.
    let peer: PeerCredentials?
    private let connection: LineConnection
    private let patience: Patience
    private let handler: ControlServer.Handler
    private let state = Mutex(State())

    init(
        _ connection: LineConnection, _ peer: PeerCredentials?, _ patience: Patience,
        _ handler: @escaping ControlServer.Handler
    ) {
        self.connection = connection
        self.peer = peer
        self.patience = patience
        self.handler = handler
    }

    /// Starts the thread, which calls `atEnd` when the connection has ended.
    func start(_ greeting: Greeting, atEnd: @escaping @Sendable () -> Void) {
        let thread = NamedThread("control-client") { [self] in
            // An error here only means that the client has gone.
            try? converse(greeting)
            connection.shutdown()
            atEnd()
        }
        state.withLock { $0.thread = thread }
    }

    /// Sends the reason why the client is not served. Does not block if nothing was written before.
    func turnAway(_ error: CommandError) {
        // A client that has gone needs no answer.
        if let line = try? jsonLine(Response(id: 0, error: error)) { try? connection.write(line) }
    }

    /// Ends the connection once the current request is answered.
    func finish() {
        state.withLock { $0.mustEnd = true }
        connection.shutdownReading()
    }

    func end() {
        connection.shutdown()
        state.withLock { state in
            state.mustEnd = true
            return state.mailbox
        }?.end()
    }

    func join() async { await state.withLock { $0.thread }?.join() }

    private func converse(_ greeting: Greeting) throws {
        try connection.limitWriting(milliseconds: patience.writing)
        try connection.limitReading(milliseconds: patience.firstRequest)
        try connection.write(try jsonLine(greeting))
        var reader = LineReader(connection, longestLine: Self.longestRequest)
        do {
            guard let first = try reader.next() else { return }
            try connection.limitReading(milliseconds: 0)
            guard try answer(first, reader.takeFiles()) else { return }
            while let line = try reader.next(), try answer(line, reader.takeFiles()) {}
        } catch let error as SystemCallError where error.code == EMSGSIZE {
            turnAway(Self.tooLong)
        }
    }

    private static let tooLong = CommandError(
        "request.tooLong", "the request is longer than \(longestRequest >> 20) MB",
        next: "Ask for less at once, such as fewer photos.", exit: .usage)

    /// Answers one request. Returns false when the server is ending.
    private func answer(_ line: String, _ files: [PassedFile]) throws -> Bool {
        guard var request = try? JSONDecoder().decode(Request.self, from: Data(line.utf8)) else {
            let error = CommandError(
                "request.malformed", "the line is not a request: a JSON object with id and verb",
                exit: .usage)
            try connection.write(jsonLine(Response(id: 0, error: error)))
            return true
        }
        request.peer = peer
        request.files = files
        let mailbox = RequestMailbox()
        let mustEnd = state.withLock { state in
            state.mailbox = mailbox
            return state.mustEnd
        }
        if mustEnd { return false }
        let handling = Task { [handler, request] in
            do {
                mailbox.put(.success(try await handler(request) { mailbox.put(progress: $0) }))
            } catch {
                mailbox.put(.failure(error))
            }
        }
        // Cancels the handler if the client has gone; a finished handler is not affected.
        defer { handling.cancel() }
        while true {
            switch mailbox.take() {
            case .progress(let progress):
                try connection.write(jsonLine(Response(id: request.id, progress: progress)))
            case .outcome(let outcome):
                try connection.write(try Self.line(request.id, outcome))
                return true
            case .end: return false
            }
        }
    }

    private static func line(_ id: Int, _ outcome: RequestMailbox.Outcome) throws -> String {
        do {
            return try jsonLine(Response(id: id, result: try outcome.get()))
        } catch let error as CommandError {
            return try jsonLine(Response(id: id, error: error))
        } catch {
            let error = CommandError("failed", "\(error)", exit: .software)
            return try jsonLine(Response(id: id, error: error))
        }
    }
}
