// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Hashing
internal import LinuxIO

/// An export's folder. Nothing is written outside it, no link followed, no picture in it replaced.
struct ExportFolder {
    /// The result of looking for a file with a copy's name.
    enum Occupant {
        case none
        /// A file with the copy's content has the name.
        case same
        /// Another file, folder or link has the name.
        case other
    }

    let path: String
    /// Folders below it that exist for certain.
    private var folders: Set<PathName> = []
    /// Whether the kernel can copy between files; `false` once it could not.
    private var copiesInKernel = true

    init(_ path: String) { self.path = path }

    /// Creates the folder if it is missing. Its parent must exist.
    func prepare() throws(LibraryError) {
        do {
            try FileTree.makeDirectory(path)
        } catch {
            throw LibraryError("export to \(path)", error)
        }
    }

    var isThere: Bool { (try? FileTree.entry(path)?.kind) == .directory }

    private var what: String { "export to \(path)" }

    /// Looks for a file with a copy's name, and creates the folders on its path.
    /// - Throws: `conflict` if something else is in a folder's place; file system errors.
    mutating func occupant(
        of name: String, _ bytes: Int64, _ sha256: String
    ) throws(LibraryError) -> Occupant {
        try makeFolders(of: name)
        let file = "\(path)/\(name)"
        guard let entry = try entry(file) else { return .none }
        do {
            guard entry.kind == .file && Int64(entry.bytes) == bytes else { return .other }
            return try hexadecimal(OriginalFile.scan(file).sha256) == sha256 ? .same : .other
        } catch {
            throw LibraryError(what, error)
        }
    }

    func content(of name: String) throws(LibraryError) -> [UInt8]? {
        let file = "\(path)/\(name)"
        guard try entry(file)?.kind == .file else { return nil }
        return try OriginalFile.content(of: file, what)
    }

    func occupied(_ name: String) -> LibraryError {
        LibraryError(.conflict, "\(path)/\(name): another file has this name")
    }

    private mutating func makeFolders(of name: String) throws(LibraryError) {
        let components = PathName(name).components.dropLast()
        guard !components.isEmpty, !folders.contains(PathName(PathName(name).parent)) else {
            return
        }
        var folder = ""
        for component in components {
            folder += folder.isEmpty ? component : "/\(component)"
            guard !folders.contains(PathName(folder)) else { continue }
            let directory = "\(path)/\(folder)"
            guard try entry(directory).map({ $0.kind == .directory }) ?? true else {
                throw LibraryError(.conflict, "\(directory): exists and is not a folder")
            }
            do {
                try FileTree.makeDirectory(directory)
            } catch {
                throw LibraryError(what, error)
            }
            folders.insert(PathName(folder))
        }
    }

    private func entry(_ path: String) throws(LibraryError) -> FileTree.Entry? {
        do { return try FileTree.entry(path) } catch { throw LibraryError(what, error) }
    }

    /// Waits until the names are on the medium. The contents already are.
    func finish() throws(LibraryError) {
        do {
            for folder in folders.sorted(by: >) {
                try DurableFile.synchronizeDirectory("\(path)/\(folder.text)")
            }
            try DurableFile.synchronizeDirectory(path)
        } catch {
            throw LibraryError(what, error)
        }
    }

    private func staging(_ asset: Asset) -> String {
        "\(path)/.\(asset.id.text)\(LibraryLayout.stagingSuffix)"
    }

    private func begin(
        _ name: String, _ asset: Asset, _ bytes: Int, unnamed: Bool = true
    ) throws(SystemCallError) -> DurableFile {
        // An interrupted export may have left this file.
        try FileTree.remove(staging(asset))
        return try DurableFile(
            in: PathName("\(path)/\(name)").parent, staging: staging(asset),
            reserving: bytes, unnamed: unnamed)
    }

    /// Writes a copy. Its file gets the date of the picture, like the files on a camera's card. If
    /// it `replaces` an earlier copy, that one stays until the new one is on the medium.
    func write(
        _ copy: ExportedCopy, of asset: Asset, as name: String, replaces: Bool = false
    ) throws(LibraryError) {
        do {
            var file = try begin(name, asset, copy.bytes, unnamed: !replaces)
            for chunk in copy.chunks { try file.write(chunk) }
            try file.synchronize()
            if replaces {
                try file.publish(replacing: "\(path)/\(name)")
            } else {
                try file.publish(as: "\(path)/\(name)")
            }
            try? FileTree.touch("\(path)/\(name)", at: asset.createdAt.nanoseconds)
        } catch {
            throw LibraryError(what, error)
        }
    }

    /// Copies a file of an asset; `stored.path` is the whole path.
    /// - Throws: `damaged` if its content is not what was stored.
    mutating func write(
        _ stored: StoredFile, of asset: Asset, as name: String
    ) throws(LibraryError) {
        let source: DurableFileReader
        do {
            source = try DurableFileReader(stored.path)
        } catch {
            throw LibraryError("asset \(asset.id.text)", error)
        }
        do {
            var file = try begin(name, asset, Int(stored.bytes))
            let hash = try transfer(source, to: &file)
            guard hash == stored.sha256 else {
                throw LibraryError(
                    .damaged,
                    "asset \(asset.id.text): \(stored.path) is not what was stored "
                        + "(SHA-256 \(hash), stored \(stored.sha256))")
            }
            try file.synchronize()
            try file.publish(as: "\(path)/\(name)")
            try? FileTree.touch("\(path)/\(name)", at: asset.createdAt.nanoseconds)
        } catch let error as LibraryError {
            throw error
        } catch let error as SystemCallError {
            throw LibraryError(what, error)
        } catch {
            throw LibraryError(.io, "\(what): \(error)", underlying: error)
        }
    }

    /// Copies a file in blocks and returns its SHA-256, which is that of the blocks as read.
    private mutating func transfer(
        _ source: borrowing DurableFileReader, to file: inout DurableFile
    ) throws(SystemCallError) -> String {
        var hasher = SHA256()
        var offset = 0
        while true {
            let block = try source.read(upTo: 1 << 20, at: offset)
            if block.isEmpty { return hexadecimal(hasher.finalize()) }
            hasher.update(block)
            var copied = 0
            while copiesInKernel && copied < block.count {
                let got = try file.append(
                    upTo: block.count - copied, from: source, at: offset + copied)
                // Some file systems return 0 instead of an error.
                if let got, got > 0 { copied += got } else { copiesInKernel = false }
            }
            if copied < block.count { try file.write(Array(block[copied...])) }
            offset += block.count
        }
    }
}
