// SPDX-License-Identifier: GPL-3.0-or-later

/// The exit status of a command, with the numbers of sysexits.h.
public enum ExitStatus: Int32, Sendable, Codable {
    case usage = 64
    /// The asset or file does not exist.
    case noInput = 66
    /// The appliance is not running.
    case unavailable = 69
    case software = 70
    case io = 74
    /// Impossible for now: no camera, storage full, device busy.
    case temporary = 75
    case notPermitted = 77
    case configuration = 78
}

/// The reason why a command failed, and the next step.
public struct CommandError: Error, Sendable, Equatable, Codable, CustomStringConvertible {
    /// A stable code for programs, for example "camera.missing".
    public let code: String
    /// One line that names the thing, the call and the reason.
    public let message: String
    /// The next step for a person; may be empty.
    public let next: String
    /// The process's exit status, as ``ExitStatus`` numbers it.
    public let exitCode: Int32

    /// Creates an error.
    public init(_ code: String, _ message: String, next: String = "", exit: ExitStatus) {
        self.code = code
        self.message = message
        self.next = next
        exitCode = exit.rawValue
    }

    /// The message, with the next step on a second line if there is one.
    public var description: String { next.isEmpty ? message : "\(message)\n\(next)" }
}
