// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import GRDB
internal import Glibc
internal import LinuxIO
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
            let content = try await content(of: file)
            guard hexadecimal(content.sha256) == file.sha256 else {
                throw LibraryError(
                    .damaged, "import \(file.id.text): the copy is not what was copied")
            }
            return try await take(file, content)
        } catch {
            stagingFolder().discard(file.id)
            throw error
        }
    }

    private nonisolated func content(of file: StagedFile) async throws(LibraryError) -> OriginalFile
    {
        do {
            return try await reader.scan(layout.staged(file.id))
        } catch {
            throw LibraryError("import", error)
        }
    }

    private func take(
        _ file: StagedFile, _ content: OriginalFile
    ) throws(LibraryError) -> ImportOutcome {
        try requireWritable()
        if let known = try row(content: content.sha256) {
            return try found(known, again: file)
        }
        // It takes up its space already.
        try requireSpace(0)
        let day = LibraryLayout.day(of: file.createdAt)
        let path = "\(day)/\(file.id.text).\(file.fileExtension)"
        try prepare(day: day)
        do {
            try FileTree.move(layout.staged(file.id), to: layout.original(path))
        } catch {
            // The name may be there or not; the next open looks.
            failedDays.insert(day)
            currentDay = nil
            let failure = LibraryError("import \(file.id.text)", error)
            if [EIO, EROFS].contains(error.code) { degrade("\(error)") }
            throw failure
        }
        var new = NewAsset(
            id: file.id, path: path, fileExtension: file.fileExtension, bytes: content.bytes,
            sha256: content.sha256, createdAt: file.createdAt,
            timeConfidence: file.timeConfidence, width: file.width, height: file.height,
            orientation: file.orientation)
        new.mediaType = file.mediaType
        new.location = file.location
        new.duration = file.durationMicroseconds.map {
            MediaTime(value: $0, timescale: 1_000_000)
        }
        let asset = try commit(new, from: .import)
        if let thumbnail = file.thumbnail {
            DerivedFile.write(Array(thumbnail), to: layout.thumbnail(file.id), in: layout)
        }
        return ImportOutcome(asset, isNew: true)
    }

    /// What is there already stays, and the file is taken away; but where the original is gone, or not as long as
    /// it was, the file takes its place.
    private func found(
        _ known: AssetRow, again file: StagedFile
    ) throws(LibraryError) -> ImportOutcome {
        let original = layout.original(known.path)
        do {
            let entry = try FileTree.entry(original)
            if let entry, entry.kind == .file, Int64(entry.bytes) == known.asset.bytes {
                stagingFolder().discard(file.id)
                return ImportOutcome(known.asset, isNew: false)
            }
            if entry != nil { _ = try layout.quarantine("originals/\(known.path)") }
            let folders = known.path.split(separator: "/").dropLast().map(String.init)
            try FileTree.makeDirectories(["originals"] + folders, below: layout.root)
            try FileTree.move(layout.staged(file.id), to: original)
        } catch let error as LibraryError {
            throw error
        } catch let error as SystemCallError {
            throw LibraryError("import \(file.id.text)", error)
        } catch {
            throw LibraryError(.io, "import \(file.id.text): \(error)", underlying: error)
        }
        return ImportOutcome(known.asset, isNew: false)
    }

    private func row(content sha256: [UInt8]) throws(LibraryError) -> AssetRow? {
        try databaseRead { db in
            try AssetRow.fetch(db, "WHERE sha256 = ? LIMIT 1", [Data(sha256)]).first
        }
    }
}
