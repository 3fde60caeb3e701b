// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxIO

/// Why a camera or a session cannot do something.
public struct CaptureError: Error, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable {
        /// No camera matches.
        case noDevice
        /// Another program is using the camera.
        case busy
        case notPermitted
        case unsupported
        /// The camera was unplugged.
        case disconnected
        /// No frames come although the camera is there.
        case stalled
        /// The driver refused or failed.
        case failed
        /// An input or output cannot be part of the session.
        case invalidConfiguration
    }
    public let code: Code
    /// The thing, the call and the reason, in one line.
    public let message: String
    public let underlying: (any Error)?

    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// A refused system call on the camera called `name`.
    public init(_ name: String, _ error: SystemCallError) {
        let code: Code =
            if error.isGone { .disconnected } else if error.isPermission { .notPermitted } else {
                error.isBusy ? .busy : .failed
            }
        self.init(code, "camera \"\(name)\"", underlying: error)
    }

    public var description: String { underlying.map { "\(message): \($0)" } ?? message }
}
