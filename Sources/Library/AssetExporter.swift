// SPDX-License-Identifier: GPL-3.0-or-later

internal import Crypto
internal import FoundationEssentials
internal import Glibc
internal import LinuxIO

/// One export, on a thread that it shares with other exports and not with the library.
actor AssetExporter {
    private static let executor = ThreadExecutor("library-export")

    private let layout: LibraryLayout
    private let directory: String
    private(set) var report = ExportReport()
    /// Turned off by the first pair of files that the kernel cannot copy between.
    private var copiesInKernel = true

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe Self.executor.asUnownedSerialExecutor()
    }

    init(layout: LibraryLayout, directory: String) {
        self.layout = layout
        self.directory = directory
    }

    func prepare() throws(LibraryError) {
        do {
            try FileTree.makeDirectory(directory)
        } catch {
            throw LibraryError("export to \(directory)", error)
        }
    }

    /// Waits until the names are on the medium; the contents are already.
    func finish() throws(LibraryError) {
        do {
            try DurableFile.synchronizeDirectory(directory)
        } catch {
            throw LibraryError("export to \(directory)", error)
        }
    }

    func fail(_ name: String, _ error: LibraryError) {
        report.failures.append(ExportReport.Failure(name: name, error: error))
    }

    /// Copies one original or notes why not; throws only what concerns the whole export.
    func copy(_ row: AssetRow) throws(LibraryError) {
        guard !Task.isCancelled else {
            throw LibraryError(
                .cancelled, "export to \(directory): stopped after \(report.exported.count) files")
        }
        let name = row.asset.fileName
        do throws(LibraryError) {
            guard AssetExporter.isPlainName(name) else {
                throw LibraryError(
                    .damaged, "asset \(row.asset.id.text): \"\(name)\" is no file name")
            }
            if try isThere(row.asset) {
                report.skipped.append(name)
            } else {
                try write(row)
                report.exported.append(name)
                report.bytes += row.asset.bytes
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
    static func isPlainName(_ name: String) -> Bool {
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

    private func isThere(_ asset: Asset) throws(LibraryError) -> Bool {
        let path = "\(directory)/\(asset.fileName)"
        do {
            guard let entry = try FileTree.entry(path) else { return false }
            if entry.kind == .file && Int64(entry.bytes) == asset.bytes,
                try hexadecimal(OriginalFile.scan(path).sha256) == asset.sha256
            {
                return true
            }
        } catch {
            throw LibraryError(what, error)
        }
        throw LibraryError(
            .conflict, "\(path): another file is there under this name: move it away")
    }

    private func write(_ row: AssetRow) throws(LibraryError) {
        let original = layout.original(row.path)
        let path = "\(directory)/\(row.asset.fileName)"
        let staging = "\(directory)/.\(row.asset.id.text)\(LibraryLayout.stagingSuffix)"
        let source: DurableFileReader
        do {
            source = try DurableFileReader(original)
        } catch {
            throw LibraryError("asset \(row.asset.id.text)", error)
        }
        do {
            // An earlier export that was cut off.
            try FileTree.remove(staging)
            var file = try DurableFile(
                in: directory, staging: staging, reserving: Int(row.asset.bytes))
            let hash = try transfer(source, to: &file)
            guard hash == row.asset.sha256 else {
                throw LibraryError(
                    .damaged,
                    "asset \(row.asset.id.text): \(original) is not what was stored "
                        + "(SHA-256 \(hash), stored \(row.asset.sha256))")
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
            hasher.update(data: block)
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
