// SPDX-License-Identifier: GPL-3.0-or-later

internal import CommandProtocol
internal import Glibc

/// Checks that the server answers each whole line of a client with one line, and keeps running.
func takeControlMessages(_ bytes: [UInt8]) {
    var said = talk(bytes)
    // The threads of earlier clients may still be running.
    while !said.hasPrefix("{\"protocol\"") && said.contains("appliance.crowded") {
        said = talk(bytes)
    }
    let answers = said.utf8.count { $0 == 0x0a }
    let lines = bytes.count { $0 == 0x0a }
    guard answers == 1 + lines else { fatalError("\(lines) lines and a greeting: \(said)") }
}

/// Sends all bytes, and returns what the server sent.
private func talk(_ bytes: [UInt8]) -> String {
    let client = connect(to: path)
    defer { close(client) }
    var sent = 0
    while sent < bytes.count {
        let number = unsafe bytes[sent...].withUnsafeBytes {
            unsafe send(client, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
        }
        // The fuzzer's own alarm interrupts the call.
        if number < 0 && errno == EINTR { continue }
        if number <= 0 { break }
        sent += number
    }
    shutdown(client, CInt(SHUT_WR))
    var said: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let number = unsafe read(client, &buffer, buffer.count)
        if number < 0 && errno == EINTR { continue }
        if number <= 0 { break }
        said += buffer[..<number]
    }
    return String(decoding: said, as: UTF8.self)
}

private let path = "/tmp/vitrine-fuzz-\(getpid()).sock"
private let server: ControlServer? = {
    let server = try? ControlServer(path: path, version: "fuzz")
    server?.start { request, _ in
        request.arguments
    }
    return server
}()

private func connect(to path: String) -> CInt {
    _ = server
    let client = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { bytes in
        unsafe bytes.copyBytes(from: path.utf8)
    }
    let connected = unsafe withUnsafePointer(to: address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            unsafe Glibc.connect(client, address, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
    precondition(connected == 0, "the server does not listen")
    return client
}
