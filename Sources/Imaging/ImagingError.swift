// SPDX-License-Identifier: GPL-3.0-or-later

/// An operation on a picture that failed, or data that is not a picture.
public struct ImagingError: Error, Sendable, CustomStringConvertible {
    /// The kind of error, for callers that act on it.
    public enum Code: String, Sendable {
        /// No conversion exists between these formats, colours or sizes.
        case unsupported
        /// The sizes of source and destination do not match.
        case mismatched
        /// A plane does not fit its memory, or a rectangle lies outside its picture.
        case outOfBounds
        case notJPEG
        /// The JPEG picture ends too early.
        case truncated
        /// Out of memory.
        case exhausted
        /// A library call failed.
        case failed
    }

    /// The kind of error.
    public let code: Code
    /// One line that names the thing, the values that mattered and the reason.
    public let message: String
    /// The library's own error, if there is one.
    public let underlying: (any Error)?

    /// Creates an error with a one-line message.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// The message, followed by the underlying error.
    public var description: String {
        underlying.map { "\(message): \($0)" } ?? message
    }
}
