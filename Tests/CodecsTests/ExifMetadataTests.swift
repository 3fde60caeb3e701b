// SPDX-License-Identifier: GPL-3.0-or-later

import Codecs
import Media
import TestSupport
import Testing

@Suite("EXIF")
struct ExifMetadataTests {
    private func file(_ metadata: ExifMetadata, _ width: Int = 160, _ height: Int = 96) throws
        -> [UInt8]
    {
        Array(try JPEGFile(Sample.jpeg(width, height)).chunks(metadata: metadata).joined())
    }

    /// 2026-05-28 20:26:40 UTC.
    static let moment = PictureTime(
        seconds: 1_780_000_000, nanoseconds: 123_456_789, utcOffsetSeconds: -9000)

    @Test("exiftool reads every value as given, without warnings")
    func values() throws {
        let thumbnail = try Sample.jpeg(80, 48, .yuv420)
        let id = "0123456789abcdef0123456789ABCDEF"
        let metadata = ExifMetadata(
            make: "Raspberry", model: "HQ \u{e9}", software: "Vitrine 0.1", time: Self.moment,
            orientation: 6, exposureTime: ExifMetadata.Rational(1, 125), iso: 400,
            imageUniqueID: id, thumbnail: thumbnail)
        let made = try file(metadata)
        try Tool.expectSound(made)
        let tags = try Tool.exif(made)
        let local = "2026:05:28 17:56:40"
        for (tag, value) in [
            "Make": "Raspberry", "Model": "HQ ?", "Software": "Vitrine 0.1", "ModifyDate": local,
            "DateTimeOriginal": local, "CreateDate": local, "OffsetTime": "-02:30",
            "OffsetTimeOriginal": "-02:30", "OffsetTimeDigitized": "-02:30",
            "SubSecTime": "123456789", "SubSecTimeOriginal": "123456789",
            "SubSecTimeDigitized": "123456789", "Orientation": "6", "ExposureTime": "0.008",
            "ISO": "400", "ImageUniqueID": id, "ExifImageWidth": "160", "ExifImageHeight": "96",
            "ColorSpace": "1", "ExifVersion": "0232", "ThumbnailLength": "\(thumbnail.count)",
            "SubSecDateTimeOriginal": "\(local).123456789-02:30",
        ] {
            #expect(tags[tag] == value, "\(tag)")
        }
    }

    @Test("written metadata is read back", arguments: 1...8)
    func roundTrip(_ orientation: Int) throws {
        var metadata = ExifMetadata(
            make: "a", model: "b", software: "c", time: Self.moment, orientation: orientation,
            exposureTime: ExifMetadata.Rational(3, 7), iso: 70_000,
            imageUniqueID: String(repeating: "a0", count: 16), thumbnail: try Sample.jpeg(16, 16))
        let read = try ExifMetadata(reading: file(metadata, 64, 32))
        metadata.dimensions = Dimensions(width: 64, height: 32)
        #expect(read == metadata)
    }

    @Test(
        "a location is read back as given, also by exiftool, without warnings",
        arguments: [
            (48.208_176, 16.373_819, 171.25), (-33.856_784, 151.215_297, nil),
            (0, -0.000_001, -430.5), (-90, 180, 0), (59.999_999_99, -179.999_999_99, 8848.86),
        ] as [(Double, Double, Double?)])
    func place(latitude: Double, longitude: Double, altitude: Double?) throws {
        let location = try #require(
            Location(latitude: latitude, longitude: longitude, altitude: altitude))
        let made = try file(ExifMetadata(time: Self.moment, location: location))
        try Tool.expectSound(made)
        let wanted = ["Latitude", "Longitude", "Altitude"].map { "-Composite:GPS\($0)" }
        let said = try Tool.run("exiftool", ["-n", "-s3"] + wanted, on: made).output
            .split(separator: "\n").compactMap { Double($0) }
        let read = try #require(try ExifMetadata(reading: made).location)
        let own = [read.latitude, read.longitude, read.altitude].compactMap(\.self)
        let given = [latitude, longitude, altitude].compactMap(\.self)
        #expect(said.count == given.count && own.count == given.count)
        // The tolerance is in degrees, and in metres for the altitude.
        for (one, other) in zip(said + own, given + given) { #expect(abs(one - other) < 0.000_5) }
        #expect(JPEGBeginning(made)?.location == read)
    }

    @Test("a location that exiftool wrote is read, even without a date; half of one is not")
    func foreignPlace() throws {
        let jpeg = try Sample.jpeg()
        let written = try Tool.exiftoolWritten(
            jpeg,
            ["-GPSLatitude=48.2", "-GPSLatitudeRef=S", "-GPSLongitude=16.5", "-GPSLongitudeRef=W"])
        let location = try #require(JPEGBeginning(written)?.location)
        #expect(abs(location.latitude + 48.2) < 0.000_01)
        #expect(abs(location.longitude + 16.5) < 0.000_01 && location.altitude == nil)
        // The file has only a latitude.
        let half = try Tool.exiftoolWritten(jpeg, ["-GPSLatitude=48.2", "-GPSLatitudeRef=N"])
        #expect(JPEGBeginning(half) != nil && JPEGBeginning(half)?.location == nil)
    }

    @Test(
        "hemispheres are read in either case; a location without valid ones is refused",
        arguments: [
            ("S", "W", true), ("s", "w", true), ("X", "W", false),
            ("S", "?", false), ("", "W", false), ("S", " ", false),
        ])
    func sides(latitude: String, longitude: String, isPlace: Bool) throws {
        let written = try Tool.exiftoolWritten(
            Sample.jpeg(),
            [
                "-GPSLatitude=48.2", "-GPSLatitudeRef#=\(latitude)", "-GPSLongitude=16.5",
                "-GPSLongitudeRef#=\(longitude)",
            ])
        let location = JPEGBeginning(written)?.location
        #expect((location != nil) == isPlace)
        if let location { #expect(location.latitude < -48 && location.longitude < -16) }
    }

    @Test("optional values are left out, and the file stays valid")
    func sparse() throws {
        let made = try file(ExifMetadata(time: PictureTime(seconds: 0)))
        try Tool.expectSound(made)
        let tags = try Tool.exif(made)
        for absent in [
            "Make", "Model", "Software", "ExposureTime", "ISO", "ImageUniqueID", "ThumbnailLength",
        ] {
            #expect(tags[absent] == nil)
        }
        #expect(tags["SubSecDateTimeOriginal"] == "1970:01:01 00:00:00.000000000+00:00")
        #expect(try ExifMetadata(reading: made).time == PictureTime(seconds: 0))
    }

    /// GNU date is the oracle.
    @Test(
        "dates agree with the calendar",
        arguments: [
            0, 951_782_399, 951_782_400, 951_868_800, 1_709_164_800, 4_107_542_399, 4_107_542_400,
            253_402_214_400, -1, -2_203_891_200, -62_135_596_800, 1_780_000_000,
        ] as [Int64])
    func dates(_ seconds: Int64) throws {
        for offset in [0, 3600, -12_600, 50_400] {
            guard offset == 0 || (-62_135_500_000...253_402_200_000).contains(seconds) else {
                continue
            }
            let time = PictureTime(seconds: seconds, nanoseconds: 1, utcOffsetSeconds: offset)
            let made = try file(ExifMetadata(time: time), 16, 16)
            #expect(try ExifMetadata(reading: made).time == time)
            if offset == 0 {
                let shown = try Tool.date(seconds)
                #expect(try Tool.exif(made)["DateTimeOriginal"] == shown)
            }
        }
    }

    @Test("a UTC offset with seconds is rounded to minutes, and the instant stays the same")
    func oddOffset() throws {
        let time = PictureTime(seconds: 1_780_000_000, utcOffsetSeconds: 1172)
        let read = try ExifMetadata(reading: file(ExifMetadata(time: time), 16, 16)).time
        #expect(read == PictureTime(seconds: 1_780_000_000, utcOffsetSeconds: 1200))
    }

    @Test("a thumbnail that is too large is left out; one that just fits is kept")
    func largeThumbnail() throws {
        let small = try Sample.jpeg(16, 16)
        func segment(_ bytes: Int) throws -> [UInt8] {
            // Padding after the picture sets the length.
            let thumbnail = small + [UInt8](repeating: 0, count: bytes - small.count)
            return try ExifMetadata(time: Self.moment, thumbnail: thumbnail).app1Segment()
        }
        let overhead = try segment(1000).count - 1000
        let fits = ExifMetadata.largestSegment - overhead
        #expect(try segment(fits).count == ExifMetadata.largestSegment)
        #expect(try segment(fits + 1).count < 1000)
        #expect(try segment(200_000).count < 1000)
    }

    @Test("values that EXIF cannot hold are refused")
    func refusals() {
        var metadata = ExifMetadata(time: Self.moment)
        func isRefused(_ change: (inout ExifMetadata) -> Void) -> Bool {
            metadata = ExifMetadata(time: Self.moment)
            change(&metadata)
            do throws(CodecError) {
                _ = try metadata.app1Segment()
                return false
            } catch {
                return error.code == .unsupported
            }
        }
        #expect(!isRefused { _ in })
        #expect(isRefused { $0.orientation = 0 })
        #expect(isRefused { $0.orientation = 9 })
        #expect(isRefused { $0.imageUniqueID = "abc" })
        #expect(isRefused { $0.imageUniqueID = String(repeating: "x", count: 32) })
        #expect(isRefused { $0.iso = 0 })
        #expect(isRefused { $0.exposureTime = ExifMetadata.Rational(1, 0) })
        #expect(isRefused { $0.time.nanoseconds = 1_000_000_000 })
        #expect(isRefused { $0.time.seconds = .max })
        #expect(isRefused { $0.time.seconds = -62_135_596_801 })
        #expect(isRefused { $0.time.utcOffsetSeconds = .min })
        #expect(isRefused { $0.make = String(repeating: "a", count: 70_000) })
    }

    @Test("a picture without EXIF throws noMetadata")
    func absent() throws {
        let error = #expect(throws: CodecError.self) { try ExifMetadata(reading: Sample.jpeg()) }
        #expect(error?.code == .noMetadata)
    }

    /// Big-endian EXIF, as other cameras write it, made with exiftool.
    @Test("big-endian EXIF is read")
    func bigEndian() throws {
        let made = try Tool.exiftoolWritten(
            Sample.jpeg(),
            [
                "-ExifByteOrder=MM", "-Orientation#=8", "-DateTimeOriginal=2001:02:03 04:05:06",
                "-SubSecTimeOriginal=25", "-ISO=100", "-ExposureTime=1/60",
            ])
        let read = try ExifMetadata(reading: made)
        #expect(read.orientation == 8 && read.iso == 100)
        #expect(read.exposureTime == ExifMetadata.Rational(1, 60))
        #expect(read.time.seconds == 981_173_106 && read.time.nanoseconds == 250_000_000)
        #expect(read.time.utcOffsetSeconds == 0 && !read.time.hasUTCOffset)
    }

    @Test("20,000 mutated EXIF segments are each read or refused")
    func mutations() throws {
        var random = Seeded(99)
        let metadata = ExifMetadata(
            make: "a", model: "b", time: Self.moment, exposureTime: ExifMetadata.Rational(1, 3),
            iso: 5, imageUniqueID: String(repeating: "0", count: 32),
            thumbnail: try Sample.jpeg(16, 16))
        let seed = try file(metadata, 16, 16)
        let end = try metadata.app1Segment().count
        var (read, refused) = (0, 0)
        for _ in 0..<20_000 {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                bytes[Int.random(in: 2..<min(end, 500), using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            if (try? ExifMetadata(reading: bytes)) != nil { read += 1 } else { refused += 1 }
        }
        #expect(read > 1000 && refused > 1000, "\(read) \(refused)")
    }
}
