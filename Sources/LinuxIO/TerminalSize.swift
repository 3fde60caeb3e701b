// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc

/// The amount of text that a terminal shows.
public struct TerminalSize: Sendable, Equatable {
    /// The characters in a row.
    public var columns: Int
    /// The rows of text, including the one with the cursor.
    public var rows: Int

    /// The present size of standard output; `nil` if it is no terminal, 80 by 24 if the terminal
    /// does not report it. Corresponds to `TIOCGWINSZ`.
    public static var ofStandardOutput: TerminalSize? { ofTerminal(STDOUT_FILENO) }
    /// The present size of standard error; otherwise like ``ofStandardOutput``.
    public static var ofStandardError: TerminalSize? { ofTerminal(STDERR_FILENO) }

    private static func ofTerminal(_ descriptor: CInt) -> TerminalSize? {
        guard isatty(descriptor) == 1 else { return nil }
        var (columns, rows): (CInt, CInt) = (0, 0)
        let isKnown = unsafe clinux_terminal_size(descriptor, &columns, &rows) == 0
        guard isKnown, columns > 1, rows > 1 else { return TerminalSize(columns: 80, rows: 24) }
        return TerminalSize(columns: Int(columns), rows: Int(rows))
    }
}
