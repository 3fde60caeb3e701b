// SPDX-License-Identifier: GPL-3.0-or-later

/// Why a photo could not be taken.
public struct PhotoError: Error, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable {
        /// No frames come: the session is stopped, or the camera has gone.
        case noFrames
        /// The chosen frame cannot be turned into a picture.
        case damagedFrame
        /// Encoding failed.
        case failed
    }
    public let code: Code
    /// The thing and the reason, in one line.
    public let message: String
    public let underlying: (any Error)?

    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    public var description: String { underlying.map { "\(message): \($0)" } ?? message }
}
