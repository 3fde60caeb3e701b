// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc

/// How much text a terminal shows.
public struct TerminalSize: Sendable, Equatable {
    /// Characters in a row.
    public var columns: Int
    /// Rows of text, the one with the cursor included.
    public var rows: Int

    /// Of standard output now; `nil` when that is no terminal. One that does not tell has 80 by 24.
    /// Corresponds to `TIOCGWINSZ`.
    public static var ofStandardOutput: TerminalSize? { ofTerminal(STDOUT_FILENO) }
    /// The same of standard error.
    public static var ofStandardError: TerminalSize? { ofTerminal(STDERR_FILENO) }

    private static func ofTerminal(_ descriptor: CInt) -> TerminalSize? {
        guard isatty(descriptor) == 1 else { return nil }
        var (columns, rows): (CInt, CInt) = (0, 0)
        let isKnown = unsafe clinux_terminal_size(descriptor, &columns, &rows) == 0
        guard isKnown, columns > 1, rows > 1 else { return TerminalSize(columns: 80, rows: 24) }
        return TerminalSize(columns: Int(columns), rows: Int(rows))
    }
}
