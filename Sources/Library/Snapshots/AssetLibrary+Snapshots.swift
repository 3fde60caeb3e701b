// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
internal import Store

extension AssetLibrary {
    /// Copies of the database, the newest first.
    /// - Throws: `permission`, `io`.
    public func snapshots() throws(LibraryError) -> [LibrarySnapshot] {
        do {
            return try SnapshotFolder(layout: layout).all()
        } catch {
            throw LibraryError("library \(path)", error)
        }
    }

    /// Copies the database and keeps the newest three copies. Photos are stored meanwhile.
    ///
    /// - Returns: `nil` when nothing has happened since the newest was taken.
    /// - Throws: `full` when there is no room above the reserve; `damaged` when the database is, and no copy
    ///   has been taken away then; `readOnly`, `closed`, `io`.
    public func takeSnapshot() async throws(LibraryError) -> LibrarySnapshot? {
        try requireWritable()
        return try await SnapshotTaker().take(
            SnapshotFolder(layout: layout), database, reserve: reserve, freeBytes: freeBytes)
    }
}

/// Copies on a thread of its own: it may take longer than a photo may wait.
private actor SnapshotTaker {
    private let executor = ThreadExecutor("library-copy")

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    func take(
        _ folder: SnapshotFolder, _ database: DurableDatabase, reserve: Int64,
        freeBytes: AssetLibrary.FreeBytes
    ) throws(LibraryError) -> LibrarySnapshot? {
        let what = "library \(folder.layout.root)"
        do {
            return try folder.add(database, spare: try freeBytes(folder.layout.root) - reserve)
        } catch let error as LibraryError {
            throw error
        } catch let error as StoreError {
            throw LibraryError(error)
        } catch let error as SystemCallError {
            throw LibraryError(what, error)
        } catch {
            throw LibraryError(.io, "\(what): \(error)", underlying: error)
        }
    }
}
