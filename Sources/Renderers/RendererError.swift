// SPDX-License-Identifier: GPL-3.0-or-later

/// The reason why a renderer cannot be controlled.
package struct RendererError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    package enum Code: String, Sendable {
        /// A library is not installed.
        case missing
        /// No renderer has this name, or several have.
        case notFound
        /// The renderer does not answer, or refuses.
        case refused
    }

    /// The kind of failure.
    package let code: Code
    /// The failure and its reason, in one line.
    package let message: String
    /// The next step for a person.
    package let next: String

    init(_ code: Code, _ message: String, next: String) {
        (self.code, self.message, self.next) = (code, message, next)
    }

    /// The message.
    package var description: String { message }
}
