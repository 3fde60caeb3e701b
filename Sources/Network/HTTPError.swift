// SPDX-License-Identifier: GPL-3.0-or-later

/// The reason why a request got no complete answer.
package struct HTTPError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    package enum Code: String, Sendable {
        /// libcurl is not installed, or memory is short.
        case unavailable
        /// No connection to the server: no network, no such name, or nobody listens.
        case unreachable
        /// The server's certificate is not one of the trusted ones.
        case certificate
        /// Nothing, or too little, came for too long.
        case stalled
        /// The transfer broke off, or the server breaks the protocol.
        case broken
        /// The receiver refused the answer.
        case refused
        case cancelled
    }

    /// The kind of failure.
    package let code: Code
    /// The URL and the reason.
    package let message: String
    /// The receiver's error, if ``code`` is `refused`.
    package let underlying: (any Error)?

    init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// The message.
    package var description: String { message }

    package static func == (one: Self, other: Self) -> Bool {
        one.code == other.code && one.message == other.message
    }
}
