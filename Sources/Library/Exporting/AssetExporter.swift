// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// An export of assets into a folder, each under a name of its own. It can be repeated after any
/// interruption. It needs no open library, only the right to read the originals.
///
/// Nothing is written outside the folder and no picture in it is replaced. An existing file with
/// the same content is skipped; one with other content is a failure. An earlier copy that differs
/// only in metadata is outdated, and replaced if ``ExportOptions/updatesWords`` is set.
///
/// Originals are checked against the library's hashes. A copy has the asset's corrected time in its
/// EXIF. An adjusted or smaller picture gets a name of its own; the original stays as it is. After
/// a failure, which the report names, the export continues with the other assets.
///
/// The manifest that ``ExportOptions/writesManifest`` asks for has one JSON object per line, for
/// each copy of this export or an earlier one in the folder: `file` (path below the folder),
/// `bytes` and `sha256` of the copy, and `asset` as ``Asset`` encodes itself. An interrupted export
/// leaves a complete one too.
///
/// All exports share a thread, which the library does not use.
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

    /// Creates an export to `directory`, which is created if it is missing; its parent must exist.
    /// `foreign` reads photos that are not JPEGs, if they are to be rotated, cropped or made
    /// smaller. Their copies are JPEGs. They fail if it is `nil`.
    public init(
        to directory: String, _ options: ExportOptions = ExportOptions(),
        foreign: (any ForeignPictures)? = nil
    ) {
        folder = ExportFolder(directory)
        self.options = options
        self.foreign = foreign
    }

    /// Copies the items of each page until `nextPage` returns `nil`. Calls `progress` after every
    /// item; `total` is the expected number of items.
    /// - Throws: What ends the whole export: the folder is unusable or full, `conflict` if its
    ///   `manifest.jsonl` is another program's, `cancelled`; the errors of `nextPage`.
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
            // The first error is the one to report.
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

    private func finish() throws(LibraryError) {
        if let manifest = manifest.take() { report.manifest = try manifest.finish() }
        try folder.finish()
    }

    private func fail(_ name: String, isUnknown: Bool = false, _ error: LibraryError) {
        report.failures.add(
            ExportReport.Failure(name: name, isUnknown: isUnknown, error: error))
        if isUnknown { report.unknown += 1 }
    }

    /// Copies an original or records its failure; throws only errors that concern the whole export.
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
            if asset.isRemoteOnly { throw .remoteOnly(asset) }
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

    /// Records a failure; throws only errors that concern the whole export.
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

    /// Calls `write` to write a file, unless it is already there. `inWords` makes the copy to
    /// compare, if an earlier one may have other metadata.
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

    /// Whether an error concerns the whole export: a target that is full, gone or not writable
    /// fails every asset, a name that it does not accept only one.
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
