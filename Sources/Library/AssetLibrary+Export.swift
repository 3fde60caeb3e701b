// SPDX-License-Identifier: GPL-3.0-or-later

/// How far an export is.
public struct ExportProgress: Sendable, Equatable {
    /// Assets dealt with: copied, already there or failed.
    public let done: Int
    /// What the export was asked for.
    public let total: Int
    /// Of the originals copied.
    public let bytes: Int64
}

/// How an export went.
public struct ExportReport: Sendable {
    /// An asset that was not exported, by its file name or by what the caller asked for.
    public struct Failure: Sendable {
        /// The asset's file name, or what the caller asked for.
        public let name: String
        /// Why it was not exported.
        public let error: LibraryError
    }

    /// File names written.
    public internal(set) var exported: [String] = []
    /// File names that were there with the same content.
    public internal(set) var skipped: [String] = []
    /// Assets that were not exported, with the reason.
    public internal(set) var failures: [Failure] = []
    /// Copied.
    public internal(set) var bytes: Int64 = 0
}

extension AssetLibrary {
    /// Copies originals into a folder, each under its file name; can be run again after any end.
    ///
    /// Nothing is written outside the folder and nothing in it is replaced: a file that is there with
    /// the same content is skipped, one with another content fails. Each copy's hash is checked against
    /// the library's. An asset that fails is named in the report and the rest goes on. Taking photos
    /// is not held up.
    ///
    /// - Parameters:
    ///   - ids: What ``asset(id:)`` understands; `nil` for everything that is there now.
    ///   - directory: Made if missing; the folder above must exist.
    ///   - progress: Called after every asset, on a thread of the library's.
    /// - Throws: What ends the whole export: the folder cannot be used or is full, `cancelled`.
    @discardableResult
    public nonisolated func export(
        _ ids: [String]? = nil, to directory: String,
        progress: @escaping @Sendable (ExportProgress) -> Void = { _ in }
    ) async throws(LibraryError) -> ExportReport {
        let exporter = AssetExporter(layout: layout, directory: directory)
        try await exporter.prepare()
        if let ids {
            try await export(ids: ids, with: exporter, progress)
        } else {
            try await exportAll(with: exporter, progress)
        }
        try await exporter.finish()
        return await exporter.report
    }

    private nonisolated func export(
        ids: [String], with exporter: AssetExporter,
        _ progress: @escaping @Sendable (ExportProgress) -> Void
    ) async throws(LibraryError) {
        for (index, id) in ids.enumerated() {
            do {
                try await exporter.copy(row(id: id))
            } catch  where [.notFound, .ambiguous].contains(error.code) {
                await exporter.fail(id, error)
            }
            progress(
                ExportProgress(
                    done: index + 1, total: ids.count, bytes: await exporter.report.bytes))
        }
    }

    private nonisolated func exportAll(
        with exporter: AssetExporter, _ progress: @escaping @Sendable (ExportProgress) -> Void
    ) async throws(LibraryError) {
        let total = try await statistics().assets
        let last = try await rows(after: nil, limit: 1, newestFirst: true).first
        var page = try await rows(after: nil, limit: 256, newestFirst: false)
        var done = 0
        while !page.isEmpty {
            for row in page {
                // What was added since belongs to the next export.
                if let last, row.asset.sequence > last.asset.sequence { return }
                try await exporter.copy(row)
                done += 1
                progress(
                    ExportProgress(
                        done: done, total: max(total, done), bytes: await exporter.report.bytes))
            }
            page = try await rows(
                after: page.last?.asset.sequence, limit: 256, newestFirst: false)
        }
    }
}
