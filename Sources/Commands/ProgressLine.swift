// SPDX-License-Identifier: GPL-3.0-or-later

internal import CommandProtocol

/// One line on standard error that counts along.
struct ProgressLine: Sendable {
    let isShown: Bool

    private struct Step: Decodable {
        var done: Int
        var total: Int
    }

    func show(_ progress: JSONValue) {
        guard isShown, let step: Step = try? progress.decode() else { return }
        writeToStandardError("\r\(step.done) of \(step.total)")
    }

    func end() {
        if isShown { writeToStandardError("\r\u{1b}[K") }
    }
}
