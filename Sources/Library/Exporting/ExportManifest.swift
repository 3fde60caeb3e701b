// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import LinuxIO

/// `manifest.jsonl` in an export's folder: a line of JSON for every copy in it, of this export and of earlier ones.
/// Takes the place of the earlier one only when it is whole.
struct ExportManifest: ~Copyable {
    static let name = "manifest.jsonl"

    private struct Line: Codable {
        /// Path below the folder.
        let file: String
        /// Of the copy, as is `sha256`.
        let bytes: Int64
        let sha256: String
        let asset: Asset
    }

    private let path: String
    private let encoder: JSONEncoder
    private var staged: DurableFile
    /// Digests of the paths: of a million copies 32 MB.
    private var listed: Set<SIMD2<UInt64>> = []
    private var unwritten: [UInt8] = []

    /// Begins a new one.
    /// - Throws: `conflict` when a file of that name is there that is no manifest.
    init(in directory: String) throws(LibraryError) {
        let path = "\(directory)/\(Self.name)"
        try Self.forEachLine(of: path) { (_, _) throws(LibraryError) in }
        self.init(path, try Self.stage(in: directory))
    }

    // Apart from what throws, as DurableFile's.
    private init(_ path: String, _ staged: consuming DurableFile) {
        self.path = path
        self.staged = staged
        encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    private static func stage(in directory: String) throws(LibraryError) -> DurableFile {
        let staging = "\(directory)/.\(name)\(LibraryLayout.stagingSuffix)"
        do {
            try FileTree.remove(staging)
            return try DurableFile(
                in: directory, staging: staging, reserving: 0, unnamed: false)
        } catch {
            throw LibraryError("\(directory)/\(name)", error)
        }
    }

    /// Notes a copy that is in the folder.
    mutating func add(
        _ file: String, bytes: Int64, sha256: String, _ asset: Asset
    ) throws(LibraryError) {
        guard listed.insert(Self.digest(file)).inserted else { return }
        let line = Line(file: file, bytes: bytes, sha256: sha256, asset: asset)
        guard let encoded = try? encoder.encode(line) else {
            throw LibraryError(.damaged, "asset \(asset.id.text): cannot be written as JSON")
        }
        try append(Array(encoded))
    }

    /// Adds what earlier exports noted, and waits until all is on the medium. Answers its path.
    consuming func finish() throws(LibraryError) -> String {
        try Self.forEachLine(of: path) { (line, bytes) throws(LibraryError) in
            if !listed.contains(Self.digest(line.file)) { try append(bytes) }
        }
        do {
            try staged.write(unwritten)
            try staged.synchronize()
            try staged.publish(replacing: path)
            return path
        } catch {
            throw LibraryError(path, error)
        }
    }

    /// The first half of the SHA-256: no two paths have the same.
    private static func digest(_ file: String) -> SIMD2<UInt64> {
        var halves = SIMD2<UInt64>()
        for (place, byte) in SHA256.hash([Array(file.utf8)]).prefix(16).enumerated() {
            halves[place / 8] = halves[place / 8] << 8 | UInt64(byte)
        }
        return halves
    }

    private mutating func append(_ line: [UInt8]) throws(LibraryError) {
        unwritten += line + [UInt8(ascii: "\n")]
        guard unwritten.count >= 1 << 16 else { return }
        do { try staged.write(unwritten) } catch { throw LibraryError(path, error) }
        unwritten = []
    }

    /// Of no file there are no lines.
    private static func forEachLine(
        of path: String, _ body: (Line, [UInt8]) throws(LibraryError) -> Void
    ) throws(LibraryError) {
        let decoder = JSONDecoder()
        guard var lines = try reader(of: path) else { return }
        while let bytes = try next(&lines, path) {
            guard let line = try? decoder.decode(Line.self, from: Data(bytes)) else {
                throw LibraryError(.conflict, "\(path): another file is there under this name")
            }
            try body(line, bytes)
        }
    }

    private static func reader(of path: String) throws(LibraryError) -> FileLineReader? {
        do {
            return try FileTree.entry(path) == nil ? nil : FileLineReader(path)
        } catch {
            throw LibraryError(path, error)
        }
    }

    private static func next(
        _ lines: inout FileLineReader, _ path: String
    ) throws(LibraryError) -> [UInt8]? {
        do { return try lines.next() } catch { throw LibraryError(path, error) }
    }
}
