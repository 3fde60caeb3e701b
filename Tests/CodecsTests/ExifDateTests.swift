// SPDX-License-Identifier: GPL-3.0-or-later

import Codecs
import Foundation
import TestSupport
import Testing

@Suite("Dates that cameras write into EXIF")
struct ExifDateTests {
    /// Dates found in files. exiftool tells how each must be read.
    private static let dates = [
        "2024:06:01 10:11:12", "2024-06-01 10:11:12", "2024/06/01 10:11:12", "2024.06.01 10.11.12",
        "2024-06-01T10:11:12", "2024:06:01 10:11:12.5", "2024:06:01 10:11:12,75",
        "2024:06:01 10:11:12.1234567891", "2024:06:01 10:11:12Z", "2024:06:01 10:11:12+02:00",
        "2024:06:01 10:11:12-03:30", "2024-06-01T10:11:12.25+14:00", "2024:06:01 10:11:12 +01:00",
        "2024: 6: 1  9: 5: 3", "2024:6:1 9:5:3", "2024:06:01 10:11", "2024:06:01", "2024/06/01",
        "2024:06:01   :  :  ", "  2024:06:01 10:11:12  ", "0001:01:01 00:00:00",
        "9999:12:31 23:59:59",
    ]

    /// Invalid dates. exiftool rejects most of them, and guesses a day for the others.
    private static let notDates = [
        "", "    ", "    :  :     :  :  ", "0000:00:00 00:00:00", "0000:00:00",
        "2024:00:01 10:11:12",
        "2024:06:00 10:11:12", "2024:13:01 10:11:12", "2024:02:30 10:11:12", "2023:02:29 10:11:12",
        "2024:06:01 24:00:00", "2024:06:01 10:60:12", "20240601", "2024:06", "2024", "June 2024",
        "24:06:01 10:11:12", "2024:06:01 10:11:12 PM", "unknown",
    ]

    /// Writes a JPEG for each date into a folder. exiftool stores the dates as they are.
    private func files(_ dates: [String]) throws -> (folder: TemporaryFolder, paths: [String]) {
        let folder = try TemporaryFolder()
        let jpeg = try Sample.jpeg()
        let paths = try dates.indices.map { index in
            try folder.write(jpeg, to: "\(100 + index).jpg")
        }
        let arguments = zip(dates, paths).flatMap { date, path in
            ["-overwrite_original", "-DateTimeOriginal#=\(date)", path, "-execute"]
        }
        let written = try Program.run("exiftool", arguments)
        try #require(written.status == 0, "\(written.text)")
        return (folder, paths)
    }

    @Test("every notation of a date is read as exiftool reads it")
    func table() throws {
        let (folder, paths) = try files(Self.dates)
        let said = try withExtendedLifetime(folder) {
            try Program.run(
                "exiftool", ["-q", "-s3", "-d", "%Y:%m:%d %H:%M:%S", "-DateTimeOriginal"] + paths)
        }.output.split(separator: "\n").map(String.init)
        try #require(said.count == paths.count)
        for (date, (path, said)) in zip(Self.dates, zip(paths, said)) {
            let read = try? ExifMetadata(
                reading: try folder.contents(of: (path as NSString).lastPathComponent))
            #expect(read?.time.dateTimeText == said, "\(date)")
        }
    }

    @Test("an invalid date yields no time", arguments: notDates)
    func refused(_ date: String) {
        #expect(PictureTime(dateTime: date, subSecond: nil, offset: nil) == nil)
    }

    @Test("fractions of a second may have any number of digits")
    func subSeconds() {
        let nanoseconds: [(String, Int32)] = [
            ("5", 500_000_000), ("05", 50_000_000), ("123", 123_000_000), (" 12 ", 120_000_000),
            ("123456789", 123_456_789), ("12345678999", 123_456_789), ("", 0), ("  ", 0), ("x", 0),
        ]
        for (text, expected) in nanoseconds {
            let time = PictureTime(dateTime: "2024:06:01 10:11:12", subSecond: text, offset: nil)
            #expect(time?.nanoseconds == expected, "\(text)")
        }
        let inDate = PictureTime(dateTime: "2024:06:01 10:11:12.25", subSecond: "5", offset: nil)
        #expect(inDate?.nanoseconds == 250_000_000)
    }

    @Test("UTC offsets are read with and without colon, minutes and blanks")
    func offsets() {
        let minutes: [(String, Int?)] = [
            ("+02:00", 120), ("-03:30", -210), ("+0545", 345), ("+02", 120), ("Z", 0),
            ("+00:00", 0),
            ("-1:00", -60), ("+02:00 ", 120), ("   :  ", nil), ("", nil), ("02:00", nil),
            ("+24:00", nil), ("+02:60", nil), ("+2:0", nil), ("local", nil),
        ]
        for (text, expected) in minutes {
            let time = PictureTime(dateTime: "2024:06:01 10:11:12", subSecond: nil, offset: text)
            #expect(time?.hasUTCOffset == (expected != nil), "\(text)")
            #expect(time?.utcOffsetSeconds == (expected ?? 0) * 60, "\(text)")
            #expect(time?.dateTimeText == "2024:06:01 10:11:12", "\(text)")
        }
    }

    @Test("the first valid date counts, with its own offset or the one DateTime shares")
    func order() throws {
        func time(_ tags: [String]) throws -> PictureTime? {
            let file = try Tool.exiftoolWritten(try Sample.jpeg(), tags)
            return JPEGBeginning(file)?.metadata?.time
        }
        let shared = try time([
            "-DateTimeOriginal=2024:06:01 10:11:12", "-ModifyDate=2024:06:01 10:11:12",
            "-OffsetTime=+02:00",
        ])
        #expect(shared?.hasUTCOffset == true && shared?.utcOffsetSeconds == 7200)
        // The picture was edited later, elsewhere.
        let edited = try time([
            "-DateTimeOriginal=2024:06:01 10:11:12", "-ModifyDate=2025:06:01 10:11:12",
            "-OffsetTime=+02:00",
        ])
        #expect(edited?.hasUTCOffset == false && edited?.dateTimeText == "2024:06:01 10:11:12")
        let digitized = try time([
            "-DateTimeOriginal#=0000:00:00 00:00:00", "-CreateDate=2023:01:02 03:04:05",
            "-ModifyDate=2025:06:01 10:11:12",
        ])
        #expect(digitized?.dateTimeText == "2023:01:02 03:04:05")
        let changed = try time(["-ModifyDate=2025:06:01 10:11:12", "-OffsetTime=-05:00"])
        #expect(changed?.utcOffsetSeconds == -18_000)
        #expect(try time(["-Make=none"]) == nil)
    }
}
