// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
public import LinuxIO

/// The reason why a camera or a session failed.
public struct CaptureError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure. `notPermitted`: rights are missing. `unsupported`: the camera, the
    /// display or an output cannot do what is asked.
    public enum Code: String, Sendable {
        /// No camera matches.
        case noDevice
        /// Another program is using the camera.
        case busy
        case notPermitted
        case unsupported
        /// The camera was unplugged.
        case disconnected
        /// The camera's source is missing, or sends no signal that the camera understands.
        case noSignal
        /// The camera is there but delivers no good frames.
        case stalled
        /// The driver refused or failed.
        case failed
        /// An input or output cannot be part of the session.
        case invalidConfiguration
    }
    /// The code that a caller decides by; ``message`` is for a person.
    public let code: Code
    /// One line that names the device, and the reason unless ``underlying`` tells it.
    public let message: String
    /// The cause, for example a `SystemCallError`; `nil` if there is none.
    public let underlying: (any Error)?

    /// Creates an error from its parts; nothing is checked.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// Creates an error for a failed system call on the camera called `name`.
    public init(_ name: String, _ error: SystemCallError) {
        let code: Code =
            switch error {
            case _ where error.isGone: .disconnected
            case _ where error.isPermission: .notPermitted
            case _ where error.isBusy: .busy
            case _ where error.code == ETIMEDOUT: .stalled
            default: .failed
            }
        self.init(code, "camera \"\(name)\"", underlying: error)
    }

    /// The other programs that use a ``Code/busy`` camera. Root sees all of them, another user only
    /// its own. Reads all of /proc.
    public var holders: [FileUser] {
        guard code == .busy, let refusal = underlying as? SystemCallError else { return [] }
        return FileUser.users(of: refusal.path)
    }

    /// The message, followed by a colon and the underlying error if there is one.
    public var description: String { underlying.map { "\(message): \($0)" } ?? message }
}
