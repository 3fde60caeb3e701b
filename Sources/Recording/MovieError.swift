// SPDX-License-Identifier: GPL-3.0-or-later

/// Why there is no movie.
public struct MovieError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for callers that act on it.
    public enum Code: String, Sendable {
        /// No frames come: the session is stopped, or the camera has gone.
        case noFrames
        /// One is being recorded already.
        case alreadyRecording
        /// Nothing can be recorded any more.
        case closed
        /// There is no encoder, or it does not take these pictures.
        case noEncoder
        /// The file could not be written.
        case storage
    }
    /// What went wrong.
    public let code: Code
    /// The thing and the reason, in one line.
    public let message: String
    /// The encoder's or the kernel's error, where there is one.
    public let underlying: (any Error)?

    /// The message names the thing and the reason, in one line.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// Of an output that has been closed.
    static var closed: MovieError { MovieError(.closed, "nothing is recorded any more") }

    /// The message and what is underneath.
    public var description: String { underlying.map { "\(message): \($0)" } ?? message }
}
