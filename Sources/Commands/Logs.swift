// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Glibc

struct Logs: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the appliance's log from systemd's journal.",
        discussion: """
              vitrine logs --lines 20 --follow
            """)

    @Option(name: .shortAndLong, help: "Number of lines, the newest ones.")
    var lines = 100

    @Flag(name: .shortAndLong, help: "Print new lines as they come, until Ctrl-C.")
    var follow = false

    @Flag(help: "Only lines since the machine was started.")
    var boot = false

    @Flag(help: "Print JSON: one object per line, nothing else.")
    var json = false

    /// Returns journalctl's arguments. They omit --quiet, which would hide a missing permission.
    static func journal(_ output: String) -> [String] { ["--no-pager", "--output", output] }

    func validate() throws {
        guard lines >= 0 else { throw ValidationError("--lines must not be negative.") }
    }

    /// Replaces this process with journalctl.
    func run() throws {
        var arguments = ["journalctl", "--unit", "vitrine", "--lines", "\(lines)"]
        arguments += Self.journal(json ? "json" : "short-iso")
        if follow { arguments.append("--follow") }
        if boot { arguments.append("--boot") }
        try flushOutput()
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        _ = unsafe execvp("journalctl", pointers)
        throw CommandError(
            "journal.missing", "journalctl cannot be started: \(reason(errno))",
            next: "Without systemd, read the standard error output of vitrine run.",
            exit: .noInput)
    }

    private func reason(_ code: CInt) -> String { unsafe String(cString: strerror(code)) }
}
