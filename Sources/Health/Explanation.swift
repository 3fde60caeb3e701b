// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials

/// A problem's text, written everywhere as "what is wrong; next: what to do".
package struct Explanation {
    package let reason: String
    /// The next step; `nil` if the text names none.
    package let next: String?

    /// Splits a problem's text; `fallback` is the next step if the text names none.
    package init(_ problem: String, otherwise fallback: String? = nil) {
        let parts = problem.components(separatedBy: "; next: ")
        reason = parts[0]
        next = parts.count > 1 ? parts[1] : fallback
    }

    package var text: String { next.map { "\(reason); next: \($0)" } ?? reason }
}
