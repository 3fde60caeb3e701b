// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials
internal import GRDB
internal import Glibc
public import LinuxIO
internal import Media

extension AssetLibrary {
    /// Where files are put that are to be imported.
    public nonisolated func stagingFolder() -> StagingFolder {
        StagingFolder(library: path, reserve: reserve)
    }

    /// What ``take(_:)`` would answer to a file of this content (SHA-256, hexadecimal): `nil` where it would be a new
    /// asset, and where the original is not there as it was, so that the file takes its place.
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

    /// Makes an asset of a file in the ``stagingFolder()`` and returns when that survives a power cut. The
    /// file itself becomes the original; nothing is copied. Where its content is an asset's already, also
    /// one in "recently deleted", the file is taken away.
    ///
    /// - Throws: with the file taken away: `invalid` for what no asset can be; `damaged` when its content is not
    ///   what it is said to be; `notFound`; `full`, `io`, `readOnly`, `closed`.
    public nonisolated func take(_ file: StagedFile) async throws(LibraryError) -> ImportOutcome {
        do throws(LibraryError) {
            try file.check()
            return try await take(
                file, try await stagedContent(file.id, sha256: file.sha256))
        } catch {
            await discard([file.id])
            throw error
        }
    }

    /// What is in a file of the ``stagingFolder()``.
    /// - Throws: `damaged` where that is not what was said; `notFound`, `io`.
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
            throw LibraryError(.damaged, "import \(id.text): the copy is not what was copied")
        }
        return content
    }

    /// As ``take(_:)``, of a file that somebody has opened who may not write to the folder. The asset has another id
    /// then: nobody knows under which name the copy lies there.
    ///
    /// - Throws: `damaged`, too, when the file is another by now.
    public nonisolated func take(
        _ file: StagedFile, from passed: PassedFile
    ) async throws(LibraryError) -> ImportOutcome {
        try await requireWritable()
        var file = file
        file.id = UUID()
        try await stage(passed, as: file.id)
        return try await take(file)
    }

    /// Takes the copy away again where it fails.
    nonisolated func stage(_ passed: PassedFile, as id: UUID) async throws(LibraryError) {
        do {
            try await HandoverCopier().copy(passed, to: stagingFolder(), as: id)
        } catch {
            await discard([id])
            throw importFailure(id, error)
        }
    }

    /// Takes staged files away, on the library's own thread, which may wait for the medium.
    func discard(_ staged: [UUID]) {
        for id in staged { stagingFolder().discard(id) }
    }

    private func take(
        _ file: StagedFile, _ content: OriginalFile
    ) throws(LibraryError) -> ImportOutcome {
        try requireWritable()
        if let known = try row(content: content.sha256) {
            try putBack(file.id, as: known.original)
            return ImportOutcome(known.asset, isNew: false)
        }
        try place(file)
        let asset = try commit(NewAsset(file, content), changes: file.changes, from: .import)
        keepThumbnail(of: file)
        return ImportOutcome(asset, isNew: true)
    }

    /// Moves a file from the ``stagingFolder()`` to where its asset's original is to lie.
    func place(_ file: StagedFile) throws(LibraryError) {
        // It takes up its space already.
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

    /// A file that could not be given its name in a day's folder, or perhaps could: the next open looks.
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

    /// What is there already stays, and the staged file is taken away; but where it is gone, or not as long as it was,
    /// the staged one takes its place.
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
    /// Where the original lies, below `originals/`.
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

/// Copies what is handed over on a thread of its own: what comes from a disk that does not answer holds up nobody but
/// others of its kind.
private actor HandoverCopier {
    private static let executor = ThreadExecutor("library-import")

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe Self.executor.asUnownedSerialExecutor()
    }

    func copy(_ file: PassedFile, to folder: StagingFolder, as id: UUID) throws {
        _ = try folder.copy(try file.reader(), bytes: try file.bytes(), as: id)
    }
}
