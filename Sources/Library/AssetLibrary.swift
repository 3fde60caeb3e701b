// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials
package import LinuxIO
internal import Store

/// The photos and videos in one folder. One process owns the folder at a time.
///
/// Writes run in order on the library's own thread, which may wait for the medium. Reads neither
/// wait for writes nor delay them. Once ``add(_:)`` returns, the photo survives a power cut.
///
///     ready → readOnly (the medium failed; reading still works) → closed
public actor AssetLibrary {
    /// The state of a library.
    public enum State: Sendable, Equatable {
        case ready
        /// Nothing can be stored. Open the library again once the cause is gone.
        case readOnly(reason: String)
        case closed
    }

    /// The progress of adopting originals that have no row.
    public struct Adoption: Sendable, Equatable {
        /// Files that were processed.
        public internal(set) var done: Int
        /// Files in the folders to be searched. It grows while they are counted.
        public internal(set) var total: Int
    }

    /// The findings of the recovery at open, after an end without ``close()``.
    public struct Recovery: Sendable, Equatable {
        /// The adoption that continues in the background; `nil` once complete. A lost database is
        /// rebuilt this way, because opening cannot wait until all originals are hashed.
        public internal(set) var adoption: Adoption?
        /// Assets made of originals whose row a crash prevented, and of unfinished recordings.
        public internal(set) var adopted: [UUID] = []
        /// Assets whose original or RAW is gone, of the newest and those since the last clean end.
        public internal(set) var missing: [UUID] = []
        /// Files in the day folders that are not the library's. They are left alone.
        public internal(set) var foreign: [String] = []
        /// Originals without a row that could not be read. The next open tries them again.
        public internal(set) var unreadable: [String] = []
        /// The replacement of a database that was lost.
        public internal(set) var salvage: SalvageReport?
        /// The number of unfinished files removed from incoming/.
        public internal(set) var leftoversRemoved = 0

        package init() {}
    }

    /// The library's folder.
    public nonisolated var path: String { layout.root }
    /// The findings of recovery so far; see ``recovered()``.
    public var recovery: Recovery { recovering.report }
    /// The current state.
    public internal(set) var state: State

    nonisolated let layout: LibraryLayout
    private let executor: ThreadExecutor
    nonisolated let database: DurableDatabase
    nonisolated let freeBytes: FreeBytes
    nonisolated let reader: OriginalReader
    nonisolated let observers = ChangeObservers()
    nonisolated let search: SearchIndex
    nonisolated let reserve: Int64
    private var lock: FolderLock?
    /// Whether the library's path still leads to the folder that was opened.
    var isInPlace: Bool { lock?.isAt(layout.lock) ?? false }
    /// Whether the library was opened on a file system mounted read-only that is still so.
    package var isMediumReadOnly: Bool {
        lock?.isReadOnly ?? false && (try? FileTree.isReadOnly(layout.root)) ?? false
    }
    /// The last day folder that was made and noted in `ingest_day`.
    var currentDay: String?
    /// Day folders in which this run may have left a file without a row.
    var failedDays: Set<String> = []
    private var recovering: LibraryRecovery
    private var adopting: Task<Void, Never>?
    var adoptingRecordings: Task<Void, Never>?
    /// Recordings that could not become assets yet and are to be tried again.
    var recordingsLeft: Set<UUID> = []
    var recordingFailures: [UUID: Int] = [:]
    /// Day folders that stay noted for the next open.
    var unresolvedDays: Set<String> { failedDays.union(recovering.unresolvedDays) }
    /// Bytes of the largest photo, among the newest at open and those added since.
    var largestPhoto: Int64
    /// Bytes per second of the largest movie, among the newest at open and those added since.
    var recordingRate: Int64
    /// Whether the last admission had no room for a movie; the next one then requires some more.
    var isLowForMovies = false
    /// Whether SQLite found the database damaged; see ``salvage(at:)``.
    package private(set) var isDamaged = false
    /// The last error of ``admission(probing:)`` or ``add(_:)``; a successful admission resets it.
    var refusal: LibraryError.Code?

    /// The library's own thread, which may wait for the medium.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    init(
        layout: LibraryLayout, executor: ThreadExecutor, lock: consuming FolderLock,
        database: DurableDatabase, reserveMegabytes: Int, reader: OriginalReader,
        freeBytes: @escaping FreeBytes, recovery: LibraryRecovery
    ) {
        self.layout = layout
        self.executor = executor
        self.lock = consume lock
        self.database = database
        search = SearchIndex(at: layout.searchIndex)
        self.reader = reader
        self.freeBytes = freeBytes
        recovering = recovery
        largestPhoto = recovery.largestPhoto
        recordingRate = recovery.recordingRate
        reserve = Int64(reserveMegabytes) << 20
        if let now = try? database.read({ db in try Self.token(db) }) { observers.begin(at: now) }
        state = database.readOnlyReason.map { .readOnly(reason: $0) } ?? .ready
    }

    /// Opens the library at `path`, or makes one there; the folder above must exist. The call takes
    /// the folder's lock. After a crash it adopts originals without a row: a few before it returns,
    /// the others in the background. On a read-only medium the library can be read and exported;
    /// its state is then `readOnly`.
    /// - Parameter reserveMegabytes: Free space that ``add(_:)`` never uses.
    /// - Throws: `busy` with the holder, `permission`, `notFound`, `readOnly`, `damaged`, `newer`.
    public static func open(
        at path: String, reserveMegabytes: Int = 256
    ) async throws(LibraryError) -> AssetLibrary {
        try await open(at: path, reserveMegabytes: reserveMegabytes) {
            (path) throws(SystemCallError) in try FileTree.freeBytes(at: path)
        }
    }

    /// Returns the bytes that may still be written on a path's file system.
    package typealias FreeBytes = @Sendable (_ path: String) throws(SystemCallError) -> Int64

    /// Opens a library with another reader and source of free space, for tests.
    package static func open(
        at path: String, reserveMegabytes: Int, reader: OriginalReader = OriginalReader(),
        freeBytes: @escaping FreeBytes
    ) async throws(LibraryError) -> AssetLibrary {
        let library = try await LibraryOpener().open(
            path, reserveMegabytes: reserveMegabytes, reader: reader, freeBytes: freeBytes)
        await library.adopt()
        if library.database.readOnlyReason == nil {
            library.search.keep { [weak library] in library?.followTextChanges() }
        }
        if await library.adoptRecordingsOfLastRun() { _ = await library.recovered() }
        return library
    }

    /// Waits for the background recovery and returns what it found. Recovery also ends when the
    /// library is closed, full or degraded; the next open then tries the rest again.
    public func recovered() async -> Recovery {
        await adopting?.value
        await adoptingRecordings?.value
        return recovery
    }

    /// Starts to adopt, in the background, recordings that the last run did not finish. Returns
    /// whether that takes so little time that opening waits for it.
    private func adoptRecordingsOfLastRun() -> Bool {
        guard state == .ready, let left = try? leftRecordings(), !left.isEmpty else { return false }
        adoptingRecordings = Task {
            let adopted = await adoptRecordings(left.map(\.id))
            recovering.note(adopted)
            adoptingRecordings = nil
        }
        return !recovering.isUnfinished && left.reduce(0) { $0 + $1.bytes } <= Self.openingBytes
    }

    /// Bytes of recordings for which opening waits: a slow card reads and hashes them in a second.
    private static let openingBytes = 32 << 20

    /// Resumes the adoption of originals, unless it is running or done.
    func adopt() {
        guard adopting == nil, state == .ready, recovering.isUnfinished else { return }
        adopting = Task {
            while state == .ready, recovering.isUnfinished, await adoptNext() {
                // Lets waiting calls run first.
                await Task.yield()
            }
            adopting = nil
        }
    }

    private func adoptNext() async -> Bool {
        var original: OriginalFile?
        if let path = recovering.nextOriginal { original = try? await reader.scan(path) }
        return state == .ready && adopt(original)
    }

    private func adopt(_ original: OriginalFile?) -> Bool {
        do {
            try recovering.step(
                keeping: failedDays.union(currentDay.map { [$0] } ?? []), original: original)
            if let token = try? database.read({ db in try Self.token(db) }) {
                observers.post(token, from: .recovery)
            }
            return true
        } catch let error as StoreError {
            degrade(after: error)
        } catch {
            // A folder could not be synchronized.
            degrade("\(error)")
        }
        return false
    }

    /// Returns whether there is a library at `path`: its database, or originals for a new database.
    /// - Throws: `permission` if the folder may not be searched.
    public static func exists(at path: String) throws(LibraryError) -> Bool {
        let layout = LibraryLayout(root: path)
        do {
            if try FileTree.entry(layout.database) != nil { return true }
            guard try FileTree.entry(layout.originals) != nil else { return false }
            return try !FileTree.names(in: layout.originals).isEmpty
        } catch {
            throw LibraryError("library \(path)", error)
        }
    }

    /// Closes the library and releases its folder. Later calls throw `closed`.
    public func close() {
        guard state != .closed else { return }
        if state == .ready {
            let unresolved = unresolvedDays
            // A note that is left makes the next open search one folder, nothing more.
            try? database.write { db in
                try LibraryOpener.forgetDays(db, except: unresolved)
            }
        }
        state = .closed
        observers.finish()
        search.close()
        try? database.close()
        lock = nil
    }

    func degrade(_ reason: String) {
        if state == .ready { state = .readOnly(reason: reason) }
    }

    /// Makes the library read-only after an error that will not go away by itself.
    func degrade(after error: StoreError) {
        guard [.io, .readOnly, .damaged].contains(error.code) else { return }
        if error.code == .damaged { isDamaged = true }
        degrade(error.message)
    }

    func requireWritable() throws(LibraryError) {
        switch state {
        case .ready: return
        case .readOnly(let reason):
            throw LibraryError(.readOnly, "library \(path) is read-only: \(reason)")
        case .closed:
            throw LibraryError(.closed, "library \(path) is closed")
        }
    }
}
