// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// Rows for a person: on a terminal in columns under a heading, no wider than it; where something else reads whole,
/// with tabs between the fields.
struct TextTable {
    struct Column {
        var heading: String
        var alignsRight = false
        /// To begin with; grows with what is printed.
        var width = 0
        /// What says enough where there is no room for more; `nil` for what says nothing unless it is whole.
        var shortest: Int?
        /// The columns of the smallest weight are left out first.
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

    /// Whether a person is looking.
    var isTerminal: Bool { terminal != nil }

    /// Each row a field for each column.
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

    /// `nil` for columns that are left out. What room there is beyond the shortest is for those that matter most.
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

/// None for a negative count.
func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
