// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import LinuxIO
internal import Media

/// The paths and file names in a library's folder.
struct LibraryLayout: Sendable {
    let root: String

    init(root: String) {
        var root = root
        while root.count > 1 && root.hasSuffix("/") { root.removeLast() }
        self.root = root
    }

    var database: String { "\(root)/library.sqlite" }
    /// A repaired database before it replaces ``database``; see ``DatabaseSalvage``.
    var restoredDatabase: String { "\(root)/library.restored.sqlite" }
    var snapshots: String { "\(root)/snapshots" }
    var lock: String { "\(root)/lock" }
    var originals: String { "\(root)/originals" }
    var incoming: String { "\(root)/incoming" }
    var thumbnails: String { "\(root)/derived/thumbnails" }
    /// The folder of ``DerivedPictures``.
    var pictures: String { "\(root)/derived/pictures" }
    /// The folder of the pictures that stay when only a remote has their original.
    var previews: String { "\(root)/derived/previews" }
    /// The names of the folders of pictures in `derived/`.
    static let derivedFolders = ["thumbnails", "pictures", "previews"]
    var searchIndex: String { "\(root)/derived/search.sqlite" }
    var quarantine: String { "\(root)/quarantine" }

    /// Returns the local date as `YYYY/MM/DD`.
    static func day(of time: WallTime) -> String {
        let fields = time.fields
        return "\(fields.year.padded(4))/\(fields.month.padded(2))/\(fields.day.padded(2))"
    }

    /// Returns `2026/11/22` for `2026/11/22/<uuid>.jpg`.
    static func folder(of path: String) -> String {
        PathName(path).components.dropLast().joined(separator: "/")
    }

    /// Returns the path beside an original: `2026/11/22/<uuid>.dng` for `2026/11/22/<uuid>.jpg`.
    static func path(_ original: String, beside fileExtension: String) -> String {
        "\(PathName(original).withoutExtension).\(fileExtension)"
    }

    func original(_ relativePath: String) -> String { "\(originals)/\(relativePath)" }
    func staging(_ id: UUID) -> String { "\(incoming)/\(id.text)\(Self.stagingSuffix)" }
    /// Returns the path of a file that waits to be imported; see ``StagingFolder``.
    func staged(_ id: UUID) -> String { "\(incoming)/import-\(id.text)\(Self.stagingSuffix)" }
    func thumbnail(_ id: UUID) -> String { "\(thumbnails)/\(id.text).jpg" }
    func preview(_ id: UUID) -> String { "\(previews)/\(id.text).jpg" }

    /// The suffix of files in incoming/ that were never completed and acknowledged.
    static let stagingSuffix = ".part"

    /// Returns a name like `2026-11-21_12-30-05_000123.jpg`: local time and the unique sequence.
    static func exportName(_ time: WallTime, sequence: Int64, fileExtension: String) -> String {
        let fields = time.fields
        let date =
            "\(fields.year.padded(4))-\(fields.month.padded(2))-\(fields.day.padded(2))"
        let clock =
            "\(fields.hour.padded(2))-\(fields.minute.padded(2))-\(fields.second.padded(2))"
        return "\(date)_\(clock)_\(sequence.padded(6)).\(fileExtension)"
    }

    /// Splits `<uuid>.<ext>`; returns `nil` for a name that the library does not use.
    static func parse(originalName name: String) -> (id: UUID, fileExtension: String)? {
        guard let dot = name.firstIndex(of: "."), let id = UUID(uuidString: String(name[..<dot])),
            name[..<dot] == id.text
        else { return nil }
        let fileExtension = String(name[name.index(after: dot)...])
        return isFileExtension(fileExtension) ? (id, fileExtension) : nil
    }

    /// Returns the asset's id with which a name in `derived/` begins; `nil` for any other name.
    static func parse(derivedName name: String) -> UUID? {
        let text = name.prefix(36)
        guard name.hasSuffix(".jpg"), let id = UUID(uuidString: String(text)), text == id.text
        else { return nil }
        return id
    }

    /// Whether an original may have this extension. A RAW is never an original; it lies beside one.
    static func isOriginalExtension(_ text: String) -> Bool {
        isFileExtension(text) && RawFormat(rawValue: text) == nil
    }

    /// Whether the text has 1 to 8 lower-case ASCII letters and digits.
    static func isFileExtension(_ text: String) -> Bool {
        (1...8).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
    }
}
