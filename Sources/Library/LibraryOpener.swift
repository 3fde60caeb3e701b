// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import LinuxIO
internal import Store

/// Opens a library, on the thread that becomes the library's own because recovery may read files.
/// Every library has its own thread, so a medium that does not answer delays no other library.
actor LibraryOpener {
    private let executor = ThreadExecutor("library")

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    func open(
        _ path: String, reserveMegabytes: Int, reader: OriginalReader,
        freeBytes: @escaping AssetLibrary.FreeBytes
    ) throws(LibraryError) -> AssetLibrary {
        let layout = LibraryLayout(root: path)
        // Otherwise photos would go to the disk below, hidden once the right disk is mounted.
        if let place = FileTree.missingMount(for: path) {
            throw LibraryError(
                .notFound,
                "library \(path): its disk is not mounted at \(place): plug it in and mount it"
            )
        }
        try makeRoot(layout)
        let lock = try acquireLock(layout)
        if lock.isReadOnly {
            let database = try orLibraryError(layout) {
                try DurableDatabase(
                    readingOnly: layout.database, schema: LibrarySchema.current,
                    reason:
                        "its file system is mounted read-only: mount the file system for writing")
            }
            return AssetLibrary(
                layout: layout, executor: executor, lock: lock, database: database,
                reserveMegabytes: reserveMegabytes, reader: reader, freeBytes: freeBytes,
                recovery: LibraryRecovery(layout: layout, database: database))
        }
        do {
            for directory in [layout.originals, layout.incoming, "\(layout.root)/derived"] {
                try FileTree.makeDirectory(directory)
            }
            try FileTree.makeDirectory(layout.thumbnails)
            try FileTree.makeDirectory(layout.pictures)
        } catch {
            throw LibraryError("library \(layout.root)", error)
        }
        let (database, salvage) = try openDatabase(layout)
        var recovery = LibraryRecovery(layout: layout, database: database)
        recovery.note(salvage)
        if database.readOnlyReason == nil { try recovery.begin() }
        return AssetLibrary(
            layout: layout, executor: executor, lock: lock, database: database,
            reserveMegabytes: reserveMegabytes, reader: reader, freeBytes: freeBytes,
            recovery: recovery)
    }

    private func openDatabase(
        _ layout: LibraryLayout
    ) throws(LibraryError) -> (DurableDatabase, SalvageReport?) {
        do throws(LibraryError) {
            return try orLibraryError(layout) {
                let salvage = DatabaseSalvage(layout: layout)
                try salvage.finish()
                let report = try salvage.isLost ? salvage.run() : nil
                let database = try DurableDatabase(
                    at: layout.database, schema: LibrarySchema.current)
                // Makes the folders' and the database's names durable; SQLite does not.
                try DurableFile.synchronizeDirectory(layout.root)
                return (database, report)
            }
        } catch {
            let isAnothers = (error.underlying as? StoreError)?.underlying == nil
            guard error.code == .damaged, !isAnothers else { throw error }
            throw LibraryError(
                .damaged, "\(error.message): vitrine library repair", underlying: error.underlying)
        }
    }

    /// Rebuilds a damaged database. See ``AssetLibrary/salvage(at:)``.
    func salvage(_ path: String) throws(LibraryError) -> SalvageReport? {
        let layout = LibraryLayout(root: path)
        let lock = try acquireLock(layout)
        defer { _ = lock }
        return try orLibraryError(layout) { try DatabaseSalvage(layout: layout).run() }
    }

    private func orLibraryError<Value>(
        _ layout: LibraryLayout, _ body: () throws -> Value
    ) throws(LibraryError) -> Value {
        do {
            return try body()
        } catch let error as LibraryError {
            throw error
        } catch let error as StoreError {
            throw LibraryError(error)
        } catch let error as SystemCallError {
            throw LibraryError("library \(layout.root)", error)
        } catch {
            throw LibraryError(.io, "library \(layout.root): \(error)", underlying: error)
        }
    }

    private func makeRoot(_ layout: LibraryLayout) throws(LibraryError) {
        do {
            let made = try FileTree.makeDirectory(layout.root)
            if made { try DurableFile.synchronizeDirectory("\(layout.root)/..") }
        } catch {
            let next =
                switch error.code {
                case ENOENT: "make the folder above it, or mount the medium it is on"
                case EACCES, EPERM: "give this user write access to the folder above it"
                case EROFS: "mount the file system for writing"
                default: "choose another folder"
                }
            var failure = LibraryError("library \(layout.root)", error)
            failure = LibraryError(
                failure.code, "\(failure.message): \(next)", underlying: error)
            throw failure
        }
    }

    private func acquireLock(_ layout: LibraryLayout) throws(LibraryError) -> FolderLock {
        do {
            return try FolderLock(at: layout.lock)
        } catch {
            switch error {
            case .held(let holder):
                let who = holder.map { "process \($0)" } ?? "another process"
                throw LibraryError(
                    .busy,
                    "library \(layout.root): in use by \(who): ask it over its control socket, "
                        + "or stop it",
                    underlying: error)
            case .refused(let refusal):
                let next =
                    switch refusal.code {
                    case EACCES, EPERM: ": run as the user who owns the folder"
                    case EROFS: ": mount the file system for writing"
                    default: ""
                    }
                let failure = LibraryError("library \(layout.root)", refusal)
                throw LibraryError(
                    failure.code, failure.message + next, underlying: refusal)
            }
        }
    }
}
