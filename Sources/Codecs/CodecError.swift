// SPDX-License-Identifier: GPL-3.0-or-later

/// A file format that is not what it should be, or metadata that it cannot carry.
public struct CodecError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for callers that act on it.
    public enum Code: String, Sendable {
        /// The bytes are no JPEG picture.
        case notJPEG
        /// A JPEG picture without an end.
        case truncated
        /// There is no EXIF, or it cannot be read.
        case noMetadata
        /// Values that EXIF cannot hold.
        case unsupported
        /// No memory.
        case exhausted
    }

    public let code: Code
    /// The thing, the values that mattered and the reason, in one line.
    public let message: String
    public let underlying: (any Error)?

    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    public var description: String {
        underlying.map { "\(message): \($0)" } ?? message
    }
}
