// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc
internal import Synchronization

/// Who is at the other end of a Unix socket, as the kernel vouches for it (SO_PEERCRED, unix(7)).
public struct PeerCredentials: Sendable, Equatable {
    public let user: UInt32
    public let group: UInt32
    public let process: Int32
}

/// One end of a connection that carries lines of text.
///
/// One thread reads; any number write, a line at a time.
public final class LineConnection: Sendable {
    /// Longer lines end the connection.
    public static let longestLine = 1 << 20
    private let descriptor: OwnedDescriptor

    init(_ descriptor: consuming OwnedDescriptor) { self.descriptor = descriptor }

    /// Connects to a listener's path.
    public init(to path: String) throws(SystemCallError) {
        let descriptor = OwnedDescriptor(
            adopting: try systemCall("socket") {
                socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
            })
        let number = descriptor.number
        try systemCall("connect", path) { unsafe clinux_unix_connect(number, path) }
        self.descriptor = consume descriptor
    }

    public func peer() throws(SystemCallError) -> PeerCredentials {
        var (user, group, process): (UInt32, UInt32, Int32) = (0, 0, 0)
        try systemCall("getsockopt SO_PEERCRED") {
            unsafe clinux_peer(descriptor.number, &user, &group, &process)
        }
        return PeerCredentials(user: user, group: group, process: process)
    }

    /// Writes a line and its end. Lines of several writers do not mix as long as the socket takes each
    /// in one piece, which the caller's lock makes sure of.
    public func write(_ line: String) throws(SystemCallError) {
        var bytes = Array(line.utf8)
        bytes.append(0x0a)
        var sent = 0
        while sent < bytes.count {
            sent += try systemCall("send") {
                unsafe bytes.withUnsafeBytes { buffer in
                    let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[sent...])
                    return unsafe send(
                        descriptor.number, rest.baseAddress, rest.count, clinux_no_signal)
                }
            }
        }
    }

    /// Reads lines until the other end closes or `body` answers false.
    public func readLines(_ body: (String) -> Bool) throws(SystemCallError) {
        var pending: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let got = try systemCall("read") {
                unsafe chunk.withUnsafeMutableBytes { buffer in
                    unsafe read(descriptor.number, buffer.baseAddress, buffer.count)
                }
            }
            if got == 0 { return }
            pending += chunk[..<got]
            while let end = pending.firstIndex(of: 0x0a) {
                let line = String(decoding: pending[..<end], as: UTF8.self)
                pending.removeSubrange(...end)
                if !body(line) { return }
            }
            if pending.count > Self.longestLine {
                throw SystemCallError(call: "read", code: EMSGSIZE)
            }
        }
    }

    /// Ends the connection: a reader blocked on it returns.
    public func shutdown() { _ = Glibc.shutdown(descriptor.number, CInt(SHUT_RDWR)) }
}

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
