// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import Testing

/// A stand-in for systemd that receives a service's messages (sd_notify(3)).
final class NotifySocket {
    private let descriptor: CInt
    private(set) var heard: [String] = []

    init(path: String) throws {
        descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        try #require(descriptor >= 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        try #require(path.utf8.count < 108)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) {
            unsafe $0.copyBytes(from: path.utf8)
        }
        let bound = unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
        // A service that sends nothing fails the test instead of hanging it.
        var limit = timeval(tv_sec: 300, tv_usec: 0)
        unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Waits until `message` has been received `count` times.
    func wait(for message: String, count: Int = 1) throws {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while heard.count(where: { $0 == message }) < count {
            let got = unsafe recv(descriptor, &buffer, buffer.count, 0)
            if got < 0 && errno == EINTR { continue }
            try #require(got > 0, "waited in vain for \(message), heard \(heard)")
            heard += String(decoding: buffer[..<got], as: UTF8.self).split(separator: "\n")
                .map(String.init)
        }
    }
}
