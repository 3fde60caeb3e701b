// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials

/// A problem's text in its two parts. Everywhere they are written as "what is wrong; next: what to
/// do".
package struct Explanation {
    /// The problem itself.
    package let reason: String
    /// The next step; `nil` if the text names none.
    package let next: String?

    /// Splits a problem's text.
    ///
    /// - Parameter fallback: the next step if the text names none.
    package init(_ problem: String, otherwise fallback: String? = nil) {
        let parts = problem.components(separatedBy: "; next: ")
        reason = parts[0]
        next = parts.count > 1 ? parts[1] : fallback
    }

    /// Both parts in one line.
    package var text: String { next.map { "\(reason); next: \($0)" } ?? reason }
}
