// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
public import LinuxIO

/// The path of the control socket: the first usable one of a list that both sides share.
public enum SocketPath {
    /// Anybody could create this directory before us, so it must be ours and closed to others.
    package static var lastResort: String { "/tmp/vitrine-\(getuid())" }

    /// Returns the paths to try, in order.
    public static func candidates(
        option: String?, environment: [String: String]
    ) -> [String] {
        // A path that the user names is the only candidate.
        if let option { return [option] }
        if let named = environment["VITRINE_SOCKET"], !named.isEmpty { return [named] }
        var paths: [String] = []
        if let runtime = environment["RUNTIME_DIRECTORY"], !runtime.isEmpty {
            paths.append("\(runtime)/control.sock")
        }
        paths.append("/run/vitrine/control.sock")
        if let session = environment["XDG_RUNTIME_DIR"], !session.isEmpty {
            paths.append("\(session)/vitrine/control.sock")
        }
        paths.append("\(lastResort)/control.sock")
        return paths
    }

    /// Returns the first path where a server can listen, and creates its directory if only that is
    /// missing. Throws the last candidate's error if none is usable.
    public static func forServer(_ candidates: [String]) throws(SystemCallError) -> String {
        var refusal = SystemCallError(call: "bind", code: ENOENT)
        for path in candidates {
            do throws(SystemCallError) {
                try prepareDirectory(of: path)
                return path
            } catch {
                refusal = error
            }
        }
        throw refusal
    }

    /// Creates the directory with mode 0700, and refuses one that somebody else may have planted.
    private static func prepareDirectory(of path: String) throws(SystemCallError) {
        let directory = PathName(path).parent
        if directory == "." || directory == "/" { return }
        if unsafe mkdir(directory, 0o700) != 0 && errno != EEXIST {
            throw SystemCallError(call: "mkdir", code: errno, path: directory)
        }
        try refuseForeign(directory)
        try systemCall("access", directory) { unsafe access(directory, W_OK) }
    }

    /// Refuses a socket in /tmp that somebody else may have planted; trusts any other path.
    static func refuseForeignSocket(_ path: String) throws(SystemCallError) {
        try refuseForeign(PathName(path).parent)
    }

    private static func refuseForeign(_ directory: String) throws(SystemCallError) {
        guard directory == lastResort else { return }
        var status = stat()
        try systemCall("lstat", directory) { unsafe lstat(directory, &status) }
        let isOurs = status.st_uid == getuid() || status.st_uid == 0
        if !isOurs || status.st_mode & 0o077 != 0 {
            throw SystemCallError(call: "lstat", code: EPERM, path: directory)
        }
    }

    static func owner(of path: String) throws(SystemCallError) -> UInt32 {
        try status(of: path).st_uid
    }

    static func group(of path: String) throws(SystemCallError) -> UInt32 {
        try status(of: path).st_gid
    }

    private static func status(of path: String) throws(SystemCallError) -> stat {
        var status = stat()
        try systemCall("lstat", path) { unsafe lstat(path, &status) }
        return status
    }
}
