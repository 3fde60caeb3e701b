// SPDX-License-Identifier: GPL-3.0-or-later

internal import CommandProtocol
internal import Subprocess

/// Programs of the system.
package enum SystemProgram {
    /// More than any of them writes.
    private static let mostBytes = 16 << 20

    /// Longer than any of them takes.
    package static let patience = Duration.seconds(60)

    private typealias Ended = ExecutionResult<Void, StringOutput<UTF8>, CombinedErrorOutput>

    /// Runs a program to its end and returns what it wrote, to both of its outputs. One that does not end is
    /// killed.
    ///
    /// - Throws: a `CommandError` when it is not there, fails or does not end; its own words are in the
    ///   message.
    @discardableResult
    package static func run(
        _ name: String, _ arguments: [String], patience: Duration = patience
    ) async throws -> String {
        let ended: Ended?
        do {
            ended = try await withThrowingTaskGroup(of: Ended?.self) { group in
                group.addTask {
                    try await Subprocess.run(
                        .name(name), arguments: Arguments(arguments),
                        output: .string(limit: mostBytes), error: .combinedWithOutput)
                }
                group.addTask {
                    try await Task.sleep(for: patience)
                    return nil
                }
                defer { group.cancelAll() }
                return try await group.next() ?? nil
            }
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
        let text = ended.standardOutput
        guard ended.terminationStatus.isSuccess else {
            throw CommandError(
                "program.failed", "\(name): \(text)", next: "Remove its cause, and try again.",
                exit: .io)
        }
        return text
    }
}
