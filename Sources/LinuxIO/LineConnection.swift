// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc

/// Who is at the other end of a Unix socket, as the kernel vouches for it (SO_PEERCRED and SO_PEERGROUPS,
/// unix(7)): as of its connecting or listening.
public struct PeerCredentials: Sendable, Equatable {
    /// The effective user id.
    public let user: UInt32
    /// The process id; 0 for one that this process's PID namespace does not have.
    public let process: Int32
    /// The group and the supplementary groups.
    public let groups: [UInt32]

    package init(user: UInt32, process: Int32, groups: [UInt32]) {
        self.user = user
        self.process = process
        self.groups = groups
    }
}

/// One end of a connection that carries lines of text.
///
/// One thread reads, by a ``LineReader``, and one writes; they may be the same.
public final class LineConnection: Sendable {
    fileprivate let descriptor: OwnedDescriptor

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

    /// Who is at the other end. Throws `ERANGE` for somebody in more than 1024 groups.
    public func peer() throws(SystemCallError) -> PeerCredentials {
        var (user, group, process): (UInt32, UInt32, Int32) = (0, 0, 0)
        try systemCall("getsockopt SO_PEERCRED") {
            unsafe clinux_peer(descriptor.number, &user, &group, &process)
        }
        var groups = [UInt32](repeating: 0, count: Self.mostGroups)
        let count = try systemCall("getsockopt SO_PEERGROUPS") {
            unsafe groups.withUnsafeMutableBufferPointer { buffer in
                unsafe clinux_peer_groups(
                    descriptor.number, buffer.baseAddress, CInt(buffer.count))
            }
        }
        return PeerCredentials(
            user: user, process: process, groups: [group] + groups.prefix(Int(count)))
    }

    /// More than anybody is in.
    private static let mostGroups = 1024

    /// From now on ``write(_:)`` throws `EAGAIN` when the other end takes nothing for so long.
    /// Corresponds to `SO_SNDTIMEO`.
    public func limitWriting(milliseconds: Int) throws(SystemCallError) {
        try systemCall("setsockopt SO_SNDTIMEO") {
            clinux_limit_sending(descriptor.number, Int64(milliseconds))
        }
    }

    /// From now on a ``LineReader`` throws `EAGAIN` when nothing comes for so long; 0 waits for ever.
    /// Corresponds to `SO_RCVTIMEO`.
    public func limitReading(milliseconds: Int) throws(SystemCallError) {
        try systemCall("setsockopt SO_RCVTIMEO") {
            clinux_limit_receiving(descriptor.number, Int64(milliseconds))
        }
    }

    /// Writes a line and its end; blocks while the other end takes nothing.
    ///
    /// - Parameter file: Handed over with it, see ``LineReader/takeFile()``.
    public func write(_ line: String, passing file: PassedFile? = nil) throws(SystemCallError) {
        var bytes = Array(line.utf8)
        bytes.append(0x0a)
        var sent = 0
        if let file {
            sent = try systemCall("sendmsg") {
                unsafe bytes.withUnsafeBytes { buffer in
                    unsafe Int(
                        clinux_send_file(
                            descriptor.number, buffer.baseAddress, UInt64(buffer.count),
                            file.descriptor.number))
                }
            }
        }
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

    /// Reads no more: a reader blocked on it returns. Lines can still be written.
    public func shutdownReading() { _ = Glibc.shutdown(descriptor.number, CInt(SHUT_RD)) }

    /// Ends the connection: a reader or writer blocked on it returns.
    public func shutdown() { _ = Glibc.shutdown(descriptor.number, CInt(SHUT_RDWR)) }
}

/// Takes what comes over a connection apart into lines. Blocks its thread.
public struct LineReader: ~Copyable {
    private let connection: LineConnection
    private let longestLine: Int
    private var chunk = [UInt8](repeating: 0, count: 65_536)
    private var pending: [UInt8] = []
    private var file: PassedFile?
    /// Where the next line begins in `pending`, and up to where its end has been looked for.
    private var (start, searched) = (0, 0)

    /// - Parameter longestLine: bytes; for a reader that does not trust the writer.
    public init(_ connection: LineConnection, longestLine: Int = .max) {
        self.connection = connection
        self.longestLine = longestLine
    }

    /// The next line without its end; `nil` when the other end has closed.
    ///
    /// - Throws: `EMSGSIZE` for a line that is too long; the connection is of no use then.
    public mutating func next() throws(SystemCallError) -> String? {
        while true {
            let end = pending[searched...].firstIndex(of: 0x0a)
            searched = end ?? pending.count
            if searched - start > longestLine {
                throw SystemCallError(call: "read", code: EMSGSIZE)
            }
            if let end {
                let line = String(decoding: pending[start..<end], as: UTF8.self)
                (start, searched) = (end + 1, end + 1)
                return line
            }
            pending.removeSubrange(..<start)
            (start, searched) = (0, pending.count)
            let got = try receive()
            if got == 0 { return nil }
            pending += chunk[..<got]
        }
    }

    /// The file that came with the lines so far, the last of several; once.
    public mutating func takeFile() -> PassedFile? { file.take() }

    private mutating func receive() throws(SystemCallError) -> Int {
        var number: CInt = -1
        let got = try systemCall("recvmsg") {
            unsafe chunk.withUnsafeMutableBytes { buffer in
                unsafe Int(
                    clinux_receive(
                        connection.descriptor.number, buffer.baseAddress, UInt64(buffer.count),
                        &number))
            }
        }
        if number >= 0 { file = PassedFile(OwnedDescriptor(adopting: number)) }
        return got
    }
}
