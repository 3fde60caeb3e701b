// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials
package import LinuxIO
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

    /// How far originals without a row are taken in.
    public struct Adoption: Sendable, Equatable {
        /// Files dealt with.
        public internal(set) var done: Int
        /// Files in the folders that are looked through; grows while these are counted.
        public internal(set) var total: Int
    }

    /// What was found after an end without ``close()``.
    public struct Recovery: Sendable, Equatable {
        /// What still goes on behind new photos; `nil` when everything has been looked at. A lost
        /// database is made anew so: hashing every original takes longer than opening may.
        public internal(set) var adoption: Adoption?
        /// Originals without a row: a crash came between the two; movies that were being recorded. They now have
        /// one.
        public internal(set) var adopted: [UUID] = []
        /// Rows whose original, or RAW, is gone, among those added since the last clean end and the newest.
        public internal(set) var missing: [UUID] = []
        /// Files in the day folders that are not ours; left alone.
        public internal(set) var foreign: [String] = []
        /// Originals without a row that could not be read; tried again at the next open.
        public internal(set) var unreadable: [String] = []
        /// The database was gone, and this is in its place.
        public internal(set) var salvage: SalvageReport?
        /// Unfinished files that were removed from incoming/.
        public internal(set) var leftoversRemoved = 0

        package init() {}
    }

    /// The library's folder.
    public nonisolated var path: String { layout.root }
    /// What was found so far; see ``recovered()``.
    public var recovery: Recovery { recovering.report }
    /// What it can do now.
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
    /// Whether the library's path still leads to what was opened.
    var isInPlace: Bool { lock?.isAt(layout.lock) ?? false }
    /// Whether it was opened for reading only because its file system is mounted so, and still is.
    package var isMediumReadOnly: Bool {
        lock?.isReadOnly ?? false && (try? FileTree.isReadOnly(layout.root)) ?? false
    }
    /// The one day folder that is made and noted in `ingest_day` in this run.
    var currentDay: String?
    /// Day folders in which this run left a file without a row.
    var failedDays: Set<String> = []
    private var recovering: LibraryRecovery
    private var adopting: Task<Void, Never>?
    var adoptingRecordings: Task<Void, Never>?
    /// Movies of which this run could not make assets, though their files play.
    var recordingsLeft: Set<UUID> = []
    /// How often each could not be read or written.
    var recordingFailures: [UUID: Int] = [:]
    /// Day folders that stay noted for the next open.
    var unresolvedDays: Set<String> { failedDays.union(recovering.unresolvedDays) }
    /// The largest of the newest photos and of those that came since.
    var largestPhoto: Int64
    /// Bytes of a second of the largest movie among the newest assets and those that came since.
    var recordingRate: Int64
    /// As of the last admission; then it wants some more.
    var isLowForMovies = false
    /// Whether SQLite has found the database damaged; see ``salvage(at:)``.
    package private(set) var isDamaged = false
    /// Why the last answer of ``admission()`` or ``add(_:)`` was a refusal; `nil` when it was none.
    var refusal: LibraryError.Code?

    /// The library's own thread, on which it may wait for the medium.
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

    /// Opens the library in `path` or makes one there; the folder above must exist.
    ///
    /// Takes the folder's lock, and after a crash adopts what had not got its row yet: a few files at
    /// once, more of them behind new photos. On a medium that is mounted read-only the library can be looked at and
    /// exported, and takes nothing: its state is `readOnly`.
    /// - Parameter reserveMegabytes: Free space that ``add(_:)`` never goes below.
    /// - Throws: `busy` naming the holder, `permission`, `notFound`, `readOnly`, `damaged`, `newer`.
    public static func open(
        at path: String, reserveMegabytes: Int = 256
    ) async throws(LibraryError) -> AssetLibrary {
        try await open(at: path, reserveMegabytes: reserveMegabytes) {
            (path) throws(SystemCallError) in try FileTree.freeBytes(at: path)
        }
    }

    /// Answers the bytes that may still be written on a path's file system.
    package typealias FreeBytes = @Sendable (_ path: String) throws(SystemCallError) -> Int64

    /// As ``open(at:reserveMegabytes:)``; a test says how much space there is, and is told what is read.
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

    /// Returns when all that was found at open has been looked at, or that cannot go on: the library
    /// is closed, full or degraded. What is left then is tried again at the next open.
    public func recovered() async -> Recovery {
        await adopting?.value
        await adoptingRecordings?.value
        return recovery
    }

    /// Takes in, behind new photos, what was being recorded when the program ended last.
    ///
    /// - Returns: whether that is soon done, so that opening waits for it.
    private func adoptRecordingsOfLastRun() -> Bool {
        guard state == .ready, let left = try? leftRecordings(), !left.isEmpty else { return false }
        adoptingRecordings = Task {
            let adopted = await adoptRecordings(left.map(\.id))
            recovering.note(adopted)
            adoptingRecordings = nil
        }
        return !recovering.isUnfinished && left.reduce(0) { $0 + $1.bytes } <= Self.openingBytes
    }

    /// Of recordings that opening waits for: reading and hashing them takes a second on a slow card.
    private static let openingBytes = 32 << 20

    /// Goes on with taking in originals, unless that is going on or done.
    func adopt() {
        guard adopting == nil, state == .ready, recovering.isUnfinished else { return }
        adopting = Task {
            while state == .ready, recovering.isUnfinished, await adoptNext() {
                // Whoever is waiting goes first.
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
            // A folder that cannot be synchronized.
            degrade("\(error)")
        }
        return false
    }

    /// Whether there is a library in `path`: its database, or originals that a new database takes in.
    /// - Throws: `permission` when the folder may not be looked into.
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
        observers.finish()
        search.close()
        try? database.close()
        lock = nil
    }

    func degrade(_ reason: String) {
        if state == .ready { state = .readOnly(reason: reason) }
    }

    /// Takes nothing more after what will not go away of itself.
    func degrade(after error: StoreError) {
        guard [.io, .readOnly, .damaged].contains(error.code) else { return }
        if error.code == .damaged { isDamaged = true }
        degrade(error.message)
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
