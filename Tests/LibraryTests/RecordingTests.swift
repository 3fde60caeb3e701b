// SPDX-License-Identifier: GPL-3.0-or-later

import Codecs
import Foundation
import Imaging
import Library
import LinuxIO
import Media
import Synchronization
import TestSupport
import Testing

/// A movie of grey pictures, with a fragment per second.
private struct Reel {
    private static let size = Dimensions(width: 64, height: 48)
    private static let color = ColorDescription(matrix: .bt601, range: .limited)
    private let encoder: VideoEncoder
    private var number: Int64 = 0

    init() throws {
        encoder = try VideoEncoder(
            VideoEncoder.Settings(.nv12, Self.size, color: Self.color, frameRate: 10))
    }

    private mutating func second() throws -> MovieRun {
        let picture = try PixelStorage(.nv12, Self.size, color: Self.color)
        var samples: [EncodedSample] = []
        for _ in 0..<10 {
            samples += try unsafe picture.withPixels {
                try unsafe encoder.encode($0, at: number * 100_000_000)
            }
            number += 1
        }
        return MovieRun(track: 0, samples: samples, end: number * 100_000_000)
    }

    /// Writes this many seconds to a new file.
    ///
    /// - Parameter created: The time of the first picture, in seconds since 1970.
    mutating func record(
        _ seconds: Int, to path: String, finishes: Bool, at created: Int64 = 1_795_347_005
    ) throws {
        let track = try MovieTrack.h264(
            #require(encoder.parameterSets), Self.size, color: Self.color,
            orientation: ExifOrientation(rotation: .quarter, isMirrored: false))
        var metadata = MovieMetadata(createdAt: created)
        metadata.location = Location(latitude: -1.5, longitude: 2.5)
        var movie = try MovieFile(creating: path, [track], metadata, origin: 0)
        for _ in 0..<seconds { try movie.append([try second()]) }
        try movie.synchronize()
        if finishes { try movie.finish() }
    }
}

@Suite("recordings")
struct RecordingTests {
    private let folder: LibraryFolder
    private let id = UUID()

    init() throws { folder = try LibraryFolder() }

    private var note: NewRecording {
        var note = NewRecording(
            id: id,
            createdAt: WallTime(
                nanoseconds: 1_795_347_005_123_456_789, utcOffsetSeconds: 3600),
            timeConfidence: .synchronized)
        (note.bootID, note.boottime) = ("9c5a0a9d-0000-4000-8000-000000000000", 12_345)
        (note.deviceName, note.sessionID) = ("HD Webcam", "evening")
        note.location = Location(latitude: 48.25, longitude: 16.5, altitude: 171)
        return note
    }

    private func check(_ asset: Asset, seconds: Double) {
        #expect(asset.id == id && asset.mediaType == .video)
        #expect(asset.createdAt == note.createdAt && asset.timeConfidence == .synchronized)
        #expect(asset.deviceName == "HD Webcam" && asset.sessionID == "evening")
        #expect(asset.location == note.location)
        #expect(asset.duration?.seconds == seconds)
        #expect(asset.width == 64 && asset.height == 48 && asset.orientation == 6)
        #expect(asset.fileName.hasSuffix(".mp4"))
    }

    private func isTidy() async throws -> Bool {
        let rows = try await folder.sqlite("SELECT count(*) FROM recording")
        return try rows == ["0"] && folder.names(folder.root + "/incoming").isEmpty
    }

    @Test("a finished recording becomes one asset and leaves nothing else behind")
    func whole() async throws {
        let library = try await folder.open()
        var note = note
        note.mediaSubtypes = .timelapse
        let path = try await library.beginRecording(note)
        #expect(try await folder.sqlite("SELECT id FROM recording") == [id.uuidString.lowercased()])
        var reel = try Reel()
        try reel.record(3, to: path, finishes: true)
        let movie = RecordedMovie(
            note, dimensions: Dimensions(width: 64, height: 48), orientation: 6,
            duration: MediaTime(nanoseconds: 3_000_000_000), thumbnail: jpeg())
        let asset = try await library.finishRecording(movie)
        check(asset, seconds: 3)
        #expect(asset.mediaSubtypes == .timelapse)
        let timelapses = try await library.fetchAssets(in: .smartAlbum(.timelapses))
        #expect(try await timelapses.count == 1)
        #expect(try await isTidy())
        #expect(try await folder.originals() == [id.uuidString.lowercased(): asset.sha256])
        #expect(
            try folder.names(folder.root + "/derived/thumbnails")
                == ["\(id.uuidString.lowercased()).jpg"])
        #expect(try await library.fetchAssets().count == 1)
        #expect(try await library.verify(deep: true).findings.isEmpty)
        await library.close()
    }

    @Test("the next open finishes and adopts a recording that a crash cut off")
    func cutOff() async throws {
        var library = try await folder.open()
        var note = note
        note.mediaSubtypes = [.timelapse, .loop]
        let path = try await library.beginRecording(note)
        await library.close()
        var reel = try Reel()
        try reel.record(4, to: path, finishes: false)
        // The file ends in the middle of the last fragment.
        let file = try GrowingFile(
            opening: path, keeping: (try FileTree.entry(path)?.bytes ?? 0) - 100)
        #expect(file.bytes > 0)
        library = try await folder.open()
        #expect(await library.recovered().adopted == [id])
        let asset = try await library.asset(id: id.uuidString)
        check(asset, seconds: 3)
        #expect(asset.mediaSubtypes == [.timelapse, .loop])
        #expect(!asset.recovered)
        #expect(try await folder.sqlite("SELECT count(*) FROM recording_subtypes") == ["0"])
        #expect(try await isTidy())
        #expect(try await folder.originals() == [id.uuidString.lowercased(): asset.sha256])
        #expect(try await library.verify(deep: true).findings.isEmpty)
        await library.close()
        library = try await folder.open()
        #expect(await library.recovered().adopted == [])
        await library.close()
    }

    @Test(
        "an adopted recording begins with its pre-roll, unless the clock has jumped",
        arguments: [(1_795_346_995, 10_123_456_789), (1_700_000_000, 0), (1_795_350_000, 0)])
    func cutOffWithPreRoll(second: Int64, preRoll: Int64) async throws {
        var library = try await folder.open()
        let path = try await library.beginRecording(note)
        await library.close()
        var reel = try Reel()
        try reel.record(4, to: path, finishes: false, at: second)
        library = try await folder.open()
        #expect(await library.recovered().adopted == [id])
        let asset = try await library.asset(id: id.uuidString)
        #expect(asset.createdAt.nanoseconds == note.createdAt.nanoseconds - preRoll)
        #expect(asset.createdAt.utcOffsetSeconds == note.createdAt.utcOffsetSeconds)
        #expect(try await folder.sqlite("SELECT boottime FROM asset") == ["\(12_345 - preRoll)"])
        await library.close()
    }

    @Test("a recording that is still being written is left alone when the library reopens")
    func stillWritten() async throws {
        var library = try await folder.open()
        let path = try await library.beginRecording(note)
        // The recorder keeps such a file open.
        var file: GrowingFile? = try GrowingFile(creating: path)
        #expect(file != nil && GrowingFile.isGrowing(path))
        await library.close()
        library = try await folder.open()
        #expect(await library.recovered().adopted.isEmpty)
        #expect(try await folder.sqlite("SELECT count(*) FROM recording") == ["1"])
        #expect(try FileTree.entry(path) != nil)
        await library.close()
        file = nil
        // A child process of another test may hold the descriptor until it calls exec.
        try await waitUntil { !GrowingFile.isGrowing(path) }
        // The file is empty, and no process writes it any more.
        library = try await folder.open()
        _ = await library.recovered()
        #expect(try await isTidy())
        await library.close()
    }

    @Test(
        "a recording without a row is adopted with the properties in its file",
        arguments: [("incoming", false), ("originals/2024/05/06", true)])
    func unnoted(place: String, isFinished: Bool) async throws {
        try await folder.open().close()
        let path = "\(folder.root)/\(place)/\(id.uuidString.lowercased()).mp4"
        try folder.write([], to: path)
        try FileManager.default.removeItem(atPath: path)
        var reel = try Reel()
        try reel.record(2, to: path, finishes: isFinished)
        let library = try await folder.open()
        #expect(await library.recovered().adopted == [id])
        let asset = try await library.asset(id: id.uuidString)
        #expect(asset.duration?.seconds == 2 && asset.width == 64)
        #expect(asset.timeConfidence == .unknown && asset.sessionID == nil)
        #expect(asset.location == Location(latitude: -1.5, longitude: 2.5))
        await library.close()
    }

    @Test("a crash after the file was moved into place loses none of the noted properties")
    func placed() async throws {
        var library = try await folder.open()
        let path = try await library.beginRecording(note)
        // The photo makes the library note the day. A crash would leave that note.
        let day = try await library.add(photo(at: note.createdAt)).createdAt
        #expect(day == note.createdAt)
        _ = try await folder.sqlite("SELECT 1")
        let days = try await folder.sqlite("SELECT path FROM ingest_day")
        await library.close()
        var reel = try Reel()
        try reel.record(3, to: path, finishes: true)
        try FileManager.default.moveItem(
            atPath: path,
            toPath: "\(folder.root)/originals/\(try #require(days.first))/"
                + "\(id.uuidString.lowercased()).mp4")
        _ = try await folder.sqlite(
            "INSERT INTO ingest_day VALUES ('\(days[0])', \(Int64.max))")
        library = try await folder.open()
        #expect(await library.recovered().adopted == [id])
        check(try await library.asset(id: id.uuidString), seconds: 3)
        #expect(try await isTidy())
        await library.close()
    }

    @Test(
        "nothing is kept of a recording without pictures",
        arguments: [nil, [], [1, 2, 3]] as [[UInt8]?])
    func empty(content: [UInt8]?) async throws {
        for isCrash in [false, true] {
            var library = try await folder.open()
            let path = try await library.beginRecording(note)
            if let content { try folder.write(content, to: path) }
            if isCrash {
                await library.close()
                library = try await folder.open()
                #expect(await library.recovered().adopted == [])
            } else {
                try await library.abandonRecording(id)
            }
            #expect(try await isTidy())
            #expect(try await library.fetchAssets().count == 0)
            await library.close()
        }
    }

    @Test("a playable recording is adopted even after it was abandoned")
    func abandoned() async throws {
        var library = try await folder.open()
        let path = try await library.beginRecording(note)
        var reel = try Reel()
        try reel.record(2, to: path, finishes: false)
        try await library.abandonRecording(id)
        #expect(try FileTree.entry(path) != nil)
        await library.close()
        library = try await folder.open()
        #expect(await library.recovered().adopted == [id])
        await library.close()
    }

    @Test("a recording left behind is adopted by the next admission, without reopening")
    func left() async throws {
        let library = try await folder.open()
        let path = try await library.beginRecording(note)
        var reel = try Reel()
        try reel.record(3, to: path, finishes: false)
        try await library.abandonRecording(id)
        #expect(try await library.fetchAssets().count == 0)
        try await library.admission()
        _ = await library.recovered()
        check(try await library.asset(id: id.uuidString), seconds: 3)
        #expect(try await isTidy())
        await library.close()
    }

    @Test(
        "a movie needs room for ten seconds at the recent rate; a photo does not",
        arguments: [false, true])
    func roomOfLate(isOpenedAnew: Bool) async throws {
        let free = Mutex<Int64>(.max)
        let open = {
            try await AssetLibrary.open(at: folder.root, reserveMegabytes: 10) {
                _ throws(SystemCallError) in free.withLock(\.self)
            }
        }
        var library = try await open()
        let path = try await library.beginRecording(note)
        var reel = try Reel()
        try reel.record(3, to: path, finishes: true)
        // 20 MiB a second, most of it padding that players skip.
        let padding: UInt64 = 60 << 20
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.seekToEnd()
        // The box's length in four bytes, and its type.
        try file.write(contentsOf: [3, 0xC0, 0, 0] + "free".utf8)
        try file.truncate(atOffset: file.offset() + padding - 8)
        try file.close()
        _ = try await library.finishRecording(
            RecordedMovie(
                note, dimensions: Dimensions(width: 64, height: 48), orientation: 6,
                duration: MediaTime(nanoseconds: 3_000_000_000)))
        if isOpenedAnew {
            await library.close()
            library = try await open()
        }
        var next = NewRecording(
            id: UUID(), createdAt: note.createdAt, timeConfidence: .synchronized)
        free.withLock { $0 = 150 << 20 }
        await #expect(throws: LibraryError.self) { try await library.beginRecording(next) }
        next.mediaSubtypes = .timelapse
        _ = try await library.beginRecording(next)
        try await library.abandonRecording(next.id)
        next.mediaSubtypes = []
        free.withLock { $0 = 220 << 20 }
        _ = try await library.beginRecording(next)
        try await library.abandonRecording(next.id)
        free.withLock { $0 = 30 << 20 }
        try await library.admission()
        await library.close()
        // Imported movies do not affect the expected rate.
        _ = try await folder.sqlite("UPDATE asset SET device_name = NULL")
        library = try await open()
        _ = try await library.beginRecording(next)
        try await library.abandonRecording(next.id)
        await library.close()
    }

    @Test(
        "a recording whose row could not be written is adopted from its final place",
        arguments: [false, true])
    func moved(isOpenedAnew: Bool) async throws {
        var library = try await folder.open()
        let path = try await library.beginRecording(note)
        var reel = try Reel()
        try reel.record(3, to: path, finishes: true)
        let movie = RecordedMovie(
            note, dimensions: Dimensions(width: 64, height: 48), orientation: 6,
            duration: MediaTime(nanoseconds: 3_000_000_000))
        _ = try await folder.sqlite(
            "CREATE TRIGGER refuse BEFORE INSERT ON asset BEGIN SELECT RAISE(ABORT, 'full'); END")
        await #expect(throws: LibraryError.self) { try await library.finishRecording(movie) }
        #expect(try FileTree.entry(path) == nil)
        _ = try await folder.sqlite("DROP TRIGGER refuse")
        if isOpenedAnew {
            await library.close()
            library = try await folder.open()
        }
        try await library.admission()
        _ = await library.recovered()
        check(try await library.asset(id: id.uuidString), seconds: 3)
        #expect(try await isTidy())
        #expect(try await library.fetchAssets().count == 1)
        #expect(try await library.verify(deep: true).findings.isEmpty)
        await library.close()
    }

    @Test("finishing refuses a file that is no movie, and completes an unfinished one")
    func incompatible() async throws {
        let library = try await folder.open()
        let movie = RecordedMovie(
            note, dimensions: Dimensions(width: 64, height: 48), orientation: 6,
            duration: MediaTime(nanoseconds: 3_000_000_000))
        var path = try await library.beginRecording(note)
        try folder.write([1, 2, 3], to: path)
        let error = await #expect(throws: LibraryError.self) {
            try await library.finishRecording(movie)
        }
        #expect(error?.code == .unsupported)
        try await library.admission()
        _ = await library.recovered()
        #expect(try await isTidy())
        #expect(try await library.fetchAssets().count == 0)
        path = try await library.beginRecording(note)
        var reel = try Reel()
        try reel.record(3, to: path, finishes: false)
        let asset = try await library.finishRecording(movie)
        check(asset, seconds: 3)
        #expect(try await folder.originals() == [id.uuidString.lowercased(): asset.sha256])
        await library.close()
    }

    @Test("a recording does not begin on a full disk")
    func full() async throws {
        let library = try await AssetLibrary.open(at: folder.root, reserveMegabytes: 10) {
            _ throws(SystemCallError) in 12 << 20
        }
        let error = await #expect(throws: LibraryError.self) {
            _ = try await library.beginRecording(note)
        }
        #expect(error?.code == .full)
        #expect(try await isTidy())
        await library.close()
    }
}
