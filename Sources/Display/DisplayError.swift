// SPDX-License-Identifier: GPL-3.0-or-later

/// Why something cannot be shown.
public struct DisplayError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for callers that act on it.
    public enum Code: String, Sendable {
        /// There is no card, or nothing is plugged in.
        case noDisplay
        /// Another program holds the screen, or the rights are missing.
        case notPermitted
        /// The hardware cannot show this format, size or memory.
        case unsupported
        /// The display stopped answering.
        case failed
    }
    /// What went wrong.
    public let code: Code
    /// The thing, and the reason where ``underlying`` does not tell it, in one line.
    public let message: String
    /// What refused, mostly a `SystemCallError`; `nil` where the message says it all.
    public let underlying: (any Error)?

    /// Of the given parts; ``description`` appends what `underlying` says to `message`.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// The message; where something underlies it, that after a colon.
    public var description: String {
        underlying.map { "\(message): \($0)" } ?? message
    }
}
