// SPDX-License-Identifier: GPL-3.0-or-later

/// A path, or a name in one, taken apart and compared as the kernel does it: byte by byte (path_resolution(7)).
///
/// `String` compares characters: two names are equal for it that differ in their Unicode normalization, and a slash
/// with a combining mark behind it is no slash.
public struct PathName: Hashable, Comparable, Sendable {
    private static let slash = UInt8(ascii: "/")
    private static let dot = UInt8(ascii: ".")

    /// The text that it was made of.
    public let text: String

    /// Takes any text; nothing is resolved.
    public init(_ text: some StringProtocol) { self.text = String(text) }

    /// Whether both have the same bytes.
    public static func == (one: Self, other: Self) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8)
    }

    /// Orders paths by their bytes.
    public static func < (one: Self, other: Self) -> Bool {
        one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }

    /// All bytes.
    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }

    /// Its parts, without empty ones.
    public var components: [String] {
        text.utf8.split(separator: Self.slash).map { String(Substring($0)) }
    }

    private var lastSlash: String.Index? { text.utf8.lastIndex(of: Self.slash) }

    /// The folder that it is in: `.` without a slash.
    public var parent: String {
        guard let lastSlash else { return "." }
        return lastSlash == text.startIndex ? "/" : String(text[..<lastSlash])
    }

    /// The bytes behind the last slash.
    public var last: Substring {
        lastSlash.map { text[text.utf8.index(after: $0)...] } ?? text[...]
    }

    /// The last dot of ``last``, unless that begins or ends with it.
    private var lastDot: String.Index? {
        guard let dot = last.utf8.lastIndex(of: Self.dot), dot > last.startIndex,
            last.utf8.last != Self.dot
        else { return nil }
        return dot
    }

    /// All up to the dot of ``fileExtension``.
    public var withoutExtension: Substring { text[..<(lastDot ?? text.endIndex)] }

    /// The bytes behind the last dot of ``last``; empty without a dot, and if ``last`` begins or ends with it.
    public var fileExtension: Substring {
        lastDot.map { text[text.utf8.index(after: $0)...] } ?? ""
    }

    /// Whether the name is one that programs do not show: it begins with a dot.
    public var isHidden: Bool { last.utf8.first == Self.dot }

    /// Whether it is the folder, or in it at any depth; both are absolute, or relative to the same one.
    public func isInside(_ folder: String) -> Bool {
        let whole = folder.utf8.last == Self.slash ? folder : folder + "/"
        return text.utf8.elementsEqual(folder.utf8) || text.utf8.starts(with: whole.utf8)
    }
}
