// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import GRDB
internal import LinuxIO

/// The assets that one transaction is to make, and the files that they are to be made of.
struct AssetCreation {
    private(set) var news: [(file: StagedFile, asset: NewAsset)] = []

    /// Reads all of the file.
    /// - Throws: `invalid` for what no asset can be; `conflict` for a second one of the same content or id; `damaged`,
    ///   `notFound`, `io`.
    mutating func add(_ file: StagedFile, in library: AssetLibrary) async throws(LibraryError) {
        try file.check()
        let content = try await library.stagedContent(file.id, sha256: file.sha256)
        guard !news.contains(where: { $0.file.id == file.id || $0.file.sha256 == file.sha256 })
        else {
            throw LibraryError(.conflict, "new asset \(file.id.text): there twice in these changes")
        }
        news.append((file, NewAsset(file, content)))
    }

    func asset(_ id: UUID) -> NewAsset? { news.first { $0.asset.id == id }?.asset }

    /// Where the originals go.
    var days: Set<String> { Set(news.map { LibraryLayout.day(of: $0.file.createdAt) }) }
}

extension AssetLibrary {
    /// Gives the files their places, runs the transaction that makes assets of them, and takes them away again where
    /// it certainly did not.
    func creating<Value>(
        _ creation: AssetCreation, _ transaction: () throws(LibraryError) -> Value
    ) throws(LibraryError) -> Value {
        // Noted all together, whichever of them is the current day.
        let days = creation.days.subtracting(failedDays)
        failedDays.formUnion(days)
        var placed: [String] = []
        do throws(LibraryError) {
            for (file, asset) in creation.news {
                try place(file, asset)
                placed.append(asset.path)
            }
            let value = try transaction()
            for (file, _) in creation.news { keepThumbnail(of: file) }
            failedDays.subtract(days)
            return value
        } catch {
            // The commit may be on the medium or not; the next open looks and adopts.
            if [.io, .readOnly, .damaged].contains(error.code) { throw error }
            for path in placed { try? FileTree.remove(layout.original(path)) }
            failedDays.subtract(days)
            throw error
        }
    }

    private func place(_ file: StagedFile, _ asset: NewAsset) throws(LibraryError) {
        let known = try databaseRead { db in
            try Int64.fetchOne(
                db, sql: "SELECT sequence FROM asset WHERE sha256 = ? OR id = ? LIMIT 1",
                arguments: [Data(asset.sha256), asset.id.text])
        }
        if let known {
            throw LibraryError(
                .conflict, "new asset \(asset.id.text): asset \(known) has this content or id")
        }
        try place(file)
    }
}
