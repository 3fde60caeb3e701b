// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// One export: copies assets into a folder, each under a name of its own; can be run again after any
/// end. Needs no open library, only the right to read the originals.
///
/// Nothing is written outside the folder and no picture in it is replaced: a file that is there with the
/// same content is skipped, one with another content fails. An earlier copy that differs in its words alone is
/// outdated, and replaced where ``ExportOptions/updatesWords`` says so. Each copy's hash is checked against the
/// library's. Where an asset's time was corrected the copy's EXIF says so, and where it is adjusted, or is to
/// be smaller, the copy shows that, under a name of its own; the original stays as it is. An asset that fails
/// is named in the report and the rest goes on.
///
/// The manifest that ``ExportOptions/writesManifest`` asks for has one JSON object a line, for every copy that this
/// export or an earlier one has put into the folder: `file` (path below the folder), `bytes` and `sha256` of the
/// copy, and `asset` as ``Asset`` encodes itself. Also an export that breaks off leaves a whole one.
///
/// Works on a thread that it shares with other exports and not with the library.
public actor AssetExporter {
    private static let executor = ThreadExecutor("library-export")

    private let options: ExportOptions
    private let foreign: (any ForeignPictures)?
    private var folder: ExportFolder
    private var manifest: ExportManifest?
    private var report = ExportReport()

    /// The thread of the exports.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe Self.executor.asUnownedSerialExecutor()
    }

    /// - Parameters:
    ///   - directory: Made if missing; the folder above must exist.
    ///   - foreign: For photos that are no JPEG and are to be turned, cut or made smaller: their copies are JPEGs.
    ///     Without it these fail.
    public init(
        to directory: String, _ options: ExportOptions = ExportOptions(),
        foreign: (any ForeignPictures)? = nil
    ) {
        folder = ExportFolder(directory)
        self.options = options
        self.foreign = foreign
    }

    /// Copies what `nextPage` gives until it gives `nil`.
    ///
    /// - Parameters:
    ///   - total: For the progress: how many items there will be, as far as is known.
    ///   - progress: Called after every item.
    /// - Throws: What ends the whole export: the folder cannot be used or is full, `conflict` when its
    ///   `manifest.jsonl` is somebody else's, `cancelled`; and what `nextPage` throws.
    public nonisolated func run(
        total: Int, progress: (ExportProgress) -> Void = { _ in },
        _ nextPage: () async throws -> [ExportItem]?
    ) async throws -> ExportReport {
        try await prepare()
        do {
            var done = 0
            while let page = try await nextPage() {
                for item in page {
                    switch item {
                    case .original(let original): try await copy(original)
                    case .unknown(let name, let error): await fail(name, isUnknown: true, error)
                    }
                    done += 1
                    progress(
                        ExportProgress(
                            done: done, total: max(total, done), bytes: await report.bytes))
                }
            }
        } catch {
            // What broke it off is what is told.
            try? await finish()
            throw error
        }
        try await finish()
        return await report
    }

    private func prepare() throws(LibraryError) {
        try folder.prepare()
        if options.writesManifest { manifest = try ExportManifest(in: folder.path) }
    }

    /// Waits until the names are on the medium; the contents are already.
    private func finish() throws(LibraryError) {
        if let manifest = manifest.take() { report.manifest = try manifest.finish() }
        try folder.finish()
    }

    private func fail(_ name: String, isUnknown: Bool = false, _ error: LibraryError) {
        report.failures.add(
            ExportReport.Failure(name: name, isUnknown: isUnknown, error: error))
        if isUnknown { report.unknown += 1 }
    }

    /// Copies one original or notes why not; throws only what concerns the whole export.
    private func copy(_ original: AssetResource) async throws(LibraryError) {
        guard !Task.isCancelled else {
            throw LibraryError(
                .cancelled, "export to \(folder.path): stopped after \(report.exported.count) files"
            )
        }
        let asset = original.asset
        var name = asset.fileName
        var wantsSidecar = options.wantsSidecar(of: asset)
        do throws(LibraryError) {
            name = try options.path(of: asset)
            if let copy = try await ExportedCopy(of: original, options, foreign) {
                if copy.lacksWords { wantsSidecar = true }
                try put(copy, of: asset, as: name)
            } else {
                try put(
                    original.original, of: asset, as: name,
                    inWords: options.version == .current && asset.takesWords
                        ? { () throws(LibraryError) in try ExportedCopy(asItIs: original) } : nil)
            }
        } catch {
            try note(error, name)
        }
        if wantsSidecar { try copySidecar(of: asset, beside: name) }
        guard options.version == .original, let alternate = asset.alternatePhoto,
            let raw = original.alternate
        else { return }
        name = asset.fileName
        do throws(LibraryError) {
            name = try options.path(of: asset, beside: alternate.fileExtension)
            try put(raw, of: asset, as: name)
        } catch {
            try note(error, name)
        }
    }

    private func copySidecar(of asset: Asset, beside copy: String) throws(LibraryError) {
        let name = "\(copy).xmp"
        do throws(LibraryError) {
            try put(try ExportedCopy(sidecarOf: asset), of: asset, as: name)
        } catch {
            try note(error, name)
        }
    }

    /// Notes why a file is not copied; throws only what concerns the whole export.
    private func note(_ error: LibraryError, _ name: String) throws(LibraryError) {
        if endsExport(error) {
            throw LibraryError(
                error.code, "\(error.message) (after \(report.exported.count) files)",
                underlying: error.underlying)
        }
        fail(name, error)
    }

    private func put(
        _ copy: ExportedCopy, of asset: Asset, as name: String
    ) throws(LibraryError) {
        try put(
            asset, as: name, Int64(copy.bytes), copy.sha256,
            inWords: { () throws(LibraryError) in copy }
        ) { (folder) throws(LibraryError) in
            try folder.write(copy, of: asset, as: name)
        }
    }

    private func put(
        _ file: StoredFile, of asset: Asset, as name: String,
        inWords: (() throws(LibraryError) -> ExportedCopy)? = nil
    ) throws(LibraryError) {
        try put(asset, as: name, file.bytes, file.sha256, inWords: inWords) {
            (folder) throws(LibraryError) in
            try folder.write(file, of: asset, as: name)
        }
    }

    /// Has `write` write a file, unless it is there.
    ///
    /// - Parameter inWords: Makes the copy where an earlier one may differ from it in its words alone.
    private func put(
        _ asset: Asset, as name: String, _ bytes: Int64, _ sha256: String,
        inWords: (() throws(LibraryError) -> ExportedCopy)?,
        _ write: (inout ExportFolder) throws(LibraryError) -> Void
    ) throws(LibraryError) {
        switch try folder.occupant(of: name, bytes, sha256) {
        case .same:
            report.skipped.add(name)
        case .none:
            try write(&folder)
            report.exported.add(name)
            report.bytes += bytes
        case .other:
            guard let copy = try inWords?(), let earlier = try folder.content(of: name),
                copy.differsInWords(from: earlier)
            else { throw folder.occupied(name) }
            guard options.updatesWords else {
                report.outdated.add(name)
                return
            }
            try folder.write(copy, of: asset, as: name, replaces: true)
            report.updated.add(name)
            report.bytes += bytes
        }
        try manifest?.add(name, bytes: bytes, sha256: sha256, asset)
    }

    /// A target that is full, gone or not writable fails every other asset too; a name that it does not take fails one.
    private func endsExport(_ error: LibraryError) -> Bool {
        guard let refusal = error.underlying as? SystemCallError,
            PathName(refusal.path).isInside(folder.path)
        else { return false }
        return switch error.code {
        case .full, .readOnly, .permission: true
        case .notFound: !folder.isThere
        default: false
        }
    }
}
