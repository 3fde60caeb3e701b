// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials

/// A problem's words in its two parts, as they are said together everywhere: "what is wrong; next: what to do".
struct Explanation {
    let reason: String
    /// `nil` where none is named.
    let next: String?

    /// - Parameter fallback: what to do where the problem does not say it.
    init(_ problem: String, otherwise fallback: String? = nil) {
        let parts = problem.components(separatedBy: "; next: ")
        reason = parts[0]
        next = parts.count > 1 ? parts[1] : fallback
    }

    /// All in one line again.
    var text: String { next.map { "\(reason); next: \($0)" } ?? reason }
}
