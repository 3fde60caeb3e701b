// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
public import LinuxIO
internal import Synchronization

/// Answers requests at the control socket.
public final class ControlServer: Sendable {
    /// Does what a request asks; progress is sent as it comes.
    public typealias Handler =
        @Sendable (Request, _ progress: @escaping @Sendable (JSONValue) -> Void) async throws ->
        JSONValue

    /// At the most so many clients at a time: more are turned away.
    private static let mostConnections = 32

    private let listener: UnixListener
    private let version: String
    private let handler: Handler
    private let connections = Mutex<[ObjectIdentifier: LineConnection]>([:])
    private let thread = Mutex<NamedThread?>(nil)

    /// Listens at `path`; the kernel's file rights (0660) decide who gets in.
    public init(path: String, version: String, handler: @escaping Handler) throws(SystemCallError) {
        listener = try UnixListener(path: path, mode: 0o660)
        self.version = version
        self.handler = handler
    }

    public var path: String { listener.path }

    public func start() {
        let thread = NamedThread("control") { [self] in
            do {
                try listener.run { serve($0) }
            } catch {
                preconditionFailure("control socket: \(error)")
            }
        }
        self.thread.withLock { $0 = thread }
    }

    /// Turns new clients away, ends the open connections, and returns when the thread has ended.
    public func stop() async {
        listener.stop()
        await thread.withLock { $0 }?.join()
        connections.withLock { all in all.values.forEach { $0.shutdown() } }
    }

    private func serve(_ connection: LineConnection) {
        let isFull = connections.withLock { all in
            if all.count >= Self.mostConnections { return true }
            all[ObjectIdentifier(connection)] = connection
            return false
        }
        if isFull { return }
        _ = NamedThread("control-client") { [self] in
            let output = Mutex(())
            let send: @Sendable (String) -> Void = { line in
                output.withLock { _ in try? connection.write(line) }
            }
            send((try? jsonLine(Greeting(version: version))) ?? "{}")
            try? connection.readLines { line in
                answer(line, send)
                return true
            }
            connections.withLock { $0[ObjectIdentifier(connection)] = nil }
        }
    }

    private func answer(_ line: String, _ send: @escaping @Sendable (String) -> Void) {
        guard let request = try? JSONDecoder().decode(Request.self, from: Data(line.utf8)) else {
            let error = CommandError(
                "request.malformed", "not a request: one JSON object a line with id and verb",
                exit: .usage)
            send((try? jsonLine(Response(id: 0, error: error))) ?? "{}")
            return
        }
        let handler = handler
        Task {
            var response = Response(id: request.id)
            do {
                response.result = try await handler(request) { progress in
                    let message = Response(id: request.id, progress: progress)
                    if let line = try? jsonLine(message) { send(line) }
                }
            } catch let error as CommandError {
                response.error = error
            } catch {
                response.error = CommandError("failed", "\(error)", exit: .software)
            }
            if let line = try? jsonLine(response) { send(line) }
        }
    }
}
