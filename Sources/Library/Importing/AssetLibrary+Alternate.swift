// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials
internal import GRDB
internal import Hashing
public import LinuxIO

extension AssetLibrary {
    /// Returns whether a photo has this RAW (SHA-256, hexadecimal) and its file exists with the
    /// right size. `false` for an unknown photo.
    public nonisolated func hasAlternate(
        _ sha256: String, of asset: UUID
    ) async throws(LibraryError) -> Bool {
        let row = try await reading { db in try AssetRow.fetch(db, of: asset) }
        guard let file = row?.alternate, file.sha256 == sha256,
            let entry = try? await reader.entry(layout.original(file.path))
        else { return false }
        return Int64(entry.bytes) == file.bytes
    }

    /// Puts a RAW from the ``stagingFolder()`` beside a photo and returns once it survives a power
    /// cut. The file is moved, not copied. If the photo already has this RAW, the file replaces a
    /// missing one, or is removed.
    /// - Returns: Whether the photo had no such RAW before.
    /// - Throws: `notFound`; `conflict` if the photo has another RAW; `invalid` if the asset cannot
    ///   have one, or the file is no RAW of its format; `damaged` if the content does not match its
    ///   hash; `full`, `io`, `readOnly`, `closed`. The file is then removed.
    public nonisolated func attach(
        _ file: StagedAlternate, to asset: UUID
    ) async throws(LibraryError) -> Bool {
        do throws(LibraryError) {
            let content = try await stagedContent(file.id, sha256: file.sha256)
            let beginning = try await beginning(of: file.id)
            guard let format = RawFormat(rawValue: file.fileExtension),
                format.isBeginning(beginning)
            else {
                throw LibraryError(
                    .invalid, "import \(file.id.text): \(file.fileExtension) is not a kind of RAW")
            }
            return try await attach(content, file, to: asset)
        } catch {
            await discard([file.id])
            throw error
        }
    }

    private func beginning(of staged: UUID) throws(LibraryError) -> [UInt8] {
        try OriginalFile.content(
            of: layout.staged(staged), in: 0..<RawFormat.bytesWanted, "import")
    }

    /// Attaches a RAW that another process has opened, because it may not write to the staging
    /// folder. See ``attach(_:to:)``.
    public nonisolated func attach(
        _ file: StagedAlternate, from passed: PassedFile, to asset: UUID
    ) async throws(LibraryError) -> Bool {
        try await requireWritable()
        var file = file
        file.id = UUID()
        try await stage(passed, as: file.id)
        return try await attach(file, to: asset)
    }

    private func attach(
        _ content: OriginalFile, _ file: StagedAlternate, to asset: UUID
    ) throws(LibraryError) -> Bool {
        try requireWritable()
        guard let row = try row(of: asset) else {
            throw LibraryError(.notFound, "asset \(asset.text) does not exist")
        }
        let what = "asset \(row.asset.sequence)"
        if let known = row.alternate {
            if known.sha256 == file.sha256 {
                try putBack(file.id, as: known)
                try noteReturn(of: row)
                return false
            }
            // A RAW whose file is lost may be replaced.
            guard isGone(known) else {
                throw LibraryError(.conflict, "\(what): it has another RAW already")
            }
        }
        let path = LibraryLayout.path(row.path, beside: file.fileExtension)
        guard row.asset.mediaType == .photo, path != row.path else {
            throw LibraryError(.invalid, "\(what): only a photo has a RAW beside it")
        }
        // The staged file already uses its space.
        try requireSpace(0)
        let day = LibraryLayout.folder(of: path)
        try prepare(day: day)
        do {
            try place(file.id, content.sha256, at: path)
        } catch {
            throw unfinishedImport(file.id, in: day, error)
        }
        let new = NewAlternate(
            asset: asset, fileExtension: file.fileExtension, bytes: content.bytes,
            sha256: content.sha256)
        _ = try settling([path]) { () throws(LibraryError) in
            try change(from: .import) { db in
                var transaction = ChangeTransaction(db, .import, Clock.wall)
                return try transaction.attach(new, replacing: true)
            }
        }
        return true
    }

    /// Stores a photo's DNG beside its original. The caller inserts the row.
    /// - Returns: `nil` if the photo has no DNG or storing it failed. The photo is kept anyway.
    func storeRaw(of photo: FinishedPhoto, beside original: String) -> NewAlternate? {
        guard let raw = photo.raw else { return nil }
        let dng = RawFormat.dng.rawValue
        let path = LibraryLayout.path(original, beside: dng)
        let hash = SHA256.hash([raw])
        do {
            try requireSpace(Int64(raw.count))
            try DurableFile.write(
                [raw], to: layout.staged(photo.id), staging: layout.staging(photo.id))
            try place(photo.id, hash, at: path)
        } catch {
            stagingFolder().discard(photo.id)
            try? FileTree.remove(layout.original(path))
            return nil
        }
        return NewAlternate(
            asset: photo.id, fileExtension: dng, bytes: Int64(raw.count), sha256: hash)
    }

    private func isGone(_ file: StoredFile) -> Bool {
        do { return try FileTree.entry(layout.original(file.path)) == nil } catch { return false }
    }

    /// Moves a staged RAW to its place. A file that an earlier attempt left there is kept if it is
    /// the same, otherwise it goes to quarantine.
    private func place(_ staged: UUID, _ sha256: [UInt8], at path: String) throws {
        let target = layout.original(path)
        if try FileTree.entry(target) != nil {
            if try OriginalFile.scan(target).sha256 == sha256 {
                try DurableFile.synchronizeDirectory(PathName(target).parent)
                return stagingFolder().discard(staged)
            }
            _ = try layout.quarantine("originals/\(path)")
        }
        try FileTree.move(layout.staged(staged), to: target)
    }
}

/// A RAW that is in its place beside a photo but has no row yet.
struct NewAlternate {
    let asset: UUID
    let fileExtension: String
    let bytes: Int64
    let sha256: [UInt8]
}

extension ChangeTransaction {
    /// Inserts the row of a RAW and returns whether that succeeded. Nothing changes if the photo is
    /// gone, or has a RAW and `replacing` is false.
    mutating func attach(_ new: NewAlternate, replacing: Bool = false) throws -> Bool {
        if replacing {
            _ = try execute(
                """
                DELETE FROM alternate_photo
                WHERE asset = (SELECT sequence FROM asset WHERE id = ?)
                """, [new.asset.text])
        }
        let isNew = try execute(
            """
            INSERT OR IGNORE INTO alternate_photo (asset, file_extension, bytes, sha256)
            SELECT sequence, ?, ?, ? FROM asset WHERE id = ?
            """, [new.fileExtension, new.bytes, Data(new.sha256), new.asset.text])
        guard isNew else { return false }
        let asset = try ChangedAsset(db, new.asset)
        _ = try execute(
            "UPDATE asset SET modified_at = ? WHERE sequence = ?", [now, asset.sequence])
        try log(.updated, asset: asset.sequence)
        return true
    }
}
