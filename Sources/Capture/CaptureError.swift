// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
public import LinuxIO

/// Why a camera or a session cannot do something.
public struct CaptureError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure. `notPermitted`: rights are missing. `unsupported`: the camera, the
    /// display or an output cannot do what is asked of it.
    public enum Code: String, Sendable {
        /// No camera matches.
        case noDevice
        /// Another program is using the camera.
        case busy
        case notPermitted
        case unsupported
        /// The camera was unplugged.
        case disconnected
        /// Nothing is plugged into it that sends pictures which it understands.
        case noSignal
        /// No good frames come although the camera is there.
        case stalled
        /// The driver refused or failed.
        case failed
        /// An input or output cannot be part of the session.
        case invalidConfiguration
    }
    /// What a caller decides by; ``message`` is for a person.
    public let code: Code
    /// The thing, and the reason where ``underlying`` does not tell it, in one line.
    public let message: String
    /// What was thrown below, for example a `SystemCallError`; `nil` when nothing was.
    public let underlying: (any Error)?

    /// Of the given parts; nothing is checked.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// A refused system call on the camera called `name`.
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

    /// Who else has the camera that is ``Code/busy``, as far as this process may see: root, or the same user. Looks through
    /// all processes.
    public var holders: [FileUser] {
        guard code == .busy, let refusal = underlying as? SystemCallError else { return [] }
        return FileUser.users(of: refusal.path)
    }

    /// The message; where something was thrown below, that after a colon.
    public var description: String { underlying.map { "\(message): \($0)" } ?? message }
}
