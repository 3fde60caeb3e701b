// SPDX-License-Identifier: GPL-3.0-or-later

/// How a command ended, as sysexits.h numbers it.
public enum ExitStatus: Int32, Sendable, Codable {
    case usage = 64
    /// No such asset or file.
    case noInput = 66
    /// The appliance is not running.
    case unavailable = 69
    case software = 70
    case io = 74
    /// Impossible now: no camera, full, busy.
    case temporary = 75
    case notPermitted = 77
    case configuration = 78
}

/// Why a command failed, and what to do next.
public struct CommandError: Error, Sendable, Equatable, Codable, CustomStringConvertible {
    /// A stable word for programs, for example "camera.missing".
    public let code: String
    /// One line: the thing, the call, the reason.
    public let message: String
    /// The next step for a person; may be empty.
    public let next: String
    /// The process's exit status, as ``ExitStatus`` numbers it.
    public let exitCode: Int32

    /// Of the given parts; nothing is checked.
    public init(_ code: String, _ message: String, next: String = "", exit: ExitStatus) {
        self.code = code
        self.message = message
        self.next = next
        exitCode = exit.rawValue
    }

    /// The message; where there is a next step, that on a second line.
    public var description: String { next.isEmpty ? message : "\(message)\n\(next)" }
}
