// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials
internal import GRDB
internal import Glibc
internal import Hashing
public import LinuxIO
internal import Media

extension AssetLibrary {
    /// Returns the folder for files to be imported.
    public nonisolated func stagingFolder() -> StagingFolder {
        StagingFolder(library: path, reserve: reserve)
    }

    /// Returns the asset that already has this content (SHA-256, hexadecimal), as
    /// ``importFile(_:)`` would. `nil` if there is none, or if its original is missing or has
    /// another size: a file that is taken then becomes its original.
    public nonisolated func holder(
        ofContent sha256: String
    ) async throws(LibraryError) -> ImportOutcome? {
        var options = FetchOptions.everything
        options.filter = AssetFilter.sha256 == sha256
        let found = try await page(in: nil, options, after: nil, limit: 1).assets.first
        guard let found, let entry = try? await reader.entry(found.path),
            Int64(entry.bytes) == found.asset.bytes
        else { return nil }
        return ImportOutcome(found.asset, isNew: false)
    }

    /// Makes an asset of a file in the ``stagingFolder()`` and returns once it survives a power
    /// cut. The file is moved, not copied. If an asset, even one in "recently deleted", already has
    /// its content, the file replaces a missing original, or is removed.
    /// - Throws: `invalid` if the file cannot become an asset; `damaged` if the content does not
    ///   match its hash; `notFound`; `full`, `io`, `readOnly`, `closed`. The file is then removed.
    public nonisolated func importFile(_ file: StagedFile) async throws(LibraryError)
        -> ImportOutcome
    {
        do throws(LibraryError) {
            try file.check()
            return try await importFile(
                file, try await stagedContent(file.id, sha256: file.sha256))
        } catch {
            await discard([file.id])
            throw error
        }
    }

    /// Reads a file of the ``stagingFolder()``.
    /// - Throws: `damaged` if the content does not match the hash; `notFound`, `io`.
    nonisolated func stagedContent(
        _ id: UUID, sha256: String
    ) async throws(LibraryError) -> OriginalFile {
        let content: OriginalFile
        do {
            content = try await reader.scan(layout.staged(id))
        } catch {
            throw LibraryError("import", error)
        }
        guard hexadecimal(content.sha256) == sha256 else {
            throw LibraryError(.damaged, "import \(id.text): the copy differs from the file")
        }
        return content
    }

    /// Imports, like ``importFile(_:)``, a file that another process has opened, because it may not
    /// write to the staging folder. The copy and its asset get a new id, so that no process can
    /// know the name of the copy. Throws `damaged` also if the file has changed meanwhile.
    public nonisolated func importFile(
        _ file: StagedFile, from passed: PassedFile
    ) async throws(LibraryError) -> ImportOutcome {
        try await requireWritable()
        var file = file
        file.id = UUID()
        try await stage(passed, as: file.id)
        return try await importFile(file)
    }

    /// Copies a passed file to the staging folder. Removes the copy if that fails.
    nonisolated func stage(_ passed: PassedFile, as id: UUID) async throws(LibraryError) {
        do {
            try await HandoverCopier().copy(passed, to: stagingFolder(), as: id)
        } catch {
            await discard([id])
            throw importFailure(id, error)
        }
    }

    /// Removes staged files, on the library's own thread, which may wait for the medium.
    func discard(_ staged: [UUID]) {
        for id in staged { stagingFolder().discard(id) }
    }

    private func importFile(
        _ file: StagedFile, _ content: OriginalFile
    ) throws(LibraryError) -> ImportOutcome {
        try requireWritable()
        if let known = try row(content: content.sha256) {
            try putBack(file.id, as: known.original)
            try noteReturn(of: known)
            return ImportOutcome(known.asset, isNew: false)
        }
        try place(file)
        let asset = try commit(NewAsset(file, content), changes: file.changes, from: .import)
        keepThumbnail(of: file)
        return ImportOutcome(asset, isNew: true)
    }

    /// Moves a staged file to its place among the originals.
    func place(_ file: StagedFile) throws(LibraryError) {
        // The staged file already uses its space.
        try requireSpace(0)
        let day = LibraryLayout.day(of: file.createdAt)
        try prepare(day: day)
        do {
            try FileTree.move(layout.staged(file.id), to: layout.original(file.originalPath))
        } catch {
            throw unfinishedImport(file.id, in: day, error)
        }
    }

    func keepThumbnail(of file: StagedFile) {
        guard let thumbnail = file.thumbnail else { return }
        DerivedFile.write(Array(thumbnail), to: layout.thumbnail(file.id), in: layout)
    }

    /// Handles an error of the move into a day's folder. The file may have its name all the same,
    /// so the day stays noted for the next open. Returns the error to throw.
    func unfinishedImport(_ id: UUID, in day: String, _ error: any Error) -> LibraryError {
        failedDays.insert(day)
        currentDay = nil
        let failure = importFailure(id, error)
        if let refusal = failure.underlying as? SystemCallError,
            [EIO, EROFS].contains(refusal.code)
        {
            degrade("\(refusal)")
        }
        return failure
    }

    private nonisolated func importFailure(_ id: UUID, _ error: any Error) -> LibraryError {
        switch error {
        case let error as LibraryError: error
        case let error as SystemCallError: LibraryError("import \(id.text)", error)
        default: LibraryError(.io, "import \(id.text): \(error)", underlying: error)
        }
    }

    /// Removes a staged file whose content is already stored. If the stored file is missing or has
    /// another size, the staged one replaces it.
    func putBack(_ staged: UUID, as known: StoredFile) throws(LibraryError) {
        let place = layout.original(known.path)
        do {
            let entry = try FileTree.entry(place)
            if let entry, entry.kind == .file, Int64(entry.bytes) == known.bytes {
                return stagingFolder().discard(staged)
            }
            if entry != nil { _ = try layout.quarantine("originals/\(known.path)") }
            let folders = known.path.split(separator: "/").dropLast().map(String.init)
            try FileTree.makeDirectories(["originals"] + folders, below: layout.root)
            try FileTree.move(layout.staged(staged), to: place)
        } catch {
            throw importFailure(staged, error)
        }
    }

    private func row(content sha256: [UInt8]) throws(LibraryError) -> AssetRow? {
        try databaseRead { db in
            try AssetRow.fetch(db, "WHERE sha256 = ? LIMIT 1", [Data(sha256)]).first
        }
    }
}

extension StagedFile {
    /// The path of the original, below `originals/`.
    fileprivate var originalPath: String {
        "\(LibraryLayout.day(of: createdAt))/\(id.text).\(fileExtension)"
    }
}

extension NewAsset {
    init(_ file: StagedFile, _ content: OriginalFile) {
        self.init(
            id: file.id, mediaType: file.mediaType, path: file.originalPath,
            fileExtension: file.fileExtension, bytes: content.bytes, sha256: content.sha256,
            createdAt: file.createdAt, timeConfidence: file.timeConfidence, width: file.width,
            height: file.height, orientation: file.orientation)
        location = file.location
        mediaSubtypes = file.mediaSubtypes ?? []
        duration = file.durationMicroseconds.map { MediaTime(value: $0, timescale: 1_000_000) }
    }
}

/// Copies passed files on one thread for all libraries. A stalled disk delays only other copies.
private actor HandoverCopier {
    private static let executor = ThreadExecutor("library-import")

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe Self.executor.asUnownedSerialExecutor()
    }

    func copy(_ file: PassedFile, to folder: StagingFolder, as id: UUID) throws {
        _ = try folder.copy(try file.reader(), bytes: try file.bytes(), as: id)
    }
}
