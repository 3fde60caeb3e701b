// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Glibc
internal import LinuxIO
internal import Synchronization

/// One client of a ``ControlServer`` with its thread.
///
///     waiting for a line ──request──▶ waiting for the handler ──progress──▶ writing
///            ▲                                   ▲                            │
///            └──────────── outcome ──────────────┴────────────────────────────┘
final class ServedClient: Sendable {
    /// More than any request needs; longer lines are refused, and end the connection.
    private static let longestRequest = 1 << 20

    private struct State {
        /// Of the request that is being answered.
        var mailbox: RequestMailbox?
        var mustEnd = false
        var thread: NamedThread?
    }

    /// Milliseconds.
    struct Patience: Sendable {
        /// How long the client may take nothing.
        var writing: Int
        /// How long it may ask nothing at first.
        var firstRequest: Int
    }

    /// `nil` for one of whom the kernel says nothing.
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

    /// Starts the thread; `atEnd` is called on it when the client has gone.
    func start(_ greeting: Greeting, atEnd: @escaping @Sendable () -> Void) {
        let thread = NamedThread("control-client") { [self] in
            // What ends a conversation concerns nobody but the client, who has gone.
            try? converse(greeting)
            connection.shutdown()
            atEnd()
        }
        state.withLock { $0.thread = thread }
    }

    /// Says why it is not served. Does not block where nothing was written to it before.
    func turnAway(_ error: CommandError) {
        // One that has gone need not be told.
        if let line = try? jsonLine(Response(id: 0, error: error)) { try? connection.write(line) }
    }

    /// Ends the connection when what was asked has been answered.
    func finish() {
        state.withLock { $0.mustEnd = true }
        connection.shutdownReading()
    }

    /// Ends the connection, whatever its thread is waiting for.
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
            guard try answer(first, reader.takeFile()) else { return }
            while let line = try reader.next(), try answer(line, reader.takeFile()) {}
        } catch let error as SystemCallError where error.code == EMSGSIZE {
            turnAway(Self.tooLong)
        }
    }

    private static let tooLong = CommandError(
        "request.tooLong", "a request of more than \(longestRequest >> 20) MB",
        next: "Ask for less at once, such as for fewer photos.", exit: .usage)

    /// Answers false when the server is ending.
    private func answer(_ line: String, _ file: PassedFile?) throws -> Bool {
        guard var request = try? JSONDecoder().decode(Request.self, from: Data(line.utf8)) else {
            let error = CommandError(
                "request.malformed", "not a request: one JSON object a line with id and verb",
                exit: .usage)
            try connection.write(jsonLine(Response(id: 0, error: error)))
            return true
        }
        request.peer = peer
        request.file = file
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
        // Of use when the client has gone; a handler that is done does not notice.
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
