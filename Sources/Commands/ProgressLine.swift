// SPDX-License-Identifier: GPL-3.0-or-later

internal import Library
internal import LinuxIO

/// A progress bar on standard error for work that a person waits for; hidden if nobody watches.
struct ProgressLine: Sendable {
    private static let longest = 40

    let isShown: Bool

    func show(_ step: ExportProgress) { show(step.done, of: step.total) }

    func show(_ done: Int, of total: Int) {
        if isShown {
            let columns = TerminalSize.ofStandardError?.columns ?? 80
            writeToStandardError("\r" + Self.text(done, of: total, columns: columns) + "\u{1b}[K")
        }
    }

    func end() {
        if isShown { writeToStandardError("\r\u{1b}[K") }
    }

    /// Returns a bar and the numbers in fewer than `columns` columns: a character in the last
    /// column would start a new line.
    static func text(_ done: Int, of total: Int, columns: Int) -> String {
        let numbers = "\(done) of \(total)"
        let length = min(columns - numbers.count - 4, longest)
        guard length > 4, total > 0 else { return numbers }
        let filled = length * min(max(done, 0), total) / total
        let bar =
            String(repeating: "#", count: filled) + String(repeating: "-", count: length - filled)
        return "[\(bar)] \(numbers)"
    }
}
