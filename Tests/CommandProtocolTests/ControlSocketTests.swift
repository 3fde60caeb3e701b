// SPDX-License-Identifier: GPL-3.0-or-later

import CommandProtocol
import FoundationEssentials
import Glibc
import LinuxIO
import TestSupport
import Testing

/// Runs a blocking body on a thread of its own: the server's answers need the cooperative pool,
/// which has only as many threads as the machine has cores.
private func blocking<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        _ = NamedThread("client") { continuation.resume(with: Result { try body() }) }
    }
}

@Suite("Control socket", .timeLimit(.common))
struct ControlSocketTests {
    private let path = "/tmp/vitrine-test-\(getpid())-\(UInt32.random(in: 0 ... .max)).sock"

    /// Creates a server with test verbs.
    ///
    /// - Parameter cancelled: Yields when a `flood` request is cancelled.
    private func server(
        patienceMilliseconds: Int = 600_000, silenceMilliseconds: Int = 600_000,
        starts: Bool = true, cancelled: AsyncStream<Void>.Continuation? = nil
    ) throws -> ControlServer {
        let server = try ControlServer(
            path: path, version: "test", patienceMilliseconds: patienceMilliseconds,
            silenceMilliseconds: silenceMilliseconds)
        if starts { server.start(handler(cancelled: cancelled)) }
        return server
    }

    private func handler(
        cancelled: AsyncStream<Void>.Continuation? = nil
    ) -> ControlServer.Handler {
        { request, progress in
            switch request.verb {
            case "echo": return request.arguments["value"] ?? .null
            case "count":
                for number in Int64(1)...1000 { progress(.integer(number)) }
                return JSONValue.string("counted")
            case "long": return String(repeating: "x", count: 8 << 20)
            case "flood":
                let text = JSONValue.string(String(repeating: "y", count: 100_000))
                do {
                    while true {
                        progress(text)
                        try await Task.sleep(for: .milliseconds(1))
                    }
                } catch {
                    cancelled?.yield()
                    throw error
                }
            case "content":
                guard let file = request.file else { return JSONValue.null }
                do {
                    let content = String(decoding: try file.reader().read(), as: UTF8.self)
                    return JSONValue.string("\(try file.bytes()) \(content)")
                } catch {
                    throw CommandError("file", "\(error)", exit: .io)
                }
            case "slow":
                try await Task.sleep(for: .seconds(30))
                return JSONValue.null
            default:
                throw CommandError("verb.unknown", "no \(request.verb)", next: "ask", exit: .usage)
            }
        }
    }

    @Test("a request's value comes back unchanged, whatever its characters")
    func echo() async throws {
        let server = try server()
        let path = path
        let value = JSONValue.object([
            "text": .string("Grüße\n\"quoted\" 🎈"), "number": .integer(-7), "list": .array([.null]),
            "half": .number(0.5), "yes": .bool(true),
        ])
        let answer = try await blocking {
            try ControlClient(paths: ["/nonexistent", path]).request(
                "echo", ["value": value], as: JSONValue.self)
        }
        #expect(answer == value)
        await server.stop()
    }

    @Test("progress comes before the result, in order, and always includes the newest")
    func progress() async throws {
        let server = try server()
        let path = path
        let (seen, answer) = try await blocking {
            var seen: [Int] = []
            let answer = try ControlClient(paths: [path]).request("count", as: String.self) {
                seen.append($0.integerValue ?? 0)
            }
            return (seen, answer)
        }
        #expect(seen.last == 1000)
        #expect(seen == seen.sorted())
        #expect(answer == "counted")
        await server.stop()
    }

    @Test("a client that never reads blocks no other, and its request is cancelled")
    func standstill() async throws {
        let (cancellations, cancelled) = AsyncStream.makeStream(of: Void.self)
        let server = try server(patienceMilliseconds: 200, cancelled: cancelled)
        let path = path
        // There are more clients than the pool has threads, and none of them reads.
        let silent = try await blocking {
            try (0..<8).map { _ in
                let connection = try LineConnection(to: path)
                try connection.write("{\"id\":1,\"verb\":\"flood\",\"arguments\":{}}")
                return connection
            }
        }
        let answer = try await blocking {
            try ControlClient(paths: [path]).request("echo", ["value": .integer(5)], as: Int.self)
        }
        #expect(answer == 5)
        var ends = cancellations.makeAsyncIterator()
        for _ in silent { await ends.next() }
        await server.stop()
    }

    /// Starts a server, and returns it with the answer to a request in progress. Its handler
    /// continues when `goOn` yields.
    private func askedServer(
        grace: Duration, goOn: AsyncStream<Void>
    ) async throws -> (server: ControlServer, answer: Task<String, any Error>) {
        let (asked, asking) = AsyncStream.makeStream(of: Void.self)
        let server = try ControlServer(path: path, version: "1", grace: grace)
        server.start { _, _ in
            asking.yield()
            for await _ in goOn { return JSONValue.string("answered") }
            throw CancellationError()
        }
        let path = path
        let answer = Task {
            try await blocking {
                try ControlClient(paths: [path]).request("wait", as: String.self)
            }
        }
        var requests = asked.makeAsyncIterator()
        await requests.next()
        return (server, answer)
    }

    @Test("a request in progress when the server stops is answered")
    func answersAtStop() async throws {
        let (goOn, going) = AsyncStream.makeStream(of: Void.self)
        let (server, answer) = try await askedServer(grace: .seconds(3600), goOn: goOn)
        let stopping = Task { await server.stop() }
        try await waitUntil { !FileManager.default.fileExists(atPath: path) }
        going.yield()
        #expect(try await answer.value == "answered")
        await stopping.value
    }

    @Test("a handler that hangs when the server stops is given up")
    func hangsAtStop() async throws {
        let (goOn, going) = AsyncStream.makeStream(of: Void.self)
        let (server, answer) = try await askedServer(grace: .milliseconds(50), goOn: goOn)
        await server.stop()
        await #expect(throws: CommandError.self) { try await answer.value }
        going.finish()
    }

    @Test("an answer may have any length, a request may not")
    func lengths() async throws {
        let server = try server()
        let path = path
        let count = try await blocking {
            try ControlClient(paths: [path]).request("long", as: String.self).utf8.count
        }
        #expect(count == 8 << 20)
        let isUsable = try await blocking {
            let connection = try LineConnection(to: path)
            // The server closes the connection before all is written.
            try? connection.write(String(repeating: "a", count: 4 << 20))
            var reader = LineReader(connection)
            while let line = try? reader.next() { #expect(!line.contains("result")) }
            return try ControlClient(paths: [path]).request(
                "echo", ["value": .bool(true)], as: Bool.self)
        }
        #expect(isUsable)
        await server.stop()
    }

    @Test("a passed file is read once, by its own request; a folder is refused")
    func files() async throws {
        let server = try server()
        let path = path
        let (file, folder) = (path + ".file", path + ".folder")
        try DurableFile.replace(file, with: Array("Grüße".utf8))
        try FileTree.makeDirectory(folder)
        let (answers, refusal) = try await blocking {
            let client = try ControlClient(paths: [path])
            let read = try client.request(
                "content", as: JSONValue.self, passing: [try PassedFile(file)])
            // The file belonged to the request before.
            let none = try client.request("content", as: JSONValue.self)
            _ = try client.request("echo", as: JSONValue.self, passing: [try PassedFile(file)])
            let unused = try client.request("content", as: JSONValue.self)
            let refusal = #expect(throws: CommandError.self) {
                try client.request("content", as: JSONValue.self, passing: [try PassedFile(folder)])
            }
            return ([read, none, unused], refusal)
        }
        #expect(answers == [.string("7 Grüße"), .null, .null])
        #expect(refusal?.message.contains("Invalid argument") == true, "\(refusal as Any)")
        try FileTree.remove(file)
        try FileTree.removeDirectory(folder)
        await server.stop()
    }

    @Test("an error arrives with its code, next step and exit status")
    func errors() async throws {
        let server = try server()
        let path = path
        let error = await #expect(throws: CommandError.self) {
            try await blocking {
                try ControlClient(paths: [path]).request("dance", as: JSONValue.self)
            }
        }
        #expect(error == CommandError("verb.unknown", "no dance", next: "ask", exit: .usage))
        await server.stop()
    }

    @Test("a request without arguments is valid")
    func withoutArguments() throws {
        let request = try JSONDecoder().decode(
            Request.self, from: Data("{\"id\":3,\"verb\":\"status\"}".utf8))
        #expect(request.id == 3 && request.verb == "status" && request.arguments.isEmpty)
        #expect(throws: (any Error).self) {
            try JSONDecoder().decode(
                Request.self, from: Data("{\"id\":3,\"verb\":\"status\",\"arguments\":5}".utf8))
        }
    }

    @Test("a malformed line is answered, and the connection stays usable")
    func nonsense() async throws {
        let server = try server()
        let path = path
        let malformed = try await blocking {
            let connection = try LineConnection(to: path)
            for line in ["", "{", "[1,2]", "{\"id\":\"x\"}", String(repeating: "a", count: 10_000)]
            {
                try connection.write(line)
            }
            try connection.write("{\"id\":9,\"verb\":\"echo\",\"arguments\":{\"value\":5}}")
            var malformed = 0
            var isAnswered = false
            var reader = LineReader(connection)
            while !(isAnswered && malformed == 5), let line = try reader.next() {
                if line.contains("request.malformed") { malformed += 1 }
                if line.contains("\"id\":9") { isAnswered = true }
            }
            return malformed
        }
        #expect(malformed == 5)
        await server.stop()
    }

    @Test("a too long request is refused with the next step; the next client is served")
    func tooLong() async throws {
        let server = try server()
        let path = path
        let value = JSONValue.string(String(repeating: "a", count: 1 << 20))
        let error = await #expect(throws: CommandError.self) {
            try await blocking {
                try ControlClient(paths: [path]).request(
                    "echo", ["value": value], as: JSONValue.self)
            }
        }
        #expect(error?.code == "request.tooLong" && error?.exitCode == 64)
        #expect(error?.next.contains("less at once") == true)
        let answer = try await blocking {
            try ControlClient(paths: [path]).request(
                "echo", ["value": .integer(5)], as: JSONValue.self)
        }
        #expect(answer == .integer(5))
        await server.stop()
    }

    @Test("the error without an appliance has exit status 69 and the next step")
    func notRunning() {
        let error = #expect(throws: CommandError.self) { try ControlClient(paths: [path]) }
        #expect(error?.exitCode == 69)
        #expect(error?.next.contains("vitrine run") == true)
    }

    @Test("a client that waits when the appliance ends gets an error")
    func endWhileWaiting() async throws {
        let server = try server()
        let path = path
        async let waiting = blocking {
            do {
                _ = try ControlClient(paths: [path]).request("slow", as: JSONValue.self)
                return Int32(0)
            } catch let error as CommandError {
                return error.exitCode
            }
        }
        try await waitUntil { await isAnswering(path) }
        await server.stop()
        #expect(try await waiting == 69)
    }

    private func isAnswering(_ path: String) async -> Bool {
        let answer = try? await blocking {
            try ControlClient(paths: [path]).request("echo", as: JSONValue.self)
        }
        return answer != nil
    }

    @Test("a second appliance at a path is refused; a dead one's socket is replaced")
    func occupied() async throws {
        let server = try server()
        let error = #expect(throws: SystemCallError.self) { try self.server() }
        #expect(error?.code == EADDRINUSE)
        await server.stop()
        #expect(unsafe access(path, F_OK) != 0, "the socket goes with its server")
        #expect(unsafe mknod(path, S_IFSOCK | 0o600, 0) == 0)
        let next = try self.server()
        let path = path
        let answer = try await blocking {
            try ControlClient(paths: [path]).request("echo", as: JSONValue.self)
        }
        #expect(answer == .null)
        await next.stop()
    }

    @Test("a file that is not a socket is left alone")
    func noSocket() throws {
        try "somebody's".write(toFile: path, atomically: false, encoding: .utf8)
        defer { unsafe unlink(path) }
        let error = #expect(throws: SystemCallError.self) { try self.server() }
        #expect(error?.code == ENOTSOCK)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "somebody's")
    }

    @Test("a client beyond the limit gets an error")
    func crowded() async throws {
        let server = try server()
        let path = path
        let others = try await blocking {
            try (0..<ClientLimit.most).map { _ in
                let connection = try LineConnection(to: path)
                var reader = LineReader(connection)
                #expect(try reader.next()?.contains("protocol") == true)
                return connection
            }
        }
        let error = await #expect(throws: CommandError.self) {
            try await blocking {
                try ControlClient(paths: [path]).request("echo", as: JSONValue.self)
            }
        }
        #expect(error?.code == "appliance.crowded")
        #expect(error?.exitCode == 75)
        others.first?.shutdown()
        try await waitUntil { await isAnswering(path) }
        await server.stop()
    }

    @Test("a client that asks nothing is dropped; one that has asked may be silent")
    func silence() async throws {
        let server = try server(silenceMilliseconds: 500, starts: false)
        let path = path
        // This client has asked before the server accepts it.
        let asking = try LineConnection(to: path)
        try asking.write(Self.echo(1))
        server.start(handler())
        let (answers, silent) = try await blocking {
            var answers = LineReader(asking)
            var lines = [try answers.next(), try answers.next()]
            let connection = try LineConnection(to: path)
            var reader = LineReader(connection)
            var silent: [String] = []
            while let line = try reader.next() { silent.append(line) }
            // This client has been silent for longer than the other.
            try asking.write(Self.echo(2))
            lines.append(try answers.next())
            return (lines.compactMap(\.self), silent)
        }
        #expect(silent.count == 1 && silent.first?.contains("protocol") == true)
        #expect(answers.count == 3 && answers.first?.contains("protocol") == true)
        #expect(answers.dropFirst().allSatisfy { $0.contains("result") })
        await server.stop()
    }

    private static func echo(_ number: Int) -> String {
        "{\"id\":\(number),\"verb\":\"echo\",\"arguments\":{\"value\":\(number)}}"
    }

    @Test("the limits per user and for all users leave room for the owner and root")
    func limit() {
        let limit = ClientLimit(owner: 100)
        func room(_ user: UInt32, beside others: [UInt32]) -> Bool {
            limit.hasRoom(for: user, beside: others)
        }
        let guests = [UInt32](repeating: 7, count: ClientLimit.mostOfOneUser)
        #expect(room(7, beside: Array(guests.dropLast())) && !room(7, beside: guests))
        #expect(room(8, beside: guests))
        let crowd = (0..<ClientLimit.mostOfUsers).map { UInt32(200 + $0) }
        #expect(room(8, beside: Array(crowd.dropLast())) && !room(8, beside: crowd))
        #expect(room(0, beside: crowd) && room(100, beside: crowd))
        let full = crowd + [UInt32](repeating: 0, count: ClientLimit.most - crowd.count)
        #expect(!room(0, beside: full) && !room(8, beside: full))
        // Clients of the owner and of root do not count against other users.
        #expect(room(8, beside: [UInt32](repeating: 100, count: ClientLimit.most - 1)))
    }

    @Test("a stranger who answers at our socket is refused", .enabled(if: getuid() == 0))
    func stranger() async {
        // Only root can act as another user. All threads of a process do, so the test runs in its
        // own.
        await #expect(processExitsWith: .success) {
            let path = "/tmp/vitrine-stranger-\(getpid()).sock"
            seteuid(65534)
            let server = try ControlServer(path: path, version: "stranger")
            server.start { _, _ in "stranger" }
            seteuid(0)
            unsafe chown(path, 0, 0)
            let error = await #expect(throws: CommandError.self) {
                try await blocking {
                    try ControlClient(paths: [path]).request("echo", as: JSONValue.self)
                }
            }
            #expect(error?.exitCode == 77)
            await server.stop()
        }
    }

    @Test(
        "a stranger who gets as far as our socket is refused; one of its group is not",
        .enabled(if: getuid() == 0))
    func strangeClient() async {
        await #expect(processExitsWith: .success) {
            let path = "/tmp/vitrine-strange-client-\(getpid()).sock"
            setegid(4242)
            let server = try ControlServer(path: path, version: "test")
            setegid(0)
            server.start { request, _ in
                "asked by \(request.peer?.user ?? 0)"
            }
            unsafe chmod(path, 0o666)
            @Sendable func ask() throws -> String {
                try ControlClient(paths: [path]).request("echo", as: String.self)
            }
            var member: gid_t = 4242
            unsafe setgroups(1, &member)
            setegid(65534)
            seteuid(65534)
            #expect(try await blocking { try ask() } == "asked by 65534")
            seteuid(0)
            unsafe setgroups(0, nil)
            setegid(65534)
            seteuid(65534)
            let error = await #expect(throws: CommandError.self) {
                try await blocking { try ask() }
            }
            seteuid(0)
            #expect(error?.exitCode == 77)
            await server.stop()
        }
    }

    @Test("a server without descriptors waits, and continues when there are some")
    func noDescriptors() async {
        // The limit applies to the whole process, so the test runs in its own.
        await #expect(processExitsWith: .success) {
            let path = "/tmp/vitrine-limit-\(getpid()).sock"
            let server = try ControlServer(path: path, version: "test")
            server.start { _, _ in 1 }
            var limit = rlimit()
            unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            var connection: LineConnection?
            // Tries again if the runtime has taken the descriptor meant for the client.
            while connection == nil {
                unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                let next = dup(0)
                close(next)
                var tight = limit
                tight.rlim_cur = rlim_t(next + 1)
                unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &tight)
                connection = try? LineConnection(to: path)
            }
            #expect(dup(0) < 0, "the server has none for its end")
            let before = clock()
            // Task.sleep may need a descriptor of the runtime.
            usleep(1_000_000)
            // A server that spins would use far more processor time.
            #expect(clock() - before < CLOCKS_PER_SEC / 5)
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let client = try #require(connection)
            let greeting = try await blocking {
                var reader = LineReader(client)
                return try reader.next()
            }
            #expect(greeting?.contains("protocol") == true)
            await server.stop()
        }
    }

    @Test("the socket is accessible only to its owner and group")
    func mode() async throws {
        let server = try server()
        var status = stat()
        _ = unsafe stat(path, &status)
        #expect(status.st_mode & 0o777 == 0o660)
        await server.stop()
    }
}

@Suite("Socket path")
struct SocketPathTests {
    @Test("an explicit path is the only candidate")
    func explicit() {
        #expect(
            SocketPath.candidates(option: "/a", environment: ["VITRINE_SOCKET": "/b"]) == ["/a"])
        #expect(SocketPath.candidates(option: nil, environment: ["VITRINE_SOCKET": "/b"]) == ["/b"])
    }

    @Test("the candidates are systemd's directory, /run, the session's and /tmp")
    func order() {
        let paths = SocketPath.candidates(
            option: nil, environment: ["RUNTIME_DIRECTORY": "/r", "XDG_RUNTIME_DIR": "/x"])
        #expect(
            paths == [
                "/r/control.sock", "/run/vitrine/control.sock", "/x/vitrine/control.sock",
                "/tmp/vitrine-\(getuid())/control.sock",
            ])
    }

    @Test("a directory in /tmp that others can write to is refused by server and client")
    func planted() async throws {
        let directory = SocketPath.lastResort
        unsafe mkdir(directory, 0o700)
        unsafe chmod(directory, 0o777)
        defer { unsafe chmod(directory, 0o700) }
        let path = "\(directory)/control-\(getpid()).sock"
        #expect(throws: SystemCallError.self) { try SocketPath.forServer([path]) }
        let planted = try ControlServer(path: path, version: "planted")
        planted.start { _, _ in "planted" }
        let honest = "/tmp/vitrine-honest-\(getpid()).sock"
        let server = try ControlServer(path: honest, version: "honest")
        server.start { _, _ in "honest" }
        let error = await #expect(throws: CommandError.self) {
            try await blocking {
                try ControlClient(paths: [path, "/nonexistent/sock"]).request("x", as: String.self)
            }
        }
        #expect(error?.exitCode == 77)
        let answer = try await blocking {
            try ControlClient(paths: [path, honest]).request("x", as: String.self)
        }
        #expect(answer == "honest", "the next place is tried")
        await planted.stop()
        await server.stop()
    }
}
