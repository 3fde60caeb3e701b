// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import LinuxIO

/// A command's connection to the running appliance. Blocks the caller's thread.
public struct ControlClient: Sendable {
    private let connection: LineConnection

    /// Connects to the first path where an appliance listens.
    ///
    /// - Throws: exit status 69 when none does, 77 when it may not be used.
    public init(paths: [String]) throws(CommandError) {
        for path in paths {
            do throws(SystemCallError) {
                connection = try LineConnection(to: path)
                return
            } catch {
                if error.isPermission {
                    throw CommandError(
                        "socket.notPermitted", "\(error)",
                        next: "Use sudo, or add yourself to group vitrine.", exit: .notPermitted)
                }
            }
        }
        throw CommandError(
            "appliance.notRunning",
            "no appliance is running (looked for \(paths.joined(separator: ", ")))",
            next: "Start it: vitrine run, or: sudo systemctl start vitrine", exit: .unavailable)
    }

    /// Asks one thing and waits for the answer.
    public func request(
        _ verb: String, _ arguments: [String: JSONValue] = [:],
        progress: (JSONValue) -> Void = { _ in }
    ) throws(CommandError) -> JSONValue {
        var answer: Response?
        do {
            try connection.write(try jsonLine(Request(id: 1, verb: verb, arguments: arguments)))
            try connection.readLines { line in
                guard
                    let response = try? JSONDecoder().decode(Response.self, from: Data(line.utf8)),
                    response.id == 1
                else { return true }  // the greeting
                if let value = response.progress {
                    progress(value)
                    return true
                }
                answer = response
                return false
            }
        } catch {
            throw CommandError("socket.io", "the appliance does not answer: \(error)", exit: .io)
        }
        if let error = answer?.error { throw error }
        guard let answer else {
            throw CommandError(
                "appliance.gone", "the appliance ended while it was working on this",
                next: "Look at its log: journalctl -u vitrine", exit: .unavailable)
        }
        return answer.result ?? .null
    }
}
