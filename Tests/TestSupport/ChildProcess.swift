// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import LinuxIO
import Synchronization

/// A running program, started with no signal blocked or ignored.
///
/// Foundation's `Process` detects the end of a program by a socket, which programs started at the
/// same moment inherit. If two of them wait for each other's end, neither end is detected.
public final class ChildProcess: Sendable {
    /// The process id.
    public let identifier: Int32
    private let ended = Mutex<Int32?>(nil)

    /// Starts the program with empty input.
    ///
    /// - Parameters:
    ///   - path: The program.
    ///   - environment: The environment; `nil` for the test's own.
    ///   - output: The file that its standard output replaces; `nil` for the test's own output.
    ///   - errors: The file that its standard error replaces; `nil` for the test's own.
    public init(
        _ path: String, _ arguments: [String], environment: [String: String]? = nil,
        output: String? = nil, errors: String? = nil
    ) throws {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        for (number, file) in [(CInt(1), output), (2, errors)] {
            guard let file else { continue }
            unsafe posix_spawn_file_actions_addopen(
                &actions, number, file, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        }

        var attributes = unsafe posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var (none, all) = unsafe (sigset_t(), sigset_t())
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var process: pid_t = 0
        let code = unsafe withStrings([path] + arguments) { words in
            guard let environment else {
                return unsafe posix_spawn(&process, path, &actions, &attributes, words, environ)
            }
            return unsafe withStrings(environment.map { "\($0)=\($1)" }) { variables in
                unsafe posix_spawn(&process, path, &actions, &attributes, words, variables)
            }
        }
        if code != 0 { throw SystemCallError(call: "posix_spawn", code: code, path: path) }
        identifier = process
    }

    /// Whether the program is still running.
    public var isRunning: Bool { status(WNOHANG) == nil }

    /// Sends SIGTERM.
    public func terminate() { signal(SIGTERM) }

    /// Sends SIGKILL.
    ///
    /// - Returns: whether the program was still running.
    @discardableResult
    public func kill() -> Bool {
        let wasRunning = isRunning
        signal(SIGKILL)
        return wasRunning
    }

    private func signal(_ number: CInt) {
        // After its end the process id may belong to another process.
        ended.withLock { if $0 == nil { _ = Glibc.kill(identifier, number) } }
    }

    /// Waits for the program to end.
    ///
    /// - Returns: the exit status, or the number of the signal that ended it.
    @discardableResult
    public func wait() -> Int32 {
        while true {
            if let status = status(0) { return status }
        }
    }

    private func status(_ options: CInt) -> Int32? {
        // `WNOWAIT` leaves the status to the `waitpid` under the lock: only one thread may collect
        // it, and no thread waits while it holds the lock.
        var information = unsafe siginfo_t()
        if ended.withLock({ $0 }) == nil {
            _ = unsafe waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT | options)
        }
        return ended.withLock { ended in
            if let ended { return ended }
            var status: CInt = 0
            guard unsafe waitpid(identifier, &status, WNOHANG) == identifier else { return nil }
            let signal = status & 0x7f
            ended = signal == 0 ? status >> 8 & 0xff : signal
            return ended
        }
    }
}

/// Runs `body` with C strings, followed by `NULL`.
private func withStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
    let copies = unsafe strings.map { unsafe strdup($0) }
    defer { unsafe copies.forEach { unsafe free($0) } }
    return unsafe body(copies + [nil])
}
