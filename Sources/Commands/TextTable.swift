// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// Rows for a person: in columns under a heading on a terminal, with tabs between the fields where
/// something else reads.
struct TextTable {
    /// Whether a person is looking.
    let isTerminal = isatty(STDOUT_FILENO) == 1
    private let heading: [String]
    private let alignsRight: [Bool]
    private var hasHeading = false
    /// Grow with what is printed.
    private var widths: [Int]

    /// - Parameter widths: To begin with; one for each column, as the others.
    init(heading: [String], alignsRight: [Bool], widths: [Int]? = nil) {
        self.heading = heading
        self.alignsRight = alignsRight
        self.widths = widths ?? heading.map(\.count)
    }

    /// Each row a field for each column.
    mutating func print(_ rows: [[String]]) {
        guard isTerminal else {
            for row in rows { Swift.print(row.joined(separator: "\t")) }
            return
        }
        for row in rows {
            for (column, text) in row.enumerated() {
                widths[column] = max(widths[column], text.count)
            }
        }
        if !hasHeading && !rows.isEmpty { Swift.print(line(heading)) }
        hasHeading = true
        for row in rows { Swift.print(line(row)) }
    }

    private func line(_ fields: [String]) -> String {
        var line = ""
        for (column, text) in fields.enumerated() {
            let gap = spaces(widths[column] - text.count)
            if column > 0 { line += "  " }
            line += alignsRight[column] ? gap + text : text + gap
        }
        while line.last == " " { line.removeLast() }
        return line
    }
}

/// None for a negative count.
func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
