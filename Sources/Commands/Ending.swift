// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Glibc
internal import Library
internal import LibraryService
internal import LinuxIO
internal import Settings

/// Prints the error with the next step on standard error, and exits with its status.
func end(with error: any Error) -> Never {
    if let error = commandError(error) {
        complain("vitrine: \(error.line)")
        Glibc.exit(error.exitCode)
    }
    if let error = error as? SettingsError {
        complain(error.lines)
        Glibc.exit(error.exitStatus.rawValue)
    }
    let code = Vitrine.exitCode(for: error)
    if code == .failure {
        // The error is neither the parser's nor a known one.
        end(with: CommandError("unforeseen", "\(error)", exit: .software))
    }
    let message = Vitrine.fullMessage(for: error)
    if code.isSuccess {
        if !message.isEmpty { print(message) }
        do throws(CommandError) {
            try flushOutput()
        } catch {
            end(with: error)
        }
        Glibc.exit(0)
    }
    if !message.isEmpty { complain(message) }
    Glibc.exit(code == .validationFailure ? ExitStatus.usage.rawValue : code.rawValue)
}

private func commandError(_ error: any Error) -> CommandError? {
    switch error {
    case let error as CommandError: error
    case let error as LibraryError: CommandError(error)
    case let error as SystemCallError:
        CommandError("system", "\(error)", exit: error.isPermission ? .notPermitted : .io)
    default: nil
    }
}

extension CommandError {
    /// The message and the next step on one line, so that a log shows both.
    var line: String { "\(message); next: \(next.isEmpty ? usualRemedy : next)" }

    private var usualRemedy: String {
        switch ExitStatus(rawValue: exitCode) {
        case .usage: "See: vitrine --help"
        case .noInput: "Check the name."
        case .unavailable: "Start it: vitrine run, or: sudo systemctl start vitrine"
        case .temporary: "Try again in a moment; see: vitrine status"
        case .notPermitted: "Use sudo, or run as user vitrine."
        case .configuration: "Check it: vitrine config check FILE"
        case .io: "See what the kernel says about the device: journalctl -k"
        case .software, nil: "Look at the log: journalctl -u vitrine"
        }
    }
}

extension SettingsError {
    /// One line per problem, with what is allowed. If the file cannot be used at all, the line
    /// names the next step.
    var lines: String {
        switch exitStatus {
        case .notPermitted: "\(self); next: Use sudo, or run as user vitrine."
        case .noInput: "\(self); next: Name a file that exists."
        default:
            problems.first?.code == .unreadable
                ? "\(self); next: Name a configuration file." : "\(self)"
        }
    }

    /// The exit status, which tells a missing or unreadable file from a wrong one.
    var exitStatus: ExitStatus {
        guard let problem = problems.first, problem.code == .unreadable else {
            return .configuration
        }
        if unsafe access(problem.file, R_OK) == 0 { return .configuration }
        return errno == EACCES ? .notPermitted : .noInput
    }
}

func complain(_ line: String) { writeToStandardError(line + "\n") }

func writeToStandardError(_ text: String) {
    let bytes = Array(text.utf8)
    _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
}
