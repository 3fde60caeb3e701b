// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
public import Library
public import LinuxIO
internal import Media

/// Imports files into a library one by one, each wholly or not at all. An interrupted import can be
/// repeated: a file that is already in the library only costs the time to read it.
public struct LibraryImporter {
    private let library: any AssetEditor
    private let inspector: MediaInspector
    private let owner: OwnerIdentity?

    /// Imports into an open library or the running appliance's. The process acts as `owner`; it is
    /// root only to find and read files.
    public init(
        into library: any AssetEditor, inspector: MediaInspector, owner: OwnerIdentity? = nil
    ) {
        self.library = library
        self.inspector = inspector
        self.owner = owner
    }

    /// Imports files and the contents of folders. Hidden files and links in folders are skipped.
    /// - Returns: the outcome of each file, even if an ``ImportReport/interruption`` ended it.
    /// - Throws: the error that prevented the start; `CancellationError` if the task is cancelled.
    ///   Earlier files are then in the library, and `progress` has counted them.
    public func run(
        _ paths: [String], progress: (ImportProgress) -> Void = { _ in }
    ) async throws -> ImportReport {
        let folder = try await library.stagingFolder()
        let sources = try await asCaller { ImportSources(paths, library: folder.library) }
        var report = ImportReport()
        report.failures = sources.failures
        do {
            try await importAll(sources, folder, &report, progress)
        } catch let error as CancellationError {
            throw error
        } catch let interruption as Interruption {
            report.interruption = interruption.reason
        } catch {
            report.interruption = error
        }
        return report
    }

    /// The library, or the process that has it open, does not respond.
    private struct Interruption: Error { let reason: any Error }

    /// Turns errors other than `LibraryError` and cancellation into an ``Interruption``.
    private func asking<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error where error is LibraryError || error is CancellationError {
            throw error
        } catch {
            throw Interruption(reason: error)
        }
    }

    private func importAll(
        _ sources: ImportSources, _ folder: StagingFolder, _ report: inout ImportReport,
        _ progress: (ImportProgress) -> Void
    ) async throws {
        for (index, source) in sources.files.enumerated() {
            progress(ImportProgress(done: index, total: sources.files.count))
            try Task.checkCancellation()
            let photo = try await noting(source.path, in: &report) { report in
                try await importFile(source, folder, &report)
            }
            guard let raw = source.raw else { continue }
            try await noting(raw, in: &report) { report in
                guard let photo else { throw ImportError.noPicture }
                if photo.isDeleted {
                    report.duplicates.append(.init(path: raw, asset: photo.id, isDeleted: true))
                } else {
                    try await attach(raw, to: photo.id, folder, &report)
                }
            }
        }
        progress(ImportProgress(done: sources.files.count, total: sources.files.count))
    }

    /// Runs `body` for one file. Reports an error about the file, and returns `nil` then.
    @discardableResult
    private func noting<Value>(
        _ path: String, in report: inout ImportReport,
        _ body: (inout ImportReport) async throws -> Value?
    ) async throws -> Value? {
        do {
            return try await body(&report)
        } catch let error as LibraryError where !error.isOfOneFile {
            throw error
        } catch let error as Interruption {
            throw error
        } catch {
            // The error of a program that cancellation ended says nothing about the file.
            try Task.checkCancellation()
            report.failures.append(.init(path: path, error: error))
            return nil
        }
    }

    /// Imports a file and returns its asset, new or existing; `nil` if the file is ignored.
    private func importFile(
        _ source: ImportSources.Source, _ folder: StagingFolder, _ report: inout ImportReport
    ) async throws -> ImportOutcome? {
        let path = source.path
        guard let hash = try await asCaller({ try wantedHash(source) }) else {
            report.ignored.append(path)
            return nil
        }
        var outcome = try await asking { try await library.holder(ofContent: hash) }
        var remark: String?
        if outcome == nil {
            let staged = try await stage(source, hash: hash, in: folder)
            remark = staged.remark
            outcome = try await asking { try await library.importFile(staged.file) }
        }
        guard let outcome else { return nil }
        if outcome.isNew {
            if let remark { report.remarks.append(.init(path: path, message: remark)) }
            report.imported.append(outcome.id)
            report.bytes += outcome.bytes
        } else {
            report.duplicates.append(
                .init(path: path, asset: outcome.id, isDeleted: outcome.isDeleted))
        }
        return outcome
    }

    private func attach(
        _ path: String, to photo: UUID, _ folder: StagingFolder, _ report: inout ImportReport
    ) async throws {
        guard let format = RawFormat(name: path) else { return }
        let hash = try await asCaller {
            let reader = try DurableFileReader(path)
            guard format.isBeginning(try reader.read(upTo: RawFormat.bytesWanted)) else {
                throw ImportError(
                    .damaged, "its first bytes are not those of \(format.rawValue.uppercased())")
            }
            return try StagingFolder.sha256(of: path)
        }
        if try await asking({ try await library.hasAlternate(hash, of: photo) }) {
            report.duplicates.append(.init(path: path, asset: photo, isDeleted: false))
            return
        }
        let (id, bytes) = try await asCaller {
            (
                try await copy(path, hash: hash, in: folder).id,
                Int64(try FileTree.entry(path)?.bytes ?? 0)
            )
        }
        do {
            let staged = StagedAlternate(id: id, sha256: hash, format: format)
            if try await asking({ try await library.attach(staged, to: photo) }) {
                report.attached.append(photo)
                report.bytes += bytes
            } else {
                report.duplicates.append(.init(path: path, asset: photo, isDeleted: false))
            }
        } catch let error as LibraryError where error.code == .notFound {
            throw ImportError(.noPicture, "its photo was purged meanwhile")
        }
    }

    private func copy(
        _ path: String, hash: String, in folder: StagingFolder
    ) async throws -> (id: UUID, path: String) {
        let id = UUID()
        let copy = try await library.stage(path, as: id, in: folder)
        guard copy.sha256 == hash else {
            library.discard(id, from: folder)
            throw ImportError(
                .changed, "it was written to while it was copied: import it again")
        }
        return (id, copy.path)
    }

    private func asCaller<Value>(_ body: () async throws -> Value) async throws -> Value {
        if let owner { try await owner.asRoot(body) } else { try await body() }
    }

    /// Returns the SHA-256; `nil` for a folder's file that neither is nor claims to be media.
    private func wantedHash(_ source: ImportSources.Source) throws -> String? {
        if RawFormat(name: source.path) != nil { throw source.refusal ?? ImportError.noPicture }
        if source.isNamed, ImportSources.isSidecar(source.path) { throw ImportError.sidecarAlone }
        guard try inspector.kind(of: source.path) != nil else {
            if source.isNamed || MediaKind.isMeant(byName: source.path) {
                throw ImportError.notMedia
            }
            return nil
        }
        return try StagingFolder.sha256(of: source.path)
    }

    /// Copies the file with the caller's rights, then inspects the copy with the library's: files
    /// are not trusted, and the inspected bytes must be the imported ones. A file that is handed
    /// over to the appliance is inspected in place.
    private func stage(
        _ source: ImportSources.Source, hash: String, in folder: StagingFolder
    ) async throws -> (file: StagedFile, remark: String?) {
        let path = source.path
        let (staged, modified, sidecar) = try await asCaller {
            (
                try await copy(path, hash: hash, in: folder), lastWritten(path),
                source.sidecar.map { path in Result { try ImportedWords.sidecar(path) } }
            )
        }
        let id = staged.id
        do {
            let media = try await inspector.inspect(staged.path)
            try Task.checkCancellation()
            let words = ImportedWords(media.words, try? sidecar?.get())
            let time = media.createdAt ?? words.time
            let file = StagedFile(
                id: id, sha256: hash, mediaType: media.kind.mediaType,
                fileExtension: media.kind.fileExtension, createdAt: time ?? modified,
                timeConfidence: time == nil ? .unknown : .estimated,
                width: media.dimensions.width, height: media.dimensions.height,
                orientation: media.orientation, durationMicroseconds: media.durationMicroseconds,
                location: media.location ?? words.location, mediaSubtypes: media.mediaSubtypes,
                thumbnail: media.thumbnail.map { Data($0) }, caption: words.caption,
                keywords: words.keywords.isEmpty ? nil : words.keywords,
                isFavorite: words.isFavorite ? true : nil)
            var remarks = [media.remark, words.remark].compactMap(\.self)
            // The photo is worth more than its side-car.
            if case .failure(let error)? = sidecar {
                remarks.append("its side-car is left out: \(error)")
            }
            return (file, remarks.isEmpty ? nil : remarks.joined(separator: "; "))
        } catch let error as ImportError {
            library.discard(id, from: folder)
            throw ImportError(error.code, error.message.replacing(staged.path, with: path))
        } catch {
            library.discard(id, from: folder)
            throw error
        }
    }

    /// Returns the time of the last write, for a file that states no time of its own.
    private func lastWritten(_ path: String) -> WallTime {
        let modified = (try? FileTree.entry(path))??.modified ?? Clock.wall
        return WallTime(
            nanoseconds: modified, utcOffsetSeconds: Clock.utcOffset(at: modified))
    }
}

extension LibraryError {
    /// Whether the library can still take the next file.
    fileprivate var isOfOneFile: Bool { [.invalid, .damaged, .conflict].contains(code) }
}
