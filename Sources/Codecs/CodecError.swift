// SPDX-License-Identifier: GPL-3.0-or-later

/// An error in a media file, in the metadata to write, or in a codec library.
public struct CodecError: Error, Sendable, CustomStringConvertible {
    /// The kind of error, for callers that act on it.
    public enum Code: String, Sendable {
        case notJPEG
        /// The JPEG data ends or breaks off before the EOI marker.
        case truncated
        /// The file has no EXIF, or its EXIF has no date.
        case noMetadata
        /// The file format or the encoder does not accept the values.
        case unsupported
        /// Out of memory.
        case exhausted
        /// A library or an encoder is not installed.
        case missing
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
