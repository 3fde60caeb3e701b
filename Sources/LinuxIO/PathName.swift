// SPDX-License-Identifier: GPL-3.0-or-later

/// A path or file name that is split and compared byte by byte, as the kernel does
/// (path_resolution(7)).
///
/// `String` compares characters: names that differ only in Unicode normalization are equal for it,
/// and a slash followed by a combining mark is no slash.
public struct PathName: Hashable, Comparable, Sendable {
    private static let slash = UInt8(ascii: "/")
    private static let dot = UInt8(ascii: ".")

    /// The text that the path was made of.
    public let text: String

    /// Creates a path from any text; nothing is resolved.
    public init(_ text: some StringProtocol) { self.text = String(text) }

    /// Returns whether both have the same bytes.
    public static func == (one: Self, other: Self) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8)
    }

    /// Orders paths by their bytes.
    public static func < (one: Self, other: Self) -> Bool {
        one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }

    /// Hashes all bytes.
    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }

    /// The parts between slashes, without empty ones.
    public var components: [String] {
        text.utf8.split(separator: Self.slash).map { String(Substring($0)) }
    }

    private var lastSlash: String.Index? { text.utf8.lastIndex(of: Self.slash) }

    /// The folder that contains the path; `.` if the path has no slash.
    public var parent: String {
        guard let lastSlash else { return "." }
        return lastSlash == text.startIndex ? "/" : String(text[..<lastSlash])
    }

    /// The bytes after the last slash.
    public var last: Substring {
        lastSlash.map { text[text.utf8.index(after: $0)...] } ?? text[...]
    }

    /// The last dot of ``last``; `nil` if ``last`` begins or ends with it.
    private var lastDot: String.Index? {
        guard let dot = last.utf8.lastIndex(of: Self.dot), dot > last.startIndex,
            last.utf8.last != Self.dot
        else { return nil }
        return dot
    }

    /// Everything before the dot of ``fileExtension``.
    public var withoutExtension: Substring { text[..<(lastDot ?? text.endIndex)] }

    /// The bytes after the last dot of ``last``; empty without a dot, or if ``last`` begins or ends
    /// with it.
    public var fileExtension: Substring {
        lastDot.map { text[text.utf8.index(after: $0)...] } ?? ""
    }

    /// Whether the name begins with a dot, so that programs hide it.
    public var isHidden: Bool { last.utf8.first == Self.dot }

    /// Returns whether the path is `folder` or lies in it at any depth. Both must be absolute, or
    /// relative to the same folder.
    public func isInside(_ folder: String) -> Bool {
        let whole = folder.utf8.last == Self.slash ? folder : folder + "/"
        return text.utf8.elementsEqual(folder.utf8) || text.utf8.starts(with: whole.utf8)
    }
}
