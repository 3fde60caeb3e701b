// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc
internal import Synchronization

/// A Unix socket that accepts connections at a path. The path is removed when the listener ends.
public final class UnixListener: Sendable {
    private static let pauseMilliseconds: Int32 = 100

    /// The path of the socket.
    public let path: String
    private let descriptor: OwnedDescriptor
    private let wake: WakeSignal
    /// Wakes for connections and for ``stop()``.
    private let poller: Poller
    /// Wakes only for ``stop()``.
    private let pause: Poller
    private let isRemoved = Atomic<Bool>(false)

    /// Listens at `path` with `mode`. Replaces a socket that an ended process left behind. Throws
    /// `EADDRINUSE` if another process listens there, `ENOTSOCK` if `path` is no socket.
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
        // bind(2) gives the file the socket's mode without the bits of the umask, so chmod(2) sets
        // it again. The umask belongs to the whole process and is not changed. No client can
        // connect before listen(2).
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

    /// Removes the path once: later it may belong to another listener.
    private func removePath() {
        if !isRemoved.exchange(true, ordering: .relaxed) { _ = unsafe unlink(path) }
    }

    /// Hands connections to `body` until ``stop()``; they wait while there are no descriptors.
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

    /// Ends `run` and removes the path, so that no client can connect.
    public func stop() {
        removePath()
        wake.signal()
    }
}
