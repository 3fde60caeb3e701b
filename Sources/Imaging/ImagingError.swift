// SPDX-License-Identifier: GPL-3.0-or-later

/// Something that cannot be done to a picture, or a picture that is not one.
public struct ImagingError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for callers that act on it.
    public enum Code: String, Sendable {
        /// No conversion between these formats, colours or sizes.
        case unsupported
        /// Source and destination do not have the sizes that belong together.
        case mismatched
        /// Planes that do not fit their memory, or rectangles outside their picture.
        case outOfBounds
        /// The bytes are no JPEG picture.
        case notJPEG
        /// A JPEG picture that ends too early.
        case truncated
        /// No memory.
        case exhausted
        /// A library refused for a reason of its own.
        case failed
    }

    /// What went wrong.
    public let code: Code
    /// The thing, the values that mattered and the reason, in one line.
    public let message: String
    /// The library's own error, where there is one.
    public let underlying: (any Error)?

    /// The message names the thing and the reason, in one line.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// The message and what is underneath.
    public var description: String {
        underlying.map { "\(message): \($0)" } ?? message
    }
}
