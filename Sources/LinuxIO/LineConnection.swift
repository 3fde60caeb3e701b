// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc

/// The identity of the process at the other end of a Unix socket when it connected or listened, as
/// the kernel vouches for it (SO_PEERCRED and SO_PEERGROUPS, unix(7)).
public struct PeerCredentials: Sendable, Equatable {
    /// The effective user id.
    public let user: UInt32
    /// The process id; 0 if the process is outside this process's PID namespace.
    public let process: Int32
    /// The group and the supplementary groups.
    public let groups: [UInt32]

    package init(user: UInt32, process: Int32, groups: [UInt32]) {
        self.user = user
        self.process = process
        self.groups = groups
    }

    /// Returns whether a ``process`` of a peer still exists.
    package static func isAlive(_ process: Int32) -> Bool {
        process > 0 && (kill(process, 0) == 0 || errno != ESRCH)
    }
}

/// One end of a connection that carries lines of text. One thread reads, through a ``LineReader``,
/// and one writes; both may be the same.
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

    /// Returns the identity of the other end; throws `ERANGE` if its user is in over 1024 groups.
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

    private static let mostGroups = 1024

    /// Makes ``write(_:passing:)`` throw `EAGAIN` if nothing is accepted so long (`SO_SNDTIMEO`).
    public func limitWriting(milliseconds: Int) throws(SystemCallError) {
        try systemCall("setsockopt SO_SNDTIMEO") {
            clinux_limit_sending(descriptor.number, Int64(milliseconds))
        }
    }

    /// Makes a ``LineReader`` throw `EAGAIN` if nothing arrives for this long; 0 means no limit.
    /// Corresponds to `SO_RCVTIMEO`.
    public func limitReading(milliseconds: Int) throws(SystemCallError) {
        try systemCall("setsockopt SO_RCVTIMEO") {
            clinux_limit_receiving(descriptor.number, Int64(milliseconds))
        }
    }

    /// Writes a line and its line feed, and sends open files, see ``LineReader/takeFiles()``.
    /// Blocks while the other end accepts nothing. Throws `E2BIG` for too many files.
    public func write(_ line: String, passing files: [PassedFile] = []) throws(SystemCallError) {
        var bytes = Array(line.utf8)
        bytes.append(0x0a)
        var sent = 0
        if !files.isEmpty {
            sent = try systemCall("sendmsg") {
                unsafe bytes.withUnsafeBytes { unsafe descriptor.send($0, files) }
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

    /// Stops reading: a blocked reader returns. Lines can still be written.
    public func shutdownReading() { _ = Glibc.shutdown(descriptor.number, CInt(SHUT_RD)) }

    /// Ends the connection: a blocked reader or writer returns.
    public func shutdown() { _ = Glibc.shutdown(descriptor.number, CInt(SHUT_RDWR)) }
}

/// A reader that splits the bytes received over a connection into lines. It blocks its thread.
public struct LineReader: ~Copyable {
    private let connection: LineConnection
    private let longestLine: Int
    private var chunk = [UInt8](repeating: 0, count: 65_536)
    private var pending: [UInt8] = []
    private var files: [PassedFile] = []
    /// The next line's position in `pending`, and the end of the part searched for its line feed.
    private var (start, searched) = (0, 0)

    /// Creates a reader; `longestLine` is in bytes, for a writer that is not trusted.
    public init(_ connection: LineConnection, longestLine: Int = .max) {
        self.connection = connection
        self.longestLine = longestLine
    }

    /// Returns the next line without its line feed; `nil` if the other end has closed. Throws
    /// `EMSGSIZE` if the line is too long; the connection is unusable then.
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

    /// Returns the files that came last with the lines so far, once.
    public mutating func takeFiles() -> [PassedFile] {
        defer { files = [] }
        return files
    }

    private mutating func receive() throws(SystemCallError) -> Int {
        var received: [PassedFile] = []
        let got = try systemCall("recvmsg") {
            unsafe chunk.withUnsafeMutableBytes { buffer in
                unsafe connection.descriptor.receive(into: buffer, &received)
            }
        }
        if !received.isEmpty { files = received }
        return got
    }
}

extension OwnedDescriptor {
    /// Sends bytes and open files over a socket; returns how many bytes, or -1.
    borrowing func send(_ bytes: UnsafeRawBufferPointer, _ files: [PassedFile]) -> Int {
        let numbers = files.map { $0.descriptor.number }
        return unsafe Int(
            clinux_send_files(
                number, bytes.baseAddress, UInt64(bytes.count), numbers, CInt(numbers.count)))
    }

    /// Receives bytes from a socket, and the files that come with them; returns how many bytes, or
    /// -1.
    borrowing func receive(
        into buffer: UnsafeMutableRawBufferPointer, _ files: inout [PassedFile]
    ) -> Int {
        var numbers = [CInt](repeating: -1, count: Int(clinux_most_files))
        var count: CInt = 0
        let got = unsafe Int(
            clinux_receive(
                number, buffer.baseAddress, UInt64(buffer.count), &numbers, &count))
        files = numbers[..<Int(count)].map { PassedFile(OwnedDescriptor(adopting: $0)) }
        return got
    }
}
