// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// A process that has a file open. Only root sees those of other users (proc_pid_fd(5)).
public struct FileUser: Sendable, Equatable, CustomStringConvertible {
    /// The process id.
    public let identifier: Int32
    /// The process's name (proc_pid_comm(5)).
    public let name: String

    /// Creates a value from its parts.
    public init(identifier: Int32, name: String) {
        (self.identifier, self.name) = (identifier, name)
    }

    /// For example "PID 812 (cheese)".
    public var description: String { "PID \(identifier) (\(name))" }

    /// Returns all processes except this one that have the file open, in the order of their ids.
    /// Reads all of /proc, which takes milliseconds.
    public static func users(of path: String) -> [FileUser] {
        let own = getpid()
        let processes = ((try? FileTree.names(in: "/proc")) ?? []).compactMap { Int32($0) }
        return processes.sorted().compactMap { process in
            guard process != own, has(process, open: path) else { return nil }
            let name = (try? readSmallFile("/proc/\(process)/comm"))?.split(separator: "\n").first
            return FileUser(identifier: process, name: name.map(String.init) ?? "?")
        }
    }

    private static func has(_ process: Int32, open path: String) -> Bool {
        let folder = "/proc/\(process)/fd"
        let descriptors = (try? FileTree.names(in: folder)) ?? []
        return descriptors.contains { link("\(folder)/\($0)") == path }
    }

    private static func link(_ path: String) -> String? {
        let capacity = Int(PATH_MAX)
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { room in
            guard let start = unsafe room.baseAddress else { return nil }
            let length = unsafe readlink(path, start, capacity)
            guard length > 0 else { return nil }
            let bytes = unsafe room.prefix(length).map { UInt8(bitPattern: $0) }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}

extension [FileUser] {
    /// The end of a message about a busy file, for example ": in use by PID 812 (cheese)"; empty if
    /// there are no users.
    public var clause: String {
        isEmpty ? "" : ": in use by \(map(\.description).joined(separator: ", "))"
    }
}
