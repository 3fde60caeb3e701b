// SPDX-License-Identifier: GPL-3.0-or-later

/// The reason why there is no movie.
public struct MovieError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure, for callers that act on it.
    public enum Code: String, Sendable {
        /// No frames come: the session is stopped, or the camera is gone.
        case noFrames
        case alreadyRecording
        case closed
        /// No encoder exists, or none takes these pictures.
        case noEncoder
        /// The file could not be written.
        case storage
    }
    /// The kind of failure.
    public let code: Code
    /// The failure and its reason, in one line.
    public let message: String
    /// The encoder's or the kernel's error, if there is one.
    public let underlying: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    static var closed: MovieError { MovieError(.closed, "recording has ended") }

    /// The message, with the underlying error if there is one.
    public var description: String { underlying.map { "\(message): \($0)" } ?? message }
}
