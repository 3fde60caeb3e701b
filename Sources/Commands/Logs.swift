// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Glibc

struct Logs: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "What the appliance has logged, from systemd's journal.")

    @Option(name: .shortAndLong, help: "So many of the newest lines.")
    var lines = 100

    @Flag(name: .shortAndLong, help: "Go on with what comes, until Ctrl-C.")
    var follow = false

    @Flag(help: "Since the machine was started.")
    var boot = false

    @Flag(help: "Print JSON: one object per line, nothing else.")
    var json = false

    /// How the journal is asked: not with --quiet, which would hide that it may not be read.
    static func journal(_ output: String) -> [String] { ["--no-pager", "--output", output] }

    func validate() throws {
        guard lines >= 0 else { throw ValidationError("--lines must not be negative.") }
    }

    /// The journal's own program takes over this process.
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
            next: "Without systemd the log is what vitrine run writes to standard error.",
            exit: .noInput)
    }

    private func reason(_ code: CInt) -> String { unsafe String(cString: strerror(code)) }
}
