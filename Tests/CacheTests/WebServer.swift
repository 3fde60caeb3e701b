// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import LinuxIO
import Synchronization

/// A server of HTTP/1.1 on the loopback that answers as a test says, one request per connection.
final class WebServer: Sendable {
    struct Request: Sendable {
        let path: String
        private let headers: [String: String]

        init(_ text: String) {
            let lines = text.split(separator: "\r\n").map(String.init)
            path = String(lines.first?.split(separator: " ").dropFirst().first ?? "")
            var headers: [String: String] = [:]
            for line in lines.dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
                if parts.count == 2 {
                    headers[parts[0].lowercased()] = String(parts[1].dropFirst())
                }
            }
            self.headers = headers
        }

        subscript(name: String) -> String? { headers[name.lowercased()] }
    }

    struct Answer: Sendable {
        var status = 200
        var headers: [String] = []
        var body: [UInt8] = []
        /// The bytes of the body after which the connection ends.
        var breaksAfter: Int?
        /// Called before the body is sent.
        var beforeBody: @Sendable () -> Void = {}
        /// Whether the headers say how long the body is.
        var saysLength = true
    }

    let port: Int
    private let listener: OwnedDescriptor
    private let answer: @Sendable (Request) -> Answer
    private let log = Mutex<[Request]>([])

    init(_ answer: @escaping @Sendable (Request) -> Answer) throws {
        listener = OwnedDescriptor(
            adopting: try systemCall("socket") {
                socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            })
        let number = listener.number
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        try systemCall("bind") {
            unsafe withUnsafePointer(to: &address) {
                unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(number, $0, length)
                }
            }
        }
        try systemCall("listen") { listen(number, 512) }
        try systemCall("getsockname") {
            unsafe withUnsafeMutablePointer(to: &address) {
                unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe getsockname(number, $0, &length)
                }
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        self.answer = answer
        _ = NamedThread("web-server") { [weak self] in
            while true {
                let client = unsafe accept(number, nil, nil)
                // shutdown(2) of the listener ends the wait.
                guard client >= 0 else { return }
                guard let server = self else { return }
                _ = NamedThread("web-client") { server.serve(OwnedDescriptor(adopting: client)) }
            }
        }
    }

    deinit { shutdown(listener.number, Int32(SHUT_RDWR)) }

    /// The requests so far.
    var requests: [Request] { log.withLock { $0 } }

    func url(_ path: String = "/picture") -> String { "http://127.0.0.1:\(port)\(path)" }

    private func serve(_ client: consuming OwnedDescriptor) {
        var text = ""
        while !text.hasSuffix("\r\n\r\n") {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = unsafe read(client.number, &buffer, buffer.count)
            if count <= 0 { return }
            text += String(decoding: buffer[..<count], as: UTF8.self)
        }
        let request = Request(text)
        log.withLock { $0.append(request) }
        let answer = answer(request)
        var head = ["HTTP/1.1 \(answer.status) Status", "Connection: close"] + answer.headers
        if answer.saysLength { head.append("Content-Length: \(answer.body.count)") }
        guard send(Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8), client.number) else {
            return
        }
        answer.beforeBody()
        let body = answer.body.prefix(answer.breaksAfter ?? .max)
        if [204, 304].contains(answer.status) { return }
        _ = send(Array(body), client.number)
        if answer.breaksAfter != nil {
            // Lets the bytes arrive before the reset.
            shutdown(client.number, Int32(SHUT_WR))
        }
    }

    private func send(_ bytes: [UInt8], _ number: CInt) -> Bool {
        var done = 0
        while done < bytes.count {
            let rest = Array(bytes[done...])
            let count = unsafe Glibc.send(number, rest, rest.count, Int32(MSG_NOSIGNAL))
            if count <= 0 { return false }
            done += count
        }
        return true
    }
}
