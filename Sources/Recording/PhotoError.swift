// SPDX-License-Identifier: GPL-3.0-or-later

/// Why a photo could not be taken.
public struct PhotoError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for callers that act on it.
    public enum Code: String, Sendable {
        /// No frames come: the session is stopped, or the camera has gone.
        case noFrames
        /// The chosen frame cannot be turned into a picture.
        case damagedFrame
        /// Encoding failed.
        case failed
        /// The claim was given up.
        case abandoned
    }
    /// What went wrong.
    public let code: Code
    /// The thing and the reason, in one line.
    public let message: String
    /// The encoder's or the driver's error, where there is one.
    public let underlying: (any Error)?

    /// The message names the thing and the reason, in one line.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// The message and what is underneath.
    public var description: String { underlying.map { "\(message): \($0)" } ?? message }
}
