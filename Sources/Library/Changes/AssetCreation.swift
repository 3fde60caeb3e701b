// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import GRDB
internal import LinuxIO

/// The assets that one transaction is to make, and the files that they are to be made of.
struct AssetCreation {
    /// Each waits for the medium, and photos that are taken meanwhile wait for all.
    private static let most = 100

    private(set) var news: [(file: StagedFile, asset: NewAsset)] = []

    /// Reads all of the file.
    /// - Throws: `invalid` for what no asset can be; `invalidValue` for too many; `conflict` for a second one of the same
    ///   content or id; `damaged`, `notFound`, `io`.
    mutating func add(_ file: StagedFile, in library: AssetLibrary) async throws(LibraryError) {
        guard news.count < Self.most else {
            throw LibraryError(
                .invalidValue, "more than \(Self.most) new assets in one transaction; make several")
        }
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
        var isCommitting = false
        do throws(LibraryError) {
            for (file, asset) in creation.news { try place(file, asset) }
            isCommitting = true
            let value = try transaction()
            for (file, _) in creation.news { keepThumbnail(of: file) }
            failedDays.subtract(days)
            return value
        } catch {
            // A commit may be on the medium although it failed; the next open looks and adopts.
            let isUncertain = isCommitting && [.io, .readOnly, .damaged].contains(error.code)
            if !isUncertain, takeBack(creation) { failedDays.subtract(days) }
            throw error
        }
    }

    /// Removes what has got its place.
    /// - Returns: whether nothing is left.
    private func takeBack(_ creation: AssetCreation) -> Bool {
        var isAllBack = true
        for (file, asset) in creation.news {
            do {
                // Where it waits still, what has its name there is another's.
                if try FileTree.entry(layout.staged(file.id)) != nil { continue }
                try FileTree.remove(layout.original(asset.path))
            } catch {
                isAllBack = false
            }
        }
        return isAllBack
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
