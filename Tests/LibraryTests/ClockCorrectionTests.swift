// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Library
import Testing

private let second: Int64 = 1_000_000_000
private let boot = "11111111-0000-4000-8000-000000000000"
/// The right time: 2026-11-21 21:30:05.25 UTC.
private let right: Int64 = 1_795_296_605_250_000_000

/// Returns a JPEG of one scan, with a date that exiftool wrote.
private func datedPicture(_ date: String, in folder: LibraryFolder) async throws -> [UInt8] {
    let header: [UInt8] = [
        0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, 48, 0, 64, 1, 1, 0x11, 0, 0xFF, 0xDA, 0, 8, 1, 1, 0, 0,
        0x3F, 0,
    ]
    let data = (0..<3000).map { _ in UInt8.random(in: 0...254) }
    let path = folder.path + "/dated.jpg"
    try folder.write(header + data + [0xFF, 0xD9], to: path)
    let result = try await command([
        "exiftool", "-q", "-overwrite_original", "-AllDates=\(date)", "-Model=Kiosk", path,
    ])
    try #require(result.status == 0, "\(result.errors)")
    return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
}

private func photo(
    _ content: [UInt8] = jpeg(), taken: Int64, clock: Int64, in bootID: String = boot,
    _ confidence: Asset.TimeConfidence = .unknown
) -> FinishedPhoto {
    var photo = photo(content, at: WallTime(nanoseconds: clock, utcOffsetSeconds: 0))
    photo.bootID = bootID
    photo.boottime = taken
    photo.timeConfidence = confidence
    return photo
}

@Suite("clock correction")
struct ClockCorrectionTests {
    private let now = AssetLibrary.ClockReading(bootID: boot, boottime: 500 * second, wall: right)

    @Test("photos taken earlier in this boot get their right times and keep their order")
    func corrected() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        for (taken, clock) in [(20, 20), (30, 30), (40, 31_536_000)] as [(Int64, Int64)] {
            try await library.add(photo(taken: taken * second, clock: clock * second))
        }
        try await library.add(photo(taken: 50 * second, clock: right, .synchronized))
        try await library.add(photo(taken: 60 * second, clock: 60 * second, in: "another boot"))
        let before = try await library.assets(limit: 10)
        #expect(try await library.correctTimes(by: now) == 3)
        let after = try await library.assets(limit: 10)
        #expect(
            after.map(\.id) == before.map(\.id) && after.map(\.sequence) == before.map(\.sequence))
        for (asset, taken) in zip(after, [20, 30, 40] as [Int64]) {
            #expect(asset.createdAt.nanoseconds == right - (500 - taken) * second)
            #expect(asset.timeConfidence == .corrected)
            #expect(asset.fileName.hasPrefix("2026-11-21_21-2"))
        }
        #expect(after[2].timeCorrection == right - (460 + 31_536_000) * second)
        #expect(after[3...] == before[3...])
        #expect(Set(after.map(\.fileName)).count == 5)
        #expect(
            try await folder.sqlite(
                "SELECT kind, asset, origin FROM change WHERE kind = 'updated' ORDER BY token")
                == ["updated|1|clock", "updated|2|clock", "updated|3|clock"])
        // A second correction changes nothing.
        #expect(try await library.correctTimes(by: now) == 0)
        #expect(try await library.assets(limit: 10) == after)
        await library.close()
    }

    @Test("an estimated time that was right becomes synchronized without a correction")
    func alreadyRight() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        try await library.add(
            photo(taken: 400 * second, clock: right - 100 * second + second / 2, .estimated))
        let before = try #require(try await library.assets(limit: 1).first)
        #expect(try await library.correctTimes(by: now) == 0)
        let after = try #require(try await library.assets(limit: 1).first)
        #expect(after.timeConfidence == .synchronized && after.timeCorrection == 0)
        #expect(after.createdAt == before.createdAt && after.fileName == before.fileName)
        await library.close()
    }

    @Test("more photos than one transaction holds are all corrected")
    func many() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        let picture = jpeg(bytes: 10)
        for number in 0..<450 as Range<Int64> {
            try await library.add(photo(picture, taken: number, clock: number))
        }
        #expect(try await library.correctTimes(by: now) == 450)
        #expect(
            try await folder.sqlite(
                "SELECT count(*) FROM asset WHERE time_confidence = 'corrected'")
                == ["450"])
        await library.close()
    }

    @Test("an exported copy has the corrected date, and the original stays unchanged")
    func exported() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        let picture = try await datedPicture("1970:01:01 00:00:20", in: folder)
        try await library.add(photo(picture, taken: 20 * second, clock: 20 * second))
        let stored = try await folder.originals()
        try await library.correctTimes(by: now)
        let asset = try #require(try await library.assets(limit: 1).first)
        let first = try await library.export(to: folder.target)
        #expect(first.exported.named == [asset.fileName] && first.failures.isEmpty)
        let copy = folder.target + "/" + asset.fileName
        let dates = try await command([
            "exiftool", "-s3", "-DateTimeOriginal", "-OffsetTimeOriginal", "-Model", copy,
        ])
        #expect(dates.lines.first == "2026:11:21 21:22:05", "\(dates.output) \(dates.errors)")
        #expect(dates.lines.last == "Kiosk")
        #expect(try await folder.originals() == stored)
        #expect(stored.values.first == asset.sha256)
        // The scan is identical to the original's.
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: copy)))
        #expect(bytes.suffix(3002) == picture.suffix(3002) && bytes != picture)
        let again = try await library.export(to: folder.target)
        #expect(again.skipped.named == [asset.fileName] && again.exported.isEmpty)
        await library.close()
    }
}
