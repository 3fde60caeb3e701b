// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import GRDB
internal import LinuxIO

/// The assets that one transaction makes, and the files they are made from.
struct AssetCreation {
    /// The limit exists because each file waits for the medium, and new photos wait for all.
    private static let most = 100

    private(set) var news: [(file: StagedFile, asset: NewAsset)] = []

    /// Reads a whole file and adds its asset.
    /// - Throws: `invalid` if it cannot become an asset; `invalidValue` for too many files;
    ///   `conflict` for two files of the same content or id; `damaged`, `notFound`, `io`.
    mutating func add(_ file: StagedFile, in library: AssetLibrary) async throws(LibraryError) {
        guard news.count < Self.most else {
            throw LibraryError(
                .invalidValue, "more than \(Self.most) new assets in one transaction; make several")
        }
        try file.check()
        let content = try await library.stagedContent(file.id, sha256: file.sha256)
        guard !news.contains(where: { $0.file.id == file.id || $0.file.sha256 == file.sha256 })
        else {
            throw LibraryError(.conflict, "new asset \(file.id.text): twice in these changes")
        }
        news.append((file, NewAsset(file, content)))
    }

    func asset(_ id: UUID) -> NewAsset? { news.first { $0.asset.id == id }?.asset }

    var days: Set<String> { Set(news.map { LibraryLayout.day(of: $0.file.createdAt) }) }
}

extension AssetLibrary {
    /// Moves the files into place and runs the transaction that makes assets of them. Removes them
    /// again if it has certainly failed.
    func creating<Value>(
        _ creation: AssetCreation, _ transaction: () throws(LibraryError) -> Value
    ) throws(LibraryError) -> Value {
        // Keeps all days noted in the database until the transaction is done.
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
            // A failed commit may still be on the medium; the next open checks and adopts.
            let isUncertain = isCommitting && [.io, .readOnly, .damaged].contains(error.code)
            if !isUncertain, takeBack(creation) { failedDays.subtract(days) }
            throw error
        }
    }

    /// Removes the files that were moved into place. Returns whether none is left.
    private func takeBack(_ creation: AssetCreation) -> Bool {
        var isAllBack = true
        for (file, asset) in creation.news {
            do {
                // If the file is still in incoming/, a file of its name in originals/ is not ours.
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
