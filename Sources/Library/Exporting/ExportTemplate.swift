// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
internal import Media

/// The names of exported files below the target folder, for example
/// `{year}/{month}/{date} {caption}`. The extension is added automatically.
///
/// A field's value becomes part of a name that every file system accepts, even FAT; a missing one
/// becomes `none`. A template without a field that is unique to an asset gets `_{sequence}` at its
/// end, so that an asset has the same name in every export.
public struct ExportTemplate: Sendable, Hashable {
    /// A field, which a template contains in braces.
    public enum Field: String, Sendable, CaseIterable {
        /// The asset's file name without its extension.
        case name
        /// The local date and time of the shutter moment: `2026-11-24` and `17-02-33`.
        case date, time
        case year, month, day, hour, minute, second
        /// The asset's sequence, in at least six digits.
        case sequence
        case id
        /// The media type.
        case type
        case device, session, caption

        fileprivate var isUnique: Bool { [.name, .sequence, .id].contains(self) }
    }

    private enum Part: Hashable {
        case text(String)
        case field(Field)
    }

    private let parts: [Part]

    /// The template `{name}`, which is the asset's own file name.
    public static let name = ExportTemplate([.field(.name)])

    private init(_ parts: [Part]) { self.parts = parts }

    /// Parses a template. Throws `invalidValue` for an unknown field, an unmatched brace, a
    /// character that some file system refuses, and a folder name that is empty, hidden or `..`.
    public init(_ text: String) throws(LibraryError) {
        var parts: [Part] = []
        // Searches scalars, because a brace with a combining mark is still a brace.
        var rest = text.unicodeScalars[...]
        while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            guard rest[open] == "{", let close = rest[open...].firstIndex(of: "}") else {
                throw Self.refusal(of: text, "a brace has no partner")
            }
            let word = String(rest[rest.index(after: open)..<close])
            guard let field = Field(rawValue: word) else {
                let known = Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ")
                throw Self.refusal(of: text, "unknown field {\(word)}, allowed: \(known)")
            }
            if open > rest.startIndex { parts.append(.text(String(rest[..<open]))) }
            parts.append(.field(field))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        try Self(parts).check(text)
        let isUnique = parts.contains {
            if case .field(let field) = $0 { field.isUnique } else { false }
        }
        if !isUnique { parts += [.text("_"), .field(.sequence)] }
        self.init(parts)
    }

    private func check(_ text: String) throws(LibraryError) {
        let path = path { _ in "x" }
        let slash = UInt8(ascii: "/")
        for part in path.utf8.split(separator: slash, omittingEmptySubsequences: false) {
            let component = String(Substring(part))
            guard FileNameComponent.isPlain(component),
                FileNameComponent.cleaned(component) == component
            else {
                throw Self.refusal(
                    of: text, "not every file system accepts the name \"\(component)\"")
            }
        }
    }

    private static func refusal(of text: String, _ reason: String) -> LibraryError {
        LibraryError(.invalidValue, "template \"\(text)\": \(reason)")
    }

    /// Returns the path of a file below the target folder, without its extension.
    func path(of asset: Asset, name: String) -> String {
        let fields = asset.createdAt.fields
        return path { field in
            switch field {
            case .name: name
            case .date:
                "\(fields.year.padded(4))-\(fields.month.padded(2))-\(fields.day.padded(2))"
            case .time:
                "\(fields.hour.padded(2))-\(fields.minute.padded(2))-\(fields.second.padded(2))"
            case .year: fields.year.padded(4)
            case .month: fields.month.padded(2)
            case .day: fields.day.padded(2)
            case .hour: fields.hour.padded(2)
            case .minute: fields.minute.padded(2)
            case .second: fields.second.padded(2)
            case .sequence: Int(asset.sequence).padded(6)
            case .id: asset.id.text
            case .type: asset.mediaType.rawValue
            case .device: FileNameComponent.cleaned(asset.deviceName ?? "")
            case .session: FileNameComponent.cleaned(asset.sessionID ?? "")
            case .caption: FileNameComponent.cleaned(asset.caption ?? "")
            }
        }
    }

    private func path(_ value: (Field) -> String) -> String {
        parts.reduce(into: "") { path, part in
            switch part {
            case .text(let text): path += text
            case .field(let field): path += value(field)
            }
        }
    }
}

/// The rules for one component of a path.
enum FileNameComponent {
    /// The maximum length of a text in a field, in bytes of UTF-8.
    private static let longestValue = 60
    /// The maximum length of a name in bytes. File systems accept more, so suffixes still fit.
    private static let longestName = 200

    /// Whether a name is printable, has no slash and is not hidden, and so is neither `.` nor `..`.
    static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= longestName && !PathName(name).isHidden
            && name.utf8.allSatisfy { $0 != UInt8(ascii: "/") && $0 >= 0x20 && $0 != 0x7F }
    }

    /// Returns a text as part of a name: not hidden, and without what FAT refuses or would remove
    /// from the end. An empty text becomes `none`.
    static func cleaned(_ words: String) -> String {
        var name = ""
        for character in words {
            let isKept = character.unicodeScalars.allSatisfy {
                $0.value >= 0x20 && $0.value != 0x7F && !"\"*/:<>?\\|".unicodeScalars.contains($0)
            }
            let kept = isKept ? String(character) : "_"
            guard name.utf8.count + kept.utf8.count <= longestValue else { break }
            name += kept
        }
        // Works on scalars, because a dot with a combining mark is a dot to a file system.
        var scalars = name.unicodeScalars[...]
        let dropped: [Unicode.Scalar] = [" ", "."]
        scalars = scalars.drop { dropped.contains($0) }
        while let last = scalars.last, dropped.contains(last) { scalars.removeLast() }
        return scalars.isEmpty ? "none" : String(Substring(scalars))
    }
}
