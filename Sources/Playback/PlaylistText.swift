// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials

/// The syntax of playlists of HTTP Live Streaming (RFC 8216, section 4).
package enum PlaylistText {
    /// Returns the lines, with empty ones.
    static func lines(_ text: String) -> [Substring] {
        text.split(omittingEmptySubsequences: false) { $0.isNewline }
    }

    /// Returns the attributes of a tag. Their values have no quotation marks.
    static func attributes(_ line: Substring) -> [String: String] {
        var attributes: [String: String] = [:]
        var rest = line.drop { $0 != ":" }.dropFirst()
        while let equals = rest.firstIndex(of: "=") {
            let name = String(rest[..<equals])
            rest = rest[equals...].dropFirst()
            let isQuoted = rest.first == "\""
            if isQuoted { rest = rest.dropFirst() }
            let value = rest.prefix { $0 != (isQuoted ? "\"" : ",") }
            attributes[name] = String(value)
            rest = rest[value.endIndex...].drop { $0 != "," }.dropFirst()
        }
        return attributes
    }

    /// Returns the text with absolute URLs.
    /// - Parameter url: The playlist's own URL.
    package static func absolute(_ text: String, at url: String) -> String {
        let base = URL(string: url)
        func absolute(_ relative: Substring) -> String? {
            URL(string: String(relative), relativeTo: base)?.absoluteString
        }
        return lines(text).map { line in
            if line.isEmpty { return String(line) }
            guard line.hasPrefix("#") else { return absolute(line) ?? String(line) }
            guard let place = line.firstRange(of: "URI=\"") else { return String(line) }
            let uri = line[place.upperBound...].prefix { $0 != "\"" }
            guard let whole = absolute(uri) else { return String(line) }
            return line[..<uri.startIndex] + whole + line[uri.endIndex...]
        }.joined(separator: "\n")
    }
}
