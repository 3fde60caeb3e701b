// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc
internal import Synchronization

/// Accepts connections at a path. The path is removed when the listener ends.
public final class UnixListener: Sendable {
    public let path: String
    private let descriptor: OwnedDescriptor
    private let wake: WakeSignal
    private let isRemoved = Atomic<Bool>(false)

    /// Listens at `path` with `mode`. What is left there by a process that has ended is replaced.
    ///
    /// - Throws: `EADDRINUSE` when somebody is listening there.
    public init(path: String, mode: UInt32) throws(SystemCallError) {
        if (try? LineConnection(to: path)) != nil {
            throw SystemCallError(call: "bind", code: EADDRINUSE, path: path)
        }
        _ = unsafe unlink(path)
        let descriptor = OwnedDescriptor(
            adopting: try systemCall("socket") {
                socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0)
            })
        let number = descriptor.number
        // Nobody gets in between bind and chmod: the umask makes it ours alone at first.
        let earlier = umask(0o177)
        defer { umask(earlier) }
        try systemCall("bind", path) { unsafe clinux_unix_bind(number, path) }
        try systemCall("chmod", path) { unsafe chmod(path, mode) }
        try systemCall("listen", path) { listen(number, 16) }
        self.path = path
        wake = try WakeSignal()
        self.descriptor = consume descriptor
    }

    deinit { removePath() }

    /// Once: afterwards the path may be another listener's.
    private func removePath() {
        if !isRemoved.exchange(true, ordering: .relaxed) { _ = unsafe unlink(path) }
    }

    /// Hands each connection to `body` until ``stop()``.
    public func run(_ body: (LineConnection) -> Void) throws(SystemCallError) {
        let poller = try Poller()
        try poller.add(wake, tag: 0)
        try poller.add(descriptor.number, tag: 1)
        while let event = poller.wait(), event.tag == 1 {
            let number = clinux_accept(descriptor.number)
            if number >= 0 { body(LineConnection(OwnedDescriptor(adopting: number))) }
        }
    }

    /// Ends `run` and removes the path: nobody connects any more.
    public func stop() {
        removePath()
        wake.signal()
    }
}
