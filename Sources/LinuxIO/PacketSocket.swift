// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc

/// One end of a pair of connected sockets that keep the bounds of what is sent (`SOCK_SEQPACKET`,
/// unix(7)). One thread sends and one receives; both may be the same.
public final class PacketSocket: Sendable {
    /// This end as it is passed to another process.
    public let passed: PassedFile

    /// Adopts an end that another process has passed; throws `EINVAL` if it is no such socket.
    public init(_ passed: PassedFile) throws(SystemCallError) {
        var (type, size) = (CInt(0), socklen_t(MemoryLayout<CInt>.size))
        let number = passed.descriptor.number
        try systemCall("getsockopt SO_TYPE") {
            unsafe getsockopt(number, SOL_SOCKET, SO_TYPE, &type, &size)
        }
        guard type == CInt(SOCK_SEQPACKET.rawValue) else {
            throw SystemCallError(call: "getsockopt SO_TYPE", code: EINVAL)
        }
        self.passed = passed
    }

    private init(adopting number: CInt) { passed = PassedFile(OwnedDescriptor(adopting: number)) }

    /// Connects two ends. Throws `EMFILE` or `ENFILE` when there are no descriptors.
    public static func pair() throws(SystemCallError) -> (PacketSocket, PacketSocket) {
        var ends: [CInt] = [-1, -1]
        try systemCall("socketpair") {
            unsafe socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue) | O_CLOEXEC, 0, &ends)
        }
        return (PacketSocket(adopting: ends[0]), PacketSocket(adopting: ends[1]))
    }

    /// Sends a packet of at least one byte, and an open file with it. Blocks while the other end
    /// has no room; throws `EPIPE` if it is closed.
    public func send(
        _ bytes: RawSpan, passing file: PassedFile? = nil
    ) throws(SystemCallError) {
        let number = passed.descriptor.number
        try systemCall("send") {
            unsafe bytes.withUnsafeBytes { buffer in
                guard let file else {
                    return unsafe Glibc.send(
                        number, buffer.baseAddress, buffer.count, clinux_no_signal)
                }
                return unsafe passed.descriptor.send(buffer, [file])
            }
        }
    }

    /// Receives a packet, and the file that comes with it. A longer one is cut off. Blocks until
    /// there is one.
    /// - Returns: Its length; 0 if the other end or ``shutdown()`` has ended the connection.
    public func receive(
        into buffer: UnsafeMutableRawBufferPointer, file: inout PassedFile?
    ) throws(SystemCallError) -> Int {
        var files: [PassedFile] = []
        let count = try systemCall("recvmsg") {
            unsafe passed.descriptor.receive(into: buffer, &files)
        }
        file = files.last
        return count
    }

    /// Ends the connection: a blocked sender or receiver returns.
    public func shutdown() { _ = Glibc.shutdown(passed.descriptor.number, CInt(SHUT_RDWR)) }
}

extension Poller {
    /// Watches a socket. Its end is always reported, as ``Readiness/hangup``.
    public borrowing func add(
        _ socket: PacketSocket, tag: UInt64, for interest: Readiness
    ) throws(SystemCallError) {
        try add(socket.passed.descriptor.number, tag: tag, for: interest)
    }
}
