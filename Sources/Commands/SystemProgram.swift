// SPDX-License-Identifier: GPL-3.0-or-later

internal import CommandProtocol
internal import LinuxIO
internal import Subprocess

package enum SystemProgram {
    /// The output limit in bytes, more than any of the programs writes.
    private static let mostBytes = 16 << 20

    /// The default time limit, longer than any of the programs takes.
    package static let patience = Duration.seconds(60)

    private struct Ended<Output: Sendable>: Sendable {
        let output: Output
        let isGood: Bool
        let complaint: String
    }

    /// Runs a program and returns its standard output and standard error. Messages name `subject`
    /// if `name` only starts another program. Throws a `CommandError`, which quotes the program, if
    /// it is missing, fails or exceeds the time limit, at which it is killed.
    @discardableResult
    package static func run(
        _ name: String, _ arguments: [String], runs subject: String? = nil,
        patience: Duration = patience
    ) async throws -> String {
        try await end(of: subject ?? name, arguments, within: patience) {
            let ended = try await Subprocess.run(
                .name(name), arguments: Arguments(arguments), output: .string(limit: mostBytes),
                error: .combinedWithOutput)
            return Ended(
                output: ended.standardOutput, isGood: ended.terminationStatus.isSuccess,
                complaint: ended.standardOutput)
        }
    }

    /// Runs a program like ``run(_:_:runs:patience:)`` and returns its standard output as data, at
    /// most `limit` bytes.
    package static func data(
        of name: String, _ arguments: [String], runs subject: String? = nil, limit: Int,
        patience: Duration = patience
    ) async throws -> [UInt8] {
        try await end(of: subject ?? name, arguments, within: patience) {
            let ended = try await Subprocess.run(
                .name(name), arguments: Arguments(arguments), output: .bytes(limit: limit),
                error: .string(limit: mostBytes))
            return Ended(
                output: ended.standardOutput, isGood: ended.terminationStatus.isSuccess,
                complaint: ended.standardError)
        }
    }

    private static func end<Output: Sendable>(
        of name: String, _ arguments: [String], within patience: Duration,
        _ run: @escaping @Sendable () async throws -> Ended<Output>
    ) async throws -> Output {
        let ended: Ended<Output>?
        do {
            ended = try await within(patience, run)
        } catch {
            throw CommandError(
                "program.failed", "\(name) cannot be run: \(error)",
                next: "Install it, and try again.", exit: .io)
        }
        guard let ended else {
            throw CommandError(
                "program.failed", "\(name) did not end within \(patience.components.seconds) s",
                next: "See what it waits for: \(name) \(arguments.joined(separator: " "))",
                exit: .io)
        }
        guard ended.isGood else {
            throw CommandError(
                "program.failed", "\(name): \(ended.complaint)",
                next: "Fix the cause, and try again.", exit: .io)
        }
        return ended.output
    }
}
