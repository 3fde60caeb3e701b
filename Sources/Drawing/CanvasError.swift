// SPDX-License-Identifier: GPL-3.0-or-later

/// The reason why a canvas could not be made or written.
public struct CanvasError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Sendable {
        /// There is no memory for a picture of this size, or the size is impossible.
        case cannotAllocate
        /// The PNG file is missing, or is no PNG.
        case cannotRead
        case cannotWrite
    }
    /// The kind of failure.
    public let code: Code
    /// The description of the failure, with the values that mattered.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
