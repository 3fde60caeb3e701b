// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import GRDB
internal import Glibc
internal import Hashing
internal import LinuxIO
internal import Store

extension AssetLibrary {
    /// Stores a still and returns once it survives a power cut. Adding the same photo again returns
    /// the existing asset.
    ///
    /// The library reserves space, writes and synchronizes an unnamed file, then names it and
    /// synchronizes its folder. One transaction makes it an asset. The photo's DNG, if any, is
    /// stored beside it and belongs to the same transaction; if that fails or has no room, the
    /// asset has no RAW. The thumbnail is written without fsync.
    /// - Throws: `full`, with nothing changed; `io` if the medium failed twice, after which the
    ///   library is read-only; `readOnly`; `conflict` if another photo has the id; `invalid`;
    ///   `closed`.
    @discardableResult
    public func add(_ photo: FinishedPhoto) throws(LibraryError) -> Asset {
        do throws(LibraryError) {
            return try store(photo)
        } catch {
            if ![.conflict, .invalid].contains(error.code) { refusal = error.code }
            throw error
        }
    }

    private func store(_ photo: FinishedPhoto) throws(LibraryError) -> Asset {
        try requireWritable()
        let fileExtension = photo.fileExtension.lowercased()
        let bytes = photo.chunks.reduce(0) { $0 + $1.count }
        guard bytes > 0, LibraryLayout.isOriginalExtension(fileExtension) else {
            throw LibraryError(
                .invalid, "photo \(photo.id.text): \(bytes) bytes of \"\(fileExtension)\"")
        }
        if let known = try row(of: photo.id) { return try confirm(known, is: photo) }
        let allBytes = Int64(bytes + (photo.raw?.count ?? 0))
        largestPhoto = max(largestPhoto, allBytes)
        try requireSpace(Int64(bytes))

        let day = LibraryLayout.day(of: photo.createdAt)
        let path = "\(day)/\(photo.id.text).\(fileExtension)"
        let hash = try writeOriginal(photo, day: day, path: layout.original(path))
        var new = NewAsset(
            id: photo.id, path: path, fileExtension: fileExtension, bytes: Int64(bytes),
            sha256: hash, createdAt: photo.createdAt, timeConfidence: photo.timeConfidence,
            bootID: photo.bootID, boottime: photo.boottime, width: photo.width,
            height: photo.height, orientation: photo.orientation,
            frameSequence: photo.frameSequence,
            shutterOffsetMicroseconds: photo.shutterOffsetMicroseconds,
            shutterReference: photo.shutterReference, deviceName: photo.deviceName,
            sessionID: photo.sessionID)
        new.mediaSubtypes = photo.mediaSubtypes
        new.burstID = photo.burstID
        new.representsBurst = photo.representsBurst
        new.location = photo.location
        let raw = storeRaw(of: photo, beside: path)
        let asset = try commit(new, with: raw)
        if let thumbnail = photo.thumbnail {
            DerivedFile.write(thumbnail, to: layout.thumbnail(photo.id), in: layout)
        }
        return asset
    }

    func row(of id: UUID) throws(LibraryError) -> AssetRow? {
        try databaseRead { db in try AssetRow.fetch(db, of: id) }
    }

    private func confirm(
        _ known: AssetRow, is photo: FinishedPhoto
    ) throws(LibraryError) -> Asset {
        guard hexadecimal(SHA256.hash(photo.chunks)) == known.asset.sha256 else {
            throw LibraryError(
                .conflict,
                "photo \(photo.id.text): asset \(known.asset.sequence) has this id and another "
                    + "content")
        }
        return known.asset
    }

    /// Makes the day's folder durable and notes it in the database before any file is named there.
    /// This happens once a day, so a still usually needs no second transaction.
    func prepare(day: String) throws(LibraryError) {
        guard currentDay != day else { return }
        do {
            let components = ["originals"] + day.split(separator: "/").map(String.init)
            try FileTree.makeDirectories(components, below: layout.root)
        } catch {
            throw LibraryError("library \(path)", error)
        }
        let unresolved = unresolvedDays
        try databaseWrite { db in
            try LibraryOpener.forgetDays(db, except: unresolved)
            try db.execute(
                sql: """
                    INSERT INTO ingest_day (path, first_sequence)
                    VALUES (?, (SELECT coalesce(max(sequence), 0) + 1 FROM asset))
                    ON CONFLICT (path) DO UPDATE SET first_sequence = excluded.first_sequence
                    """, arguments: [day])
        }
        currentDay = day
    }

    /// Writes the file, and once more as a new file if the medium failed or the folder is gone.
    private func writeOriginal(
        _ photo: FinishedPhoto, day: String, path: String
    ) throws(LibraryError) -> [UInt8] {
        var isRepeated = false
        while true {
            try prepare(day: day)
            var hasher = SHA256()
            do {
                try DurableFile.write(
                    photo.chunks, to: path, staging: layout.staging(photo.id)
                ) { hasher.update($0) }
                return hasher.finalize()
            } catch {
                switch error.code {
                case EEXIST where !isRepeated:
                    return try confirmOrphan(photo, path: path)
                case ENOENT where !isRepeated:
                    currentDay = nil
                case EIO where !isRepeated, ENODEV where !isRepeated, ENXIO where !isRepeated:
                    break
                case EEXIST, EIO, ENODEV, ENXIO, EROFS:
                    degrade("\(error)")
                    throw LibraryError("photo \(photo.id.text)", error)
                default:
                    throw LibraryError("photo \(photo.id.text)", error)
                }
                isRepeated = true
            }
        }
    }

    /// Checks the file that an earlier attempt has named: it must be the same photo.
    private func confirmOrphan(
        _ photo: FinishedPhoto, path: String
    ) throws(LibraryError) -> [UInt8] {
        let hash = SHA256.hash(photo.chunks)
        do {
            guard try OriginalFile.scan(path).sha256 == hash else {
                throw LibraryError(
                    .conflict, "photo \(photo.id.text): \(path) has another content")
            }
            try DurableFile.synchronizeDirectory(
                layout.original(LibraryLayout.day(of: photo.createdAt)))
        } catch let error as SystemCallError {
            throw LibraryError("photo \(photo.id.text)", error)
        } catch let error as LibraryError {
            throw error
        } catch {
            throw LibraryError(.io, "\(path): \(error)", underlying: error)
        }
        return hash
    }

    /// Makes an asset of an original that is in its place, and of the RAW beside it.
    func commit(
        _ new: NewAsset, with raw: NewAlternate? = nil, changes: [AssetChange] = [],
        from origin: ChangeOrigin = .capture
    ) throws(LibraryError) -> Asset {
        let now = Clock.wall
        let beside = raw.map { LibraryLayout.path(new.path, beside: $0.fileExtension) }
        return try settling([new.path] + [beside].compactMap(\.self)) {
            () throws(LibraryError) in
            try change(from: origin) { db in
                let asset = try new.insert(db, origin: origin, now: now)
                if raw == nil && changes.isEmpty { return asset }
                var transaction = ChangeTransaction(db, origin, now)
                if let raw { _ = try transaction.attach(raw) }
                for change in changes { try transaction.change([new.id], change) }
                return try AssetRow.fetch(db, of: new.id)?.asset ?? asset
            }
        }
    }

    /// Runs the transaction that inserts the rows of files in the current day's folder. If the disk
    /// is full, removes the files; after any other error, keeps the day noted for the next open.
    func settling<Value>(
        _ paths: [String], _ transaction: () throws(LibraryError) -> Value
    ) throws(LibraryError) -> Value {
        do {
            return try transaction()
        } catch {
            if error.code == .full {
                // The transaction was certainly rolled back: the files would only use space.
                for path in paths { try? FileTree.remove(layout.original(path)) }
            } else {
                // The commit may be on the medium. If it is not, the next open adopts the files.
                if let currentDay { failedDays.insert(currentDay) }
            }
            throw error
        }
    }

    /// Runs a transaction. A medium failure in it makes the library read-only.
    func databaseWrite<Value>(
        sortsOnDisk: Bool = false, _ body: (Database) throws -> Value
    ) throws(LibraryError) -> Value {
        do {
            return try database.write(sortsOnDisk: sortsOnDisk, body)
        } catch {
            degrade(after: error)
            throw LibraryError(error)
        }
    }

    func databaseRead<Value>(
        _ body: (Database) throws -> Value
    ) throws(LibraryError) -> Value {
        do {
            return try database.read(body)
        } catch {
            throw LibraryError(error)
        }
    }
}
