// SPDX-License-Identifier: GPL-3.0-or-later

/// The reason why something cannot be shown.
public struct DisplayError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure, for callers that act on it.
    public enum Code: String, Sendable {
        /// There is no card, or nothing is plugged in.
        case noDisplay
        /// Another program holds the screen, or permission is missing.
        case notPermitted
        /// The hardware cannot show this format, size or memory.
        case unsupported
        /// The display failed, or stopped answering.
        case failed
    }
    /// The kind of failure.
    public let code: Code
    /// One line that names the display or device, and the reason if ``underlying`` does not.
    public let message: String
    /// The cause, mostly a `SystemCallError`; `nil` if the message is complete.
    public let underlying: (any Error)?

    /// Creates an error; ``description`` appends `underlying` to `message`.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// The message, followed by the underlying error if there is one.
    public var description: String {
        underlying.map { "\(message): \($0)" } ?? message
    }
}
