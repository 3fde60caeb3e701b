// SPDX-License-Identifier: GPL-3.0-or-later
// Measures what `board/host/bench library` reports, one measurement per process. Writes one JSON
// object; times are in microseconds.

import Foundation
import GRDB
import Glibc
import Library
import LinuxIO

func microseconds(since start: Int64) -> Double { Double(Clock.monotonic - start) / 1000 }

/// Returns the peak memory of this process in kilobytes.
func mostMemory() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }
    return Int((line ?? "").filter(\.isNumber)) ?? 0
}

func say(_ value: some Encodable) throws {
    print(String(decoding: try JSONEncoder().encode(value), as: UTF8.self))
}

func open(_ path: String) async throws -> AssetLibrary {
    try await AssetLibrary.open(at: path, reserveMegabytes: 0)
}

func moment(_ text: String) -> WallTime {
    guard let time = WallTime(text) else { fatalError("\(text) is no time") }
    return time
}

struct Reading: Encodable {
    var open = 0.0
    /// Times until a result exists, with its first page.
    var fetches: [String: [Double]] = [:]
    /// Times of reading 64 assets anywhere in the result.
    var pages: [String: [Double]] = [:]
    /// Times of reading 64 assets after a cursor, as clients of the control socket do.
    var next: [String: [Double]] = [:]
    /// Times of collections, counts, changes and searches.
    var others: [String: [Double]] = [:]
    var kilobytes = 0
}

/// The fetches of a gallery, a person at the command line and a program.
let fetches: [(String, AssetCollection.Identifier?, FetchOptions)] = [
    ("library", nil, FetchOptions()),
    (
        "newest first", nil,
        FetchOptions(sortDescriptors: [AssetSortDescriptor(.createdAt, ascending: false)])
    ),
    ("favorites", .smartAlbum(.favorites), FetchOptions()),
    ("videos", .smartAlbum(.videos), FetchOptions()),
    ("recents", .smartAlbum(.recents), FetchOptions()),
    ("recently deleted", .smartAlbum(.recentlyDeleted), FetchOptions()),
    ("hidden", .smartAlbum(.hidden), FetchOptions()),
    ("not yet synced", .smartAlbum(.notYetSynced), FetchOptions()),
    ("keyword", nil, FetchOptions(filter: .keyword("garden"))),
    ("session", .session("session-00042"), FetchOptions()),
    (
        "a day", nil,
        FetchOptions(
            filter: AssetFilter.createdAt >= moment("2020-06-01T00:00:00.000+00:00")
                && AssetFilter.createdAt < moment("2020-06-02T00:00:00.000+00:00"))
    ),
    (
        "photos since", nil,
        FetchOptions(
            filter: AssetFilter.mediaType == .photo
                && AssetFilter.createdAt >= moment("2019-01-01T00:00:00.000+00:00"),
            sortDescriptors: [AssetSortDescriptor(.createdAt)])
    ),
    ("everything", nil, .everything),
]

/// Searches that have more than a page of results in every library.
let searches: [(String, FetchOptions)] = [
    ("caption search", FetchOptions(filter: AssetFilter.caption.contains("Caption"))),
    ("text search", FetchOptions(filter: .text("ord9"))),
    (
        "100 largest",
        FetchOptions(
            sortDescriptors: [AssetSortDescriptor(.bytes, ascending: false)], fetchLimit: 100)
    ),
]

/// Searches whose whole result is read: about 1,500 of a million assets.
let wholeSearches: [(String, AssetFilter)] = [
    ("all of a caption search", AssetFilter.caption.contains("Caption 12")),
    ("all of a text search", .text("ord99")),
]

func read(_ path: String, rounds: Int) async throws -> Reading {
    var reading = Reading()
    var start = Clock.monotonic
    let library = try await open(path)
    reading.open = microseconds(since: start)
    var all = fetches
    let albums = try await library.collections(CollectionFetchOptions(.albums))
    for album in albums where ["long", "short"].contains(album.title) {
        all.append(("album \(album.title)", album.id, FetchOptions()))
    }
    for (name, collection, options) in all {
        for _ in 0..<10 {
            start = Clock.monotonic
            _ = try await library.fetchAssets(in: collection, options)
            reading.fetches[name, default: []].append(microseconds(since: start))
        }
        let result = try await library.fetchAssets(in: collection, options)
        let count = try await result.count
        guard count > 0 else { continue }
        for _ in 0..<rounds {
            let first = Int.random(in: 0..<count)
            start = Clock.monotonic
            _ = try await result.objects(at: first..<min(first + 64, count))
            reading.pages[name, default: []].append(microseconds(since: start))
        }
        var cursor: FetchCursor?
        for _ in 0..<min(rounds, 50) {
            start = Clock.monotonic
            let page = try await library.page(in: collection, options, after: cursor, limit: 64)
            reading.next[name, default: []].append(microseconds(since: start))
            cursor = page.next
            if cursor == nil { break }
        }
    }
    let now = try JSONEncoder().encode(try await library.currentChangeToken())
    let before = ChangeToken((Int64(String(decoding: now, as: UTF8.self)) ?? 0) - 1000)
    for _ in 0..<3 {
        start = Clock.monotonic
        _ = try await library.collections(CollectionFetchOptions(.smartAlbums))
        reading.others["smart albums", default: []].append(microseconds(since: start))
        start = Clock.monotonic
        _ = try await library.collections(CollectionFetchOptions(.albums))
        reading.others["albums", default: []].append(microseconds(since: start))
        start = Clock.monotonic
        _ = try await library.statistics()
        reading.others["statistics", default: []].append(microseconds(since: start))
        start = Clock.monotonic
        _ = try await library.countOfAssets()
        reading.others["count", default: []].append(microseconds(since: start))
        for (name, kind) in [
            ("moments", CollectionFetchOptions.Kind.moments), ("sessions", .sessions),
        ] {
            start = Clock.monotonic
            _ = try await library.fetchCollections(CollectionFetchOptions(kind, newestFirst: true))
            reading.others["newest \(name)", default: []].append(microseconds(since: start))
            start = Clock.monotonic
            // The smallest library has this many. Reading all would take longer in a larger one.
            var many = CollectionFetchOptions(kind)
            many.fetchLimit = 500
            _ = try await library.collections(many)
            reading.others["500 \(name)", default: []].append(microseconds(since: start))
        }
        start = Clock.monotonic
        _ = try await library.changes(since: before)
        reading.others["1,000 changes", default: []].append(microseconds(since: start))
        for (name, options) in searches {
            start = Clock.monotonic
            _ = try await library.fetchAssets(options)
            reading.others[name, default: []].append(microseconds(since: start))
        }
        for (name, filter) in wholeSearches {
            start = Clock.monotonic
            _ = try await library.fetchAssets(FetchOptions(filter: filter)).count
            reading.others[name, default: []].append(microseconds(since: start))
        }
    }
    for _ in 0..<3 {
        let shown = try await library.fetchAssets()
        let count = try await shown.count
        // Deletes and changes assets across the whole result.
        let places = RangeSet(
            stride(from: 0, to: count, by: max(1, count / 10)).map { $0..<$0 + 1 })
        var some: [UUID] = []
        try await shown.enumerate(at: places) { asset, _ in
            some.append(asset.id)
            return true
        }
        let (going, changing) = (some.prefix(some.count / 2), some.suffix(some.count / 2))
        try await library.performChanges { changes in
            changes.change(going, .delete)
            changes.change(changing, .setCaption("\(Clock.monotonic)"))
        }
        start = Clock.monotonic
        guard let changes = try await shown.changes(), changes.removed.ranges.count == going.count
        else { fatalError("changes that were made are not seen") }
        reading.others["what a result missed", default: []].append(microseconds(since: start))
    }
    await library.close()
    reading.kilobytes = try mostMemory()
    return reading
}

struct Writing: Encodable {
    var still: [Double] = []
    var bareFile: [Double] = []
    var bareTransaction: [Double] = []
    /// Like `still`, while two tasks read pages without a pause.
    var stillBesideReaders: [Double] = []
    /// The number of pages that those tasks read, as proof that they did.
    var pagesRead = 0
}

/// Measures adding stills, and after each the minimum: a synchronized file and a transaction of one
/// row. Then measures adding stills while pages are read.
func write(_ path: String, rounds: Int, bytes: Int) async throws -> Writing {
    let library = try await open(path)
    let bareFolder = path + "-bare"
    try FileManager.default.createDirectory(
        atPath: bareFolder, withIntermediateDirectories: false)
    var configuration = Configuration()
    configuration.prepareDatabase { db in
        try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    }
    let bare = try DatabaseQueue(path: bareFolder + "/bare.sqlite", configuration: configuration)
    try await bare.write { db in
        try db.execute(sql: "CREATE TABLE photo (id TEXT PRIMARY KEY, sha256 BLOB, bytes INTEGER)")
    }
    var writing = Writing()
    for number in 0..<rounds {
        let content = still(bytes)
        var start = Clock.monotonic
        try await library.add(photo(number, content))
        writing.still.append(microseconds(since: start))
        start = Clock.monotonic
        try writeBare(content, to: "\(bareFolder)/\(number).jpg")
        writing.bareFile.append(microseconds(since: start))
        start = Clock.monotonic
        try await bare.write { db in
            try db.execute(
                sql: "INSERT INTO photo VALUES (?, randomblob(32), ?)",
                arguments: [UUID().uuidString, bytes])
        }
        writing.bareTransaction.append(microseconds(since: start))
    }
    let readers = (0..<2).map { _ in Task { try await readPages(of: library) } }
    for number in 0..<rounds {
        let content = still(bytes)
        let start = Clock.monotonic
        try await library.add(photo(number, content))
        writing.stillBesideReaders.append(microseconds(since: start))
    }
    for reader in readers {
        reader.cancel()
        writing.pagesRead += try await reader.value
    }
    await library.close()
    return writing
}

/// Reads random pages until the task is cancelled.
///
/// - Returns: The number of pages.
func readPages(of library: AssetLibrary) async throws -> Int {
    let result = try await library.fetchAssets(FetchOptions.everything)
    let count = try await result.count
    var pages = 0
    while !Task.isCancelled {
        let first = Int.random(in: 0..<count)
        _ = try? await result.objects(at: first..<min(first + 64, count))
        pages += 1
    }
    return pages
}

/// Returns random content, which neither compresses nor repeats.
func still(_ bytes: Int) -> [UInt8] {
    var random = SystemRandomNumberGenerator()
    var content: [UInt8] = [0xff, 0xd8]
    content.reserveCapacity(bytes)
    while content.count < bytes {
        let word = random.next()
        for shift in stride(from: 0, to: 64, by: 8) {
            content.append(UInt8(truncatingIfNeeded: word >> shift))
        }
    }
    return Array(content.prefix(bytes))
}

func photo(_ number: Int, _ content: [UInt8]) -> FinishedPhoto {
    FinishedPhoto(
        chunks: [content], width: 1920, height: 1080,
        createdAt: WallTime(nanoseconds: Clock.wall, utcOffsetSeconds: 3600),
        timeConfidence: .synchronized, bootID: Clock.bootIdentifier, boottime: Clock.boot,
        frameSequence: Int64(number), shutterOffsetMicroseconds: -1200,
        shutterReference: .frameTimestamp, deviceName: "bench", sessionID: "bench",
        thumbnail: [UInt8](repeating: 1, count: 3000))
}

func writeBare(_ content: [UInt8], to path: String) throws {
    let file = unsafe Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL, 0o640)
    guard file >= 0, unsafe Glibc.write(file, content, content.count) == content.count,
        fsync(file) == 0, Glibc.close(file) == 0
    else { throw CocoaError(.fileWriteUnknown) }
}

// The appliance sets the same memory policy at its start.
MemoryPolicy.preferSteady()
let arguments = CommandLine.arguments
switch (arguments.dropFirst().first, arguments.count) {
case ("make", 3):
    await (try open(arguments[2])).close()
case ("index", 3):
    let library = try await open(arguments[2])
    try await library.indexText()
    await library.close()
case ("read", 4):
    try say(try await read(arguments[2], rounds: Int(arguments[3]) ?? 1))
case ("write", 5):
    try say(
        try await write(
            arguments[2], rounds: Int(arguments[3]) ?? 1, bytes: Int(arguments[4]) ?? 65_536))
case ("add", 5):
    // Adds stills only, so that the caller can count system calls and bytes.
    let library = try await open(arguments[2])
    let content = still(Int(arguments[4]) ?? 65_536)
    for number in 0..<(Int(arguments[3]) ?? 1) { try await library.add(photo(number, content)) }
    await library.close()
default:
    FileHandle.standardError.write(
        Data("library-bench make|index|read|write|add PATH [COUNT [BYTES]]\n".utf8))
    exit(64)
}
