// SPDX-License-Identifier: GPL-3.0-or-later

/// A GET request.
package struct HTTPRequest: Sendable {
    /// An absolute URL of `http` or `https`.
    package var url: String
    /// The request's own headers. Their names and values have no line breaks.
    package var headers: [(name: String, value: String)] = []
    /// Whether the server may compress the body, which arrives decompressed. A part of a body must
    /// not be compressed.
    package var allowsEncoding = true

    package init(_ url: String) { self.url = url }
}

/// The status and the headers of the last answer, after all redirects.
package struct HTTPResponse: Sendable {
    /// The status, such as 200.
    package internal(set) var status = 0
    /// The URL after all redirects; empty for an answer without a body.
    package internal(set) var url = ""
    private var headers: [String: String] = [:]

    init() {}

    /// Creates an answer from a status line and lines of headers.
    package init(lines: [String]) { for line in lines { take(line) } }

    /// Returns a header's value. Values of several headers of this name are joined by commas.
    package subscript(name: String) -> String? { headers[name.lowercased()] }

    /// The body's length in bytes, as the server sends it; `nil` if the server does not say it.
    package var contentLength: Int? { self["Content-Length"].flatMap { Int($0) } }

    /// Takes a line of the headers. A status line begins another response.
    mutating func take(_ line: String) {
        if line.hasPrefix("HTTP/") {
            let words = line.split(separator: " ", maxSplits: 2)
            self = HTTPResponse()
            status = words.count > 1 ? Int(words[1]) ?? 0 : 0
            return
        }
        guard let colon = line.firstIndex(of: ":") else { return }
        let name = line[..<colon].lowercased()
        let value = String(line[line.index(after: colon)...].trimmingSpaces)
        headers[name] = headers[name].map { "\($0), \(value)" } ?? value
    }
}

/// Takes an answer, piece by piece, on the client's thread. It may write files, but must not wait
/// for others.
package protocol HTTPReceiver: Sendable {
    /// Takes the status and the headers, before the body. Not called for an answer without a body.
    func begin(_ response: HTTPResponse) throws
    /// Takes the next bytes of the body.
    func take(_ bytes: [UInt8]) throws
}

extension Substring {
    /// The text without spaces, tabs and line breaks at its ends.
    package var trimmingSpaces: Substring {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0.isNewline }
        var rest = drop(while: isSpace)
        while rest.last.map(isSpace) ?? false { rest.removeLast() }
        return rest
    }
}
