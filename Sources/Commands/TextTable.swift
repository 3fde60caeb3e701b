// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// Prints rows for a person. A terminal gets columns under a heading, no wider than itself; any
/// other output gets the complete fields, separated by tabs.
struct TextTable {
    struct Column {
        var heading: String
        var alignsRight = false
        /// The initial width, which grows with the printed rows.
        var width = 0
        /// The least width at which a shortened field is useful; `nil` if the field must be whole.
        var shortest: Int?
        /// The importance of the column: the least important columns are dropped first.
        var weight: Int
    }

    private static let gap = 2
    private let terminal = TerminalSize.ofStandardOutput
    private var columns: [Column]
    private var hasHeading = false

    init(_ columns: [Column]) {
        self.columns = columns
        widen(for: columns.map(\.heading))
    }

    var isTerminal: Bool { terminal != nil }

    mutating func print(_ rows: [[String]]) {
        guard let terminal else {
            for row in rows { Swift.print(row.joined(separator: "\t")) }
            return
        }
        for row in rows { widen(for: row) }
        let widths = widths(in: terminal.columns)
        if !hasHeading && !rows.isEmpty { Swift.print(line(columns.map(\.heading), widths)) }
        hasHeading = true
        for row in rows { Swift.print(line(row, widths)) }
    }

    private mutating func widen(for row: [String]) {
        for (index, text) in row.enumerated() {
            columns[index].width = max(columns[index].width, text.columns)
        }
    }

    /// Returns the width of each column; `nil` for columns that are dropped. Room beyond the
    /// shortest widths goes to the columns of the largest weight first.
    private func widths(in room: Int) -> [Int?] {
        func shortest(_ index: Int) -> Int {
            min(columns[index].shortest ?? .max, columns[index].width)
        }
        var shown = columns.indices.sorted { columns[$0].weight > columns[$1].weight }
        func spare() -> Int {
            room - shown.map(shortest).reduce(0, +) - Self.gap * (shown.count - 1)
        }
        while spare() < 0, shown.count > 1 { shown.removeLast() }
        var left = max(0, spare())
        var widths = [Int?](repeating: nil, count: columns.count)
        for index in shown {
            let more = min(left, columns[index].width - shortest(index))
            widths[index] = shortest(index) + more
            left -= more
        }
        return widths
    }

    private func line(_ fields: [String], _ widths: [Int?]) -> String {
        var line = ""
        for (index, field) in fields.enumerated() {
            guard let width = widths[index] else { continue }
            let text = field.shortened(toColumns: width)
            let filling = spaces(width - text.columns)
            if !line.isEmpty { line += spaces(Self.gap) }
            line += columns[index].alignsRight ? filling + text : text + filling
        }
        while line.last == " " { line.removeLast() }
        return line
    }
}

func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
