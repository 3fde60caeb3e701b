// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
internal import Store

extension AssetLibrary {
    /// Returns the copies of the database, newest first. Throws `permission`, `io`.
    public func snapshots() throws(LibraryError) -> [LibrarySnapshot] {
        do {
            return try SnapshotFolder(layout: layout).all()
        } catch {
            throw LibraryError("library \(path)", error)
        }
    }

    /// Copies the database and keeps the newest three copies. Photos can be stored meanwhile.
    /// - Returns: The copy; `nil` if nothing changed since the newest one.
    /// - Throws: `full` if there is no room above the reserve; `damaged` if the database is
    ///   damaged, in which case no copy is removed; `readOnly`, `closed`, `io`.
    public func takeSnapshot() async throws(LibraryError) -> LibrarySnapshot? {
        try requireWritable()
        return try await SnapshotTaker().copy(
            SnapshotFolder(layout: layout), database, reserve: reserve, freeBytes: freeBytes)
    }
}

/// Copies the database on its own thread, because that takes longer than a photo may wait.
private actor SnapshotTaker {
    private let executor = ThreadExecutor("library-copy")

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    func copy(
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
