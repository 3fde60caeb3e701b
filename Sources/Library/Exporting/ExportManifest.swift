// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Hashing
internal import LinuxIO

/// The file `manifest.jsonl` in an export's folder, with a line of JSON for each copy of this
/// export and earlier ones. It replaces an earlier manifest only when it is complete.
struct ExportManifest: ~Copyable {
    static let name = "manifest.jsonl"

    private struct Line: Codable {
        /// The copy's path, below the export's folder.
        let file: String
        /// The size of the copy; `sha256` is the copy's too.
        let bytes: Int64
        let sha256: String
        let asset: Asset
    }

    private let path: String
    private let encoder: JSONEncoder
    private var staged: DurableFile
    /// Digests of the listed paths, 32 MB for a million copies.
    private var listed: Set<SIMD2<UInt64>> = []
    private var unwritten: [UInt8] = []

    /// Starts a new manifest. Throws `conflict` if another file than a manifest has its name.
    init(in directory: String) throws(LibraryError) {
        let path = "\(directory)/\(Self.name)"
        try Self.forEachLine(of: path) { (_, _) throws(LibraryError) in }
        self.init(path, try Self.stage(in: directory))
    }

    // Separate from the throwing part, as in DurableFile.
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

    /// Adds the lines of earlier exports and writes all to the medium. Returns the path.
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

    /// Returns the first half of a path's SHA-256, which no two paths share in practice.
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

    /// Calls `body` with each line of a manifest; never if the file does not exist.
    /// - Throws: `conflict` if the file is not a manifest.
    private static func forEachLine(
        of path: String, _ body: (Line, [UInt8]) throws(LibraryError) -> Void
    ) throws(LibraryError) {
        let decoder = JSONDecoder()
        guard var lines = try reader(of: path) else { return }
        while let bytes = try next(&lines, path) {
            guard let line = try? decoder.decode(Line.self, from: Data(bytes)) else {
                throw LibraryError(.conflict, "\(path): another file has this name")
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
