// SPDX-License-Identifier: GPL-3.0-or-later

internal import Appliance
internal import ArgumentParser
internal import CommandProtocol
internal import Glibc
internal import Library
internal import LinuxIO
internal import Settings

/// Says what went wrong and what to do next, in one line on standard error, and ends with the right status.
func end(with error: any Error) -> Never {
    if let error = commandError(error) {
        // One line, so that a log shows the remedy beside the complaint.
        let next = error.next.isEmpty ? "" : "; next: \(error.next)"
        complain("vitrine: \(error.message)\(next)")
        Glibc.exit(error.exitCode)
    }
    if let error = error as? SettingsError {
        complain("\(error)")
        Glibc.exit(error.exitStatus.rawValue)
    }
    let code = Vitrine.exitCode(for: error)
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

extension SettingsError {
    /// Tells a file that is not there or may not be read from one that is wrong.
    var exitStatus: ExitStatus {
        guard let problem = problems.first, problem.code == .unreadable else {
            return .configuration
        }
        if unsafe access(problem.file, R_OK) == 0 { return .configuration }
        return errno == EACCES ? .notPermitted : .noInput
    }
}

/// Writes a line to standard error.
func complain(_ line: String) { writeToStandardError(line + "\n") }

func writeToStandardError(_ text: String) {
    let bytes = Array(text.utf8)
    _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
}
