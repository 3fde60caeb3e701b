// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Glibc
internal import LinuxIO

/// One export: copies originals into a folder, each under its file name; can be run again after any
/// end. Needs no open library, only the right to read the originals.
///
/// Nothing is written outside the folder and nothing in it is replaced: a file that is there with the
/// same content is skipped, one with another content fails. Each copy's hash is checked against the
/// library's. Where an asset's time was corrected the copy's EXIF says so, and where it is adjusted the copy
/// shows that, under a name of its own; the original stays as it is. An asset that fails is named in the report and the rest goes on.
///
/// Works on a thread that it shares with other exports and not with the library.
public actor AssetExporter {
    private static let executor = ThreadExecutor("library-export")

    private let directory: String
    private let version: ExportVersion
    private var report = ExportReport()
    /// Turned off by the first pair of files that the kernel cannot copy between.
    private var copiesInKernel = true

    /// The thread of the exports.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe Self.executor.asUnownedSerialExecutor()
    }

    /// - Parameter directory: Made if missing; the folder above must exist.
    public init(to directory: String, _ version: ExportVersion = .current) {
        self.directory = directory
        self.version = version
    }

    /// Copies what `nextPage` gives until it gives `nil`.
    ///
    /// - Parameters:
    ///   - total: For the progress: how many items there will be, as far as is known.
    ///   - progress: Called after every item.
    /// - Throws: What ends the whole export: the folder cannot be used or is full, `cancelled`; and
    ///   what `nextPage` throws.
    public nonisolated func run(
        total: Int, progress: (ExportProgress) -> Void = { _ in },
        _ nextPage: () async throws -> [ExportItem]?
    ) async throws -> ExportReport {
        try await prepare()
        var done = 0
        while let page = try await nextPage() {
            for item in page {
                switch item {
                case .original(let original): try await copy(original)
                case .unknown(let name, let error): await fail(name, isUnknown: true, error)
                }
                done += 1
                progress(
                    ExportProgress(done: done, total: max(total, done), bytes: await report.bytes))
            }
        }
        try await finish()
        return await report
    }

    private func prepare() throws(LibraryError) {
        do {
            try FileTree.makeDirectory(directory)
        } catch {
            throw LibraryError("export to \(directory)", error)
        }
    }

    /// Waits until the names are on the medium; the contents are already.
    private func finish() throws(LibraryError) {
        do {
            try DurableFile.synchronizeDirectory(directory)
        } catch {
            throw LibraryError("export to \(directory)", error)
        }
    }

    private func fail(_ name: String, isUnknown: Bool = false, _ error: LibraryError) {
        report.failures.append(
            ExportReport.Failure(name: name, isUnknown: isUnknown, error: error))
    }

    /// Copies one original or notes why not; throws only what concerns the whole export.
    private func copy(_ original: AssetResource) throws(LibraryError) {
        guard !Task.isCancelled else {
            throw LibraryError(
                .cancelled, "export to \(directory): stopped after \(report.exported.count) files")
        }
        let asset = original.asset
        let name = version.name(of: asset)
        do throws(LibraryError) {
            guard AssetExporter.isPlainName(name) else {
                throw LibraryError(
                    .damaged, "asset \(asset.id.text): \"\(name)\" is no file name")
            }
            let copy = try ExportedCopy(of: original, version)
            let bytes = copy.map { Int64($0.bytes) } ?? asset.bytes
            if try isThere(name, bytes, copy?.sha256 ?? asset.sha256) {
                report.skipped.append(name)
            } else {
                if let copy {
                    try write(copy, of: asset)
                } else {
                    try write(original)
                }
                report.exported.append(name)
                report.bytes += bytes
            }
        } catch {
            if endsExport(error) {
                throw LibraryError(
                    error.code, "\(error.message) (after \(report.exported.count) files)",
                    underlying: error.underlying)
            }
            fail(name, error)
        }
    }

    /// One path component of printable characters, not hidden.
    private static func isPlainName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 200 && !name.hasPrefix(".")
            && name.utf8.allSatisfy { $0 != UInt8(ascii: "/") && $0 >= 0x20 && $0 != 0x7F }
    }

    /// A target that is full, gone or not writable fails every other asset too.
    private func endsExport(_ error: LibraryError) -> Bool {
        guard let refusal = error.underlying as? SystemCallError,
            refusal.path == directory || refusal.path.hasPrefix(directory + "/")
        else { return false }
        return [.full, .readOnly, .permission, .notFound].contains(error.code)
    }

    private var what: String { "export to \(directory)" }

    private func isThere(
        _ name: String, _ bytes: Int64, _ sha256: String
    ) throws(LibraryError) -> Bool {
        let path = "\(directory)/\(name)"
        do {
            guard let entry = try FileTree.entry(path) else { return false }
            if entry.kind == .file && Int64(entry.bytes) == bytes,
                try hexadecimal(OriginalFile.scan(path).sha256) == sha256
            {
                return true
            }
        } catch {
            throw LibraryError(what, error)
        }
        throw LibraryError(
            .conflict, "\(path): another file is there under this name")
    }

    private func staging(_ asset: Asset) -> String {
        "\(directory)/.\(asset.id.text)\(LibraryLayout.stagingSuffix)"
    }

    private func write(_ copy: ExportedCopy, of asset: Asset) throws(LibraryError) {
        do {
            try FileTree.remove(staging(asset))
            var file = try DurableFile(
                in: directory, staging: staging(asset), reserving: copy.bytes)
            for chunk in copy.chunks { try file.write(chunk) }
            try file.synchronize()
            try file.publish(as: "\(directory)/\(version.name(of: asset))")
        } catch {
            throw LibraryError(what, error)
        }
    }

    private func write(_ original: AssetResource) throws(LibraryError) {
        let asset = original.asset
        let path = "\(directory)/\(asset.fileName)"
        let staging = staging(asset)
        let source: DurableFileReader
        do {
            source = try DurableFileReader(original.path)
        } catch {
            throw LibraryError("asset \(asset.id.text)", error)
        }
        do {
            // An earlier export that was cut off.
            try FileTree.remove(staging)
            var file = try DurableFile(
                in: directory, staging: staging, reserving: Int(asset.bytes))
            let hash = try transfer(source, to: &file)
            guard hash == asset.sha256 else {
                throw LibraryError(
                    .damaged,
                    "asset \(asset.id.text): \(original.path) is not what was stored "
                        + "(SHA-256 \(hash), stored \(asset.sha256))")
            }
            try file.synchronize()
            try file.publish(as: path)
        } catch let error as LibraryError {
            throw error
        } catch let error as SystemCallError {
            throw LibraryError(what, error)
        } catch {
            throw LibraryError(.io, "\(what): \(error)", underlying: error)
        }
    }

    /// Copies block by block; every block is hashed as it was read from the original.
    private func transfer(
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
                // 0 is what some file systems answer instead of an error.
                if let got, got > 0 { copied += got } else { copiesInKernel = false }
            }
            if copied < block.count { try file.write(Array(block[copied...])) }
            offset += block.count
        }
    }
}
