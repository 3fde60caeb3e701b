// SPDX-License-Identifier: GPL-3.0-or-later

internal import Library

/// One line on standard error that counts along.
struct ProgressLine: Sendable {
    let isShown: Bool

    func show(_ step: ExportProgress) { show(step.done, of: step.total) }

    func show(_ done: Int, of total: Int) {
        if isShown { writeToStandardError("\r\(done) of \(total)") }
    }

    func end() {
        if isShown { writeToStandardError("\r\u{1b}[K") }
    }
}
