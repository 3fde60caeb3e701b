// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials
internal import LinuxIO
internal import Store

/// The photos and videos in one folder. One process owns the folder at a time.
///
/// Writing happens in order on the library's own thread, where it may wait for the medium; reading
/// neither waits for it nor holds it up. What ``add(_:)`` has returned survives a power cut.
///
///     ready → readOnly (the medium failed; reading goes on) → closed
public actor AssetLibrary {
    /// What the library can do now.
    public enum State: Sendable, Equatable {
        case ready
        /// Degraded: nothing is stored any more. Open it again once the cause is gone.
        case readOnly(reason: String)
        case closed
    }

    /// What opening found after an end without ``close()``.
    public struct Recovery: Sendable, Equatable {
        /// Originals without a row: a crash came between the two. They now have one.
        public internal(set) var adopted: [UUID] = []
        /// Rows whose original is gone, among those added since the last clean end and the newest.
        public internal(set) var missing: [UUID] = []
        /// Files in the day folders that are not ours; left alone.
        public internal(set) var foreign: [String] = []
        /// Originals without a row that could not be read; tried again at the next open.
        public internal(set) var unreadable: [String] = []
        /// Unfinished files that were removed from incoming/.
        public internal(set) var leftoversRemoved = 0

        package init() {}
    }

    /// The library's folder.
    public nonisolated var path: String { layout.root }
    /// What opening found; does not change afterwards.
    public nonisolated let recovery: Recovery
    /// What it can do now.
    public internal(set) var state: State
    /// Why the last thumbnail could not be written; they can be made again.
    public internal(set) var thumbnailProblem: String?

    nonisolated let layout: LibraryLayout
    nonisolated let database: DurableDatabase
    let reserve: Int64
    private var lock: DurableFileLock?
    /// The one day folder that is made and noted in `ingest_day` in this run.
    var currentDay: String?
    /// Day folders in which a file without a row was left; stay noted for the next open.
    var unresolvedDays: Set<String> = []

    /// The library's own thread, on which it may wait for the medium.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe LibraryOpener.executor.asUnownedSerialExecutor()
    }

    init(
        layout: LibraryLayout, lock: consuming DurableFileLock, database: DurableDatabase,
        reserveMegabytes: Int, recovery: Recovery
    ) {
        self.layout = layout
        self.lock = consume lock
        self.database = database
        self.recovery = recovery
        reserve = Int64(reserveMegabytes) << 20
        state = database.readOnlyReason.map { .readOnly(reason: $0) } ?? .ready
    }

    /// Opens the library in `path` or makes one there; the folder above must exist.
    ///
    /// Takes the folder's lock, and after a crash adopts what had not got its row yet.
    /// - Parameter reserveMegabytes: Free space that ``add(_:)`` never goes below.
    /// - Throws: `busy` naming the holder, `permission`, `notFound`, `readOnly`, `damaged`, `newer`.
    public static func open(
        at path: String, reserveMegabytes: Int = 256
    ) async throws(LibraryError) -> AssetLibrary {
        try await LibraryOpener.shared.open(path, reserveMegabytes: reserveMegabytes)
    }

    /// Whether there is a library in `path` that ``open(at:reserveMegabytes:)`` would not have to make.
    /// - Throws: `permission` when the folder may not be looked into.
    public static func exists(at path: String) throws(LibraryError) -> Bool {
        do {
            return try DurableFileTree.entry(LibraryLayout(root: path).database) != nil
        } catch {
            throw LibraryError("library \(path)", error)
        }
    }

    /// Finishes what was begun and gives the folder free. Later calls throw `closed`.
    public func close() {
        guard state != .closed else { return }
        if state == .ready {
            let unresolved = unresolvedDays
            // A note that stays costs the next open a look into one folder, nothing else.
            try? database.write { db in
                try LibraryOpener.forgetDays(db, except: unresolved)
            }
        }
        state = .closed
        try? database.close()
        lock = nil
    }

    func degrade(_ reason: String) {
        if state == .ready { state = .readOnly(reason: reason) }
    }

    func requireWritable() throws(LibraryError) {
        switch state {
        case .ready: return
        case .readOnly(let reason):
            throw LibraryError(.readOnly, "library \(path): reading only since: \(reason)")
        case .closed:
            throw LibraryError(.closed, "library \(path): closed")
        }
    }
}
