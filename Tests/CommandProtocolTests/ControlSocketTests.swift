// SPDX-License-Identifier: GPL-3.0-or-later

import CommandProtocol
import FoundationEssentials
import Glibc
import LinuxIO
import Testing

@Suite("Control socket", .timeLimit(.minutes(1)))
struct ControlSocketTests {
    private let path = "/tmp/vitrine-test-\(getpid())-\(UInt32.random(in: 0 ... .max)).sock"

    private func server() throws -> ControlServer {
        let server = try ControlServer(path: path, version: "test") { request, progress in
            switch request.verb {
            case "echo": return request.arguments["value"] ?? .null
            case "count":
                for number in Int64(1)...3 { progress(.integer(number)) }
                return .string("counted")
            case "slow":
                try await Task.sleep(for: .seconds(30))
                return .null
            default:
                throw CommandError("verb.unknown", "no \(request.verb)", next: "ask", exit: .usage)
            }
        }
        server.start()
        return server
    }

    @Test("a request comes back with its value, whatever the characters")
    func echo() async throws {
        let server = try server()
        let client = try ControlClient(paths: ["/nonexistent", path])
        let value = JSONValue.object([
            "text": .string("Grüße\n\"quoted\" 🎈"), "number": .integer(-7), "list": .array([.null]),
            "half": .number(0.5), "yes": .bool(true),
        ])
        #expect(try client.request("echo", ["value": value]) == value)
        await server.stop()
    }

    @Test("progress comes before the result")
    func progress() async throws {
        let server = try server()
        var seen: [JSONValue] = []
        let answer = try ControlClient(paths: [path]).request("count") { seen.append($0) }
        #expect(seen == [.integer(1), .integer(2), .integer(3)])
        #expect(answer == .string("counted"))
        await server.stop()
    }

    @Test("an error arrives with code, next step and exit status")
    func errors() async throws {
        let server = try server()
        let client = try ControlClient(paths: [path])
        let error = #expect(throws: CommandError.self) { try client.request("dance") }
        #expect(error == CommandError("verb.unknown", "no dance", next: "ask", exit: .usage))
        await server.stop()
    }

    @Test("nonsense is answered, and the connection stays usable")
    func nonsense() async throws {
        let server = try server()
        let connection = try LineConnection(to: path)
        for line in ["", "{", "[1,2]", "{\"id\":\"x\"}", String(repeating: "a", count: 10_000)] {
            try connection.write(line)
        }
        try connection.write("{\"id\":9,\"verb\":\"echo\",\"arguments\":{\"value\":5}}")
        var malformed = 0
        try connection.readLines { line in
            if line.contains("request.malformed") { malformed += 1 }
            return !line.contains("\"id\":9")
        }
        #expect(malformed == 5)
        await server.stop()
    }

    @Test("without an appliance the error says 69 and what to do")
    func notRunning() {
        let error = #expect(throws: CommandError.self) { try ControlClient(paths: [path]) }
        #expect(error?.exitCode == 69)
        #expect(error?.next.contains("vitrine run") == true)
    }

    @Test("an appliance that ends while a client waits is reported, not waited for")
    func endWhileWaiting() async throws {
        let server = try server()
        let client = try ControlClient(paths: [path])
        let thread = NamedThread("waiter") {
            let error = #expect(throws: CommandError.self) { try client.request("slow") }
            #expect(error?.exitCode == 69)
        }
        try await Task.sleep(for: .milliseconds(50))
        await server.stop()
        await thread.join()
    }

    @Test("a second appliance at the same path is refused, a dead one's leftover is replaced")
    func occupied() async throws {
        let server = try server()
        let error = #expect(throws: SystemCallError.self) { try self.server() }
        #expect(error?.code == EADDRINUSE)
        await server.stop()
        unsafe fclose(fopen(path, "w"))
        let next = try self.server()
        #expect(try ControlClient(paths: [path]).request("echo") == .null)
        await next.stop()
    }

    @Test("the socket is for its owner and group only")
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
    @Test("what is named explicitly is the only candidate")
    func explicit() {
        #expect(
            SocketPath.candidates(option: "/a", environment: ["VITRINE_SOCKET": "/b"]) == ["/a"])
        #expect(SocketPath.candidates(option: nil, environment: ["VITRINE_SOCKET": "/b"]) == ["/b"])
    }

    @Test("the order is systemd's directory, /run, the session's, /tmp")
    func order() {
        let paths = SocketPath.candidates(
            option: nil, environment: ["RUNTIME_DIRECTORY": "/r", "XDG_RUNTIME_DIR": "/x"])
        #expect(
            paths == [
                "/r/control.sock", "/run/vitrine/control.sock", "/x/vitrine/control.sock",
                "/tmp/vitrine-\(getuid())/control.sock",
            ])
    }

    @Test("a directory in /tmp that others can write to is refused")
    func planted() throws {
        let directory = "/tmp/vitrine-\(getuid())9"
        unsafe mkdir(directory, 0o777)
        unsafe chmod(directory, 0o777)
        defer { unsafe rmdir(directory) }
        #expect(throws: SystemCallError.self) {
            try SocketPath.forServer(["\(directory)/control.sock"])
        }
    }
}
