// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc
internal import Synchronization

/// Accepts connections at a path. The path is removed when the listener ends.
public final class UnixListener: Sendable {
    private static let pauseMilliseconds: Int32 = 100

    /// The socket's, as it was given.
    public let path: String
    private let descriptor: OwnedDescriptor
    private let wake: WakeSignal
    /// Wakes for connections and for the end.
    private let poller: Poller
    /// Wakes for the end only.
    private let pause: Poller
    private let isRemoved = Atomic<Bool>(false)

    /// Listens at `path` with `mode`. A socket left there by a process that has ended is replaced.
    ///
    /// - Throws: `EADDRINUSE` when somebody is listening there, `ENOTSOCK` when something else than a
    ///   socket is there.
    public init(path: String, mode: UInt32) throws(SystemCallError) {
        if (try? LineConnection(to: path)) != nil {
            throw SystemCallError(call: "bind", code: EADDRINUSE, path: path)
        }
        try Self.removeSocket(path)
        let descriptor = OwnedDescriptor(
            adopting: try systemCall("socket") {
                socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0)
            })
        let number = descriptor.number
        // bind(2) gives the file the socket's own mode without the umask's bits; the umask is the
        // process's, so that a thread leaves it alone. Nobody can connect before listen(2).
        try systemCall("fchmod", path) { fchmod(number, mode) }
        try systemCall("bind", path) { unsafe clinux_unix_bind(number, path) }
        try systemCall("chmod", path) { unsafe chmod(path, mode) }
        try systemCall("listen", path) { listen(number, 16) }
        self.path = path
        wake = try WakeSignal()
        poller = try Poller()
        pause = try Poller.watching(wake)
        try poller.add(wake, tag: 0)
        try poller.add(number, tag: 1)
        self.descriptor = consume descriptor
    }

    private static func removeSocket(_ path: String) throws(SystemCallError) {
        var status = stat()
        do {
            try systemCall("lstat", path) { unsafe lstat(path, &status) }
        } catch {
            if error.code == ENOENT { return }
            throw error
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw SystemCallError(call: "bind", code: ENOTSOCK, path: path)
        }
        try systemCall("unlink", path) { unsafe unlink(path) }
    }

    deinit { removePath() }

    /// Once: afterwards the path may be another listener's.
    private func removePath() {
        if !isRemoved.exchange(true, ordering: .relaxed) { _ = unsafe unlink(path) }
    }

    /// Hands each connection to `body` until ``stop()``. What cannot be accepted now, because the
    /// process or the machine is out of descriptors, waits and is tried again.
    public func run(_ body: (LineConnection) -> Void) {
        while let event = poller.wait(), event.tag == 1 {
            let number = clinux_accept(descriptor.number)
            if number >= 0 {
                body(LineConnection(OwnedDescriptor(adopting: number)))
            } else if ![EAGAIN, ECONNABORTED, EINTR].contains(errno) {
                if pause.wait(milliseconds: Self.pauseMilliseconds) != nil { return }
            }
        }
    }

    /// Ends `run` and removes the path: nobody connects any more.
    public func stop() {
        removePath()
        wake.signal()
    }
}
