// SPDX-License-Identifier: GPL-3.0-or-later

internal import Library

/// One line on standard error that counts along.
struct ProgressLine: Sendable {
    let isShown: Bool

    func show(_ step: ExportProgress) {
        if isShown { writeToStandardError("\r\(step.done) of \(step.total)") }
    }

    func end() {
        if isShown { writeToStandardError("\r\u{1b}[K") }
    }
}
