// SPDX-License-Identifier: GPL-3.0-or-later

internal import CommandProtocol
internal import Subprocess

/// Programs of the system.
enum SystemProgram {
    /// More than any of them writes.
    private static let mostBytes = 16 << 20

    /// Runs a program to its end and returns what it wrote, to both of its outputs.
    ///
    /// - Throws: a `CommandError` when it is not there or fails; its own words are in the message.
    @discardableResult
    static func run(_ name: String, _ arguments: [String]) async throws -> String {
        let ended: ExecutionResult<Void, StringOutput<UTF8>, CombinedErrorOutput>
        do {
            ended = try await Subprocess.run(
                .name(name), arguments: Arguments(arguments), output: .string(limit: mostBytes),
                error: .combinedWithOutput)
        } catch {
            throw CommandError(
                "program.failed", "\(name) cannot be run: \(error)",
                next: "Install it, and try again.", exit: .io)
        }
        let text = ended.standardOutput ?? ""
        guard ended.terminationStatus.isSuccess else {
            throw CommandError(
                "program.failed", "\(name): \(text)", next: "Remove its cause, and try again.",
                exit: .io)
        }
        return text
    }
}
