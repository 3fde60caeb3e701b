// SPDX-License-Identifier: GPL-3.0-or-later

internal import Hashing

/// An absolute URL of `http` or `https`, normalized after RFC 3986, section 6.2: lower-case scheme
/// and host, no default port, no dot segments, no fragment, percent-encoding in upper case and only
/// where it is needed. Two URLs that differ otherwise are two URLs.
package struct ContentURL: Hashable, Sendable, CustomStringConvertible {
    /// The normalized URL.
    package let text: String

    /// The user and password, with their `@`; empty if there are none.
    private let credentials: String

    /// Returns `nil` if the text is no such URL. Hosts that are not ASCII must be in Punycode.
    package init?(_ text: String) {
        guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }),
            let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://")
        else { return nil }
        let scheme = text[..<colon].lowercased()
        let rest = text[colon...].dropFirst(3)
        let authority = rest.prefix { !"/?#".contains($0) }
        let target = rest[authority.endIndex...].prefix { $0 != "#" }
        let path = target.prefix { $0 != "?" }
        let query = target[path.endIndex...]
        let at = authority.lastIndex(of: "@")
        credentials = String(at.map { authority[...$0] } ?? "")
        guard ["http", "https"].contains(scheme),
            let place = Self.place(authority.dropFirst(credentials.count), scheme)
        else { return nil }
        let whole = Self.removingDots(Self.decodingUnreserved(String(path)))
        self.text =
            "\(scheme)://\(credentials)\(place)\(whole.isEmpty ? "/" : whole)"
            + Self.decodingUnreserved(String(query))
    }

    /// Returns the host in lower case, and the port unless it is the scheme's.
    private static func place(_ text: Substring, _ scheme: String) -> String? {
        // An address of IPv6 has colons, in brackets.
        let hostEnd = text.lastIndex(of: "]").map(text.index(after:)) ?? text.firstIndex(of: ":")
        let host = decodingUnreserved(String(text[..<(hostEnd ?? text.endIndex)])).lowercased()
        let port = hostEnd.map { text[$0...] } ?? ""
        guard !host.isEmpty else { return nil }
        if port.isEmpty || port == ":" { return host }
        guard port.first == ":", let number = Int(port.dropFirst()), 1...65_535 ~= number else {
            return nil
        }
        return number == (scheme == "http" ? 80 : 443) ? host : "\(host):\(number)"
    }

    /// The name of the URL's files: the SHA-256 of the text, in lower-case hexadecimal.
    var name: String { hexadecimal(SHA256.hash([Array(text.utf8)])) }

    /// The URL without a password, for people and logs.
    package var description: String {
        guard let colon = credentials.firstIndex(of: ":") else { return text }
        return text.replacing(credentials, with: credentials[..<colon] + ":…@", maxReplacements: 1)
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
