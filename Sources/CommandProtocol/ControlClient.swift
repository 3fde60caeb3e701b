// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Glibc
public import LinuxIO

/// A command's connection to the running appliance. Its methods block the caller's thread.
public final class ControlClient {
    private let connection: LineConnection
    private var reader: LineReader
    private var lastID = 0

    /// Connects to the first path where an appliance listens. Throws exit status 69 if there is
    /// none, 77 if permission is denied.
    public init(paths: [String]) throws(CommandError) {
        connection = try Self.connect(paths)
        reader = LineReader(connection)
    }

    private static func connect(_ paths: [String]) throws(CommandError) -> LineConnection {
        var denial: SystemCallError?
        for path in paths {
            do throws(SystemCallError) {
                try SocketPath.refuseForeignSocket(path)
                let connection = try LineConnection(to: path)
                try refuseStranger(connection, path)
                return connection
            } catch {
                // Another path may work. A denial is reported only if none does.
                if error.isPermission { denial = denial ?? error }
            }
        }
        if let denial {
            throw CommandError(
                "socket.notPermitted", "\(denial)",
                next: "Use sudo, or add yourself to group vitrine.", exit: .notPermitted)
        }
        throw CommandError(
            "appliance.notRunning",
            "no appliance is running (looked for \(paths.joined(separator: ", ")))",
            next: "Start it: vitrine run, or: sudo systemctl start vitrine", exit: .unavailable)
    }

    /// Refuses a server that is not run by root, this user or the owner of the socket.
    private static func refuseStranger(
        _ connection: LineConnection, _ path: String
    ) throws(SystemCallError) {
        let user = try connection.peer().user
        if user == 0 || user == getuid() { return }
        guard try user == SocketPath.owner(of: path) else {
            throw SystemCallError(call: "SO_PEERCRED", code: EPERM, path: path)
        }
    }

    /// Sends one request and waits for the answer. The appliance may read `files` whatever its
    /// own permissions.
    public func request<Value: Decodable>(
        _ verb: String, _ arguments: [String: JSONValue] = [:], as type: Value.Type = Value.self,
        passing files: [PassedFile] = [], progress: (JSONValue) -> Void = { _ in }
    ) throws -> Value {
        lastID += 1
        do {
            let request = try jsonLine(Request(id: lastID, verb: verb, arguments: arguments))
            // A refused client cannot write, but can still read the reason.
            let refusal = Result { () throws(SystemCallError) in
                try connection.write(request, passing: files)
            }
            while let line = try reader.next() {
                guard let message = try message(line, type) else { continue }
                if let value = message.progress { progress(value) }
                if let error = message.error { throw error }
                if let result = message.result { return result }
            }
            try refusal.get()
        } catch let error as SystemCallError where ![ECONNRESET, EPIPE].contains(error.code) {
            throw CommandError(
                "socket.io", "the appliance does not answer: \(error)",
                next: "Look at its log: journalctl -u vitrine", exit: .io)
        } catch is SystemCallError {
            // The appliance has closed the connection, which counts as no answer.
        }
        throw CommandError(
            "appliance.gone", "the appliance ended before it answered",
            next: "Look at its log: journalctl -u vitrine", exit: .unavailable)
    }

    /// Decodes an answer to the last request or to a malformed one; returns `nil` for the greeting.
    private func message<Value>(
        _ line: String, _ type: Value.Type
    ) throws -> ResponseMessage<Value>? {
        let data = Data(line.utf8)
        do {
            let message = try JSONDecoder().decode(ResponseMessage<Value>.self, from: data)
            return [0, lastID].contains(message.id) ? message : nil
        } catch {
            if (try? JSONDecoder().decode(Greeting.self, from: data)) != nil { return nil }
            throw CommandError(
                "answer.unreadable", "the appliance's answer cannot be read: \(error)",
                next: "Restart it, if it is another version: sudo systemctl restart vitrine",
                exit: .software)
        }
    }
}
