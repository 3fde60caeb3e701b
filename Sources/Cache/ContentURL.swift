// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Hashing

/// An absolute URL of `http` or `https`, normalized after RFC 3986, section 6.2: lower-case scheme
/// and host, no default port, no dot segments, no fragment, percent-encoding in upper case and only
/// where it is needed. Two URLs that differ otherwise are two URLs.
package struct ContentURL: Hashable, Sendable, CustomStringConvertible {
    /// The normalized URL.
    package let text: String

    /// Returns `nil` if the text is no such URL.
    package init?(_ text: String) {
        guard var parts = URLComponents(string: text),
            let scheme = parts.scheme?.lowercased(), ["http", "https"].contains(scheme),
            let host = parts.percentEncodedHost?.lowercased(), !host.isEmpty,
            !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F })
        else { return nil }
        parts.scheme = scheme
        parts.percentEncodedHost = Self.decodingUnreserved(host)
        if parts.port == (scheme == "http" ? 80 : 443) { parts.port = nil }
        parts.fragment = nil
        let path = Self.removingDots(Self.decodingUnreserved(parts.percentEncodedPath))
        parts.percentEncodedPath = path.isEmpty ? "/" : path
        parts.percentEncodedQuery = parts.percentEncodedQuery.map(Self.decodingUnreserved)
        guard let normalized = parts.string else { return nil }
        self.text = normalized
    }

    /// The name of the URL's files: the SHA-256 of the text, in lower-case hexadecimal.
    var name: String { hexadecimal(SHA256.hash([Array(text.utf8)])) }

    /// The URL without a password, for people and logs.
    package var description: String {
        guard var parts = URLComponents(string: text), parts.password != nil else { return text }
        parts.password = "…"
        return parts.string ?? text
    }

    /// Decodes what needs no encoding, and writes the other hexadecimal digits in upper case.
    private static func decodingUnreserved(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let digits = bytes.dropFirst(index + 1).prefix(2)
            guard bytes[index] == UInt8(ascii: "%"), digits.count == 2,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            else {
                result.append(bytes[index])
                index += 1
                continue
            }
            if isUnreserved(value) {
                result.append(value)
            } else {
                result.append(UInt8(ascii: "%"))
                result += String(decoding: digits, as: UTF8.self).uppercased().utf8
            }
            index += 3
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }

    /// Removes `.` and `..` from an absolute path (RFC 3986, section 5.2.4).
    private static func removingDots(_ path: String) -> String {
        var kept: [Substring] = []
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (number, part) in parts.enumerated() {
            let isLast = number == parts.count - 1
            switch part {
            case ".": if isLast { kept.append("") }
            case "..":
                _ = kept.popLast()
                if isLast { kept.append("") }
            default: kept.append(part)
            }
        }
        return kept.isEmpty ? "" : "/" + kept.joined(separator: "/")
    }
}
