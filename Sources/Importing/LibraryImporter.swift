// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials
public import Library
public import LinuxIO
internal import Media

/// Takes files into a library, one after the other: each wholly or not at all. Broken off, it is simply run
/// again: what is there already costs reading it.
public struct LibraryImporter {
    private let library: any AssetEditor
    private let inspector: MediaInspector
    private let owner: OwnerIdentity?

    /// - Parameters:
    ///   - library: An open one, or the running appliance's.
    ///   - owner: Whose rights the process has taken on to open the library: files are read as root then.
    public init(
        into library: any AssetEditor, inspector: MediaInspector, owner: OwnerIdentity? = nil
    ) {
        self.library = library
        self.inspector = inspector
        self.owner = owner
    }

    /// Imports files, and all that lies in folders; hidden files and links in folders are left out.
    ///
    /// - Throws: ``LibraryError`` when the library takes no more; what came before is in it, and in what
    ///   `progress` was told.
    public func run(
        _ paths: [String], progress: (ImportProgress) -> Void = { _ in }
    ) async throws -> ImportReport {
        let folder = try await library.stagingFolder()
        let sources = ImportSources(paths, library: folder.library)
        var report = ImportReport()
        report.failures = sources.failures
        for (index, source) in sources.files.enumerated() {
            progress(ImportProgress(done: index, total: sources.files.count))
            try Task.checkCancellation()
            do {
                try await take(source, folder, &report)
            } catch let error as LibraryError where !error.isOfOneFile {
                throw error
            } catch {
                report.failures.append(.init(path: source.path, error: error))
            }
        }
        progress(ImportProgress(done: sources.files.count, total: sources.files.count))
        return report
    }

    private func take(
        _ source: ImportSources.Source, _ folder: StagingFolder, _ report: inout ImportReport
    ) async throws {
        let path = source.path
        guard let hash = try await asCaller({ try wantedHash(source) }) else {
            report.ignored.append(path)
            return
        }
        // Where its original is gone, the copy takes its place: see AssetLibrary.take.
        if let known = try await asset(content: hash) {
            report.duplicates.append(.init(path: path, asset: known))
            return
        }
        let staged = try await asCaller {
            try copy(path, try await inspector.inspect(path), hash: hash, to: folder)
        }
        let outcome = try await library.take(staged)
        if outcome.isNew {
            report.imported.append(outcome.asset.id)
            report.bytes += outcome.asset.bytes
        } else {
            report.duplicates.append(.init(path: path, asset: outcome.asset))
        }
    }

    private func asCaller<Value>(_ body: () async throws -> Value) async throws -> Value {
        if let owner { try await owner.asRoot(body) } else { try await body() }
    }

    /// `nil` for what lies in a folder and does not claim to be a photo or video.
    private func wantedHash(_ source: ImportSources.Source) throws -> String? {
        let isMeant = source.isNamed || MediaKind.isMeant(byName: source.path)
        guard try isMeant || inspector.kind(of: source.path) != nil else { return nil }
        return try StagingFolder.sha256(of: source.path)
    }

    /// `nil` also for one whose original is not there as it was.
    private func asset(content hash: String) async throws -> Asset? {
        var options = FetchOptions.everything
        options.filter = AssetFilter.sha256 == hash
        let page = try await library.page(in: nil, options, after: nil, limit: 1)
        guard let known = page.assets.first,
            let entry = try? FileTree.entry(known.path), Int64(entry.bytes) == known.asset.bytes
        else { return nil }
        return known.asset
    }

    private func copy(
        _ path: String, _ media: InspectedMedia, hash: String, to folder: StagingFolder
    ) throws -> StagedFile {
        let id = UUID()
        guard try folder.copy(path, as: id) == hash else {
            folder.discard(id)
            throw ImportError(.changed, "it was written to while it was copied: import it again")
        }
        return StagedFile(
            id: id, sha256: hash, mediaType: media.kind.mediaType,
            fileExtension: media.kind.fileExtension,
            createdAt: media.createdAt ?? lastWritten(path),
            timeConfidence: media.createdAt == nil ? .unknown : .estimated,
            width: media.dimensions.width, height: media.dimensions.height,
            orientation: media.orientation, durationMicroseconds: media.durationMicroseconds,
            thumbnail: media.thumbnail.map { Data($0) })
    }

    /// Of a file that does not say when it was taken.
    private func lastWritten(_ path: String) -> WallTime {
        let modified = (try? FileTree.entry(path))??.modified ?? Clock.wall
        return WallTime(
            nanoseconds: modified, utcOffsetSeconds: Clock.utcOffset(at: modified))
    }
}

extension LibraryError {
    /// Whether the library takes the next file all the same.
    fileprivate var isOfOneFile: Bool { [.invalid, .damaged].contains(code) }
}
