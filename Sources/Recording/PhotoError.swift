// SPDX-License-Identifier: GPL-3.0-or-later

/// The reason why a photo could not be taken.
public struct PhotoError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure, for callers that act on it.
    public enum Code: String, Sendable {
        /// No frames come: the session is stopped, or the camera is gone.
        case noFrames
        /// The chosen frame cannot be decoded.
        case damagedFrame
        case failed
        /// The claim was given up.
        case abandoned
    }
    /// The kind of failure.
    public let code: Code
    /// The failure and its reason, in one line.
    public let message: String
    /// The encoder's or the driver's error, if there is one.
    public let underlying: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// The message, with the underlying error if there is one.
    public var description: String { underlying.map { "\(message): \($0)" } ?? message }
}
