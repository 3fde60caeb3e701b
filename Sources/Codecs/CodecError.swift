// SPDX-License-Identifier: GPL-3.0-or-later

/// A file format that is not what it should be, metadata that it cannot carry, or a codec that does not work.
public struct CodecError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for callers that act on it.
    public enum Code: String, Sendable {
        /// The bytes are no JPEG picture.
        case notJPEG
        /// A JPEG picture without an end.
        case truncated
        /// There is no EXIF, or it cannot be read.
        case noMetadata
        /// Values that EXIF cannot hold, or that an encoder does not take.
        case unsupported
        /// No memory.
        case exhausted
        /// A library or an encoder that is not installed.
        case missing
        /// The library refused what it had agreed to.
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
