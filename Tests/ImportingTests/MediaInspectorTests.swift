// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Importing
import Library
import Media
import TestSupport
import Testing

@Suite("MediaInspector")
struct MediaInspectorTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func inspect(
        _ bytes: [UInt8], megabytes: Int = 64, _ programs: FakePrograms = FakePrograms()
    ) async throws -> InspectedMedia {
        try await MediaInspector(memoryLimit: megabytes << 20, programs: programs)
            .inspect(try folder.write(bytes, to: "file"))
    }

    private func refusal(_ bytes: [UInt8], megabytes: Int = 64) async throws -> ImportError? {
        await #expect(throws: ImportError.self) { try await inspect(bytes, megabytes: megabytes) }
    }

    @Test("a JPEG and a PNG are recognized with their size and get a thumbnail")
    func pictures() async throws {
        let size = Dimensions(width: 320, height: 200)
        for (bytes, kind) in [
            (try Pictures.jpeg(size), MediaKind.jpeg), (try Pictures.png(size), .png),
        ] {
            let media = try await inspect(bytes)
            #expect(media.kind == kind && media.dimensions == size && media.orientation == 1)
            #expect(media.createdAt == nil)
            #expect(media.thumbnail?.starts(with: [0xff, 0xd8]) == true)
        }
    }

    @Test("a JPEG's EXIF gives date, orientation and location; no offset means local time")
    func exif() async throws {
        let path = try folder.write(try Pictures.jpeg(), to: "a.jpg")
        let written = try Program.run(
            "exiftool",
            [
                "-q", "-overwrite_original", "-DateTimeOriginal=2020:02:03 04:05:06",
                "-OffsetTimeOriginal=+02:00", "-Orientation#=6", "-GPSLatitude=48.25",
                "-GPSLatitudeRef=N", "-GPSLongitude=16.5", "-GPSLongitudeRef=W", path,
            ])
        #expect(written.status == 0, "\(written.errors)")
        let media = try await inspect(try folder.contents(of: "a.jpg"))
        #expect(media.createdAt?.description == "2020-02-03T04:05:06.000+02:00")
        #expect(media.orientation == 6)
        #expect(media.location == Location(latitude: 48.25, longitude: -16.5))
        _ = try Program.run(
            "exiftool", ["-q", "-overwrite_original", "-OffsetTimeOriginal=", path])
        let local = try await inspect(try folder.contents(of: "a.jpg")).createdAt
        #expect(local?.description.hasPrefix("2020-02-03T04:05:06.000") == true)
        let here = try Program.run("date", ["-d", "2020-02-03 04:05:06", "+%s"])
        #expect(local.map { "\($0.nanoseconds / 1_000_000_000)\n" } == here.output)
    }

    @Test("a PNG's EXIF gives date and location")
    func pngExif() async throws {
        let path = try folder.write(try Pictures.png(), to: "a.png")
        let written = try Program.run(
            "exiftool",
            [
                "-q", "-overwrite_original", "-EXIF:DateTimeOriginal=2021:12:31 23:59:59",
                "-EXIF:OffsetTimeOriginal=-05:00", "-EXIF:GPSLatitude=1.5",
                "-EXIF:GPSLatitudeRef=S", "-EXIF:GPSLongitude=2", "-EXIF:GPSLongitudeRef=E", path,
            ])
        #expect(written.status == 0, "\(written.errors)")
        let media = try await inspect(try folder.contents(of: "a.png"))
        #expect(media.createdAt?.description == "2021-12-31T23:59:59.000-05:00")
        #expect(media.location == Location(latitude: -1.5, longitude: 2))
    }

    @Test(
        "EXIF of phones marks a picture as HDR, panorama or screenshot",
        arguments: [
            (["-CustomRendered#=0"], []), (["-CustomRendered#=2"], .hdr),
            (["-CustomRendered#=4"], []), (["-CustomRendered#=3"], .hdr),
            (["-CustomRendered#=6"], .panorama), (["-UserComment=a screenshot"], []),
            (["-UserComment=Screenshot", "-CustomRendered#=7"], [.screenshot, .hdr]),
        ] as [([String], MediaSubtypes)])
    func subtypes(options: [String], expected: MediaSubtypes) async throws {
        for (name, bytes) in [("a.jpg", try Pictures.jpeg()), ("a.png", try Pictures.png())] {
            let path = try folder.write(bytes, to: name)
            let written = try Program.run(
                "exiftool", ["-q", "-overwrite_original"] + options + [path])
            #expect(written.status == 0, "\(written.errors)")
            let media = try await inspect(try folder.contents(of: name))
            #expect(media.mediaSubtypes == expected, "\(name)")
        }
    }

    @Test("a video has the properties that the programs report")
    func video() async throws {
        let bytes: [UInt8] = [0, 0, 0, 32] + Array("ftypisom".utf8)
        let media = try await inspect(bytes)
        #expect(media.kind == .mp4 && media.kind.mediaType == .video)
        #expect(media.dimensions == Dimensions(width: 320, height: 240) && media.orientation == 6)
        #expect(media.durationMicroseconds == 1_500_000)
        #expect(media.createdAt?.nanoseconds == 1_795_000_000_000_000_000)
        #expect(media.mediaSubtypes == .liveClip)
    }

    @Test("an unplayable video is refused with the reason")
    func incompatible() {
        let good = FakePrograms().described
        #expect(throws: Never.self) { try good.requireCompatible() }
        let cases: [(ImportError.Code, String, (inout VideoDescription) -> Void)] = [
            (.unsupported, "no moving picture", { $0.codec = nil }),
            (.unsupported, "prores", { $0.codec = "prores" }),
            (.unsupported, "yuv420p10le", { $0.pixelFormat = "yuv420p10le" }),
            (.unsupported, "7680x4320", { $0.dimensions = Dimensions(width: 7680, height: 4320) }),
            (.damaged, "0x240", { $0.dimensions = Dimensions(width: 0, height: 240) }),
            (.damaged, "duration", { $0.durationMicroseconds = nil }),
        ]
        for (code, word, change) in cases {
            var video = good
            change(&video)
            let error = #expect(throws: ImportError.self) { try video.requireCompatible() }
            #expect(error?.code == code && error?.message.contains(word) == true)
        }
    }

    @Test("a truncated file is detected, wherever it is cut")
    func truncated() async throws {
        // A JPEG that lacks only its end marker is whole.
        for (bytes, end) in [(try Pictures.jpeg(), 8), (try Pictures.png(), 1)] {
            for count in stride(from: 16, to: bytes.count - end, by: 7) {
                let error = try await refusal(Array(bytes.prefix(count)))
                #expect(error?.code == .truncated, "\(count) of \(bytes.count)")
            }
        }
    }

    @Test("a picture that needs too much memory is refused before it is decoded")
    func bombs() async throws {
        let huge = Dimensions(width: 65_535, height: 65_535)
        let before = try residentMegabytes()
        for bytes in [
            try Pictures.jpeg(claiming: huge), try Pictures.jpeg(claiming: huge, marker: 0xc2),
            try Pictures.png(claiming: huge),
            // Smaller sizes of kinds that are decoded as a whole, and an extreme size.
            try Pictures.jpeg(claiming: Dimensions(width: 12_000, height: 12_000), marker: 0xc2),
            try inScans(try Pictures.jpeg(claiming: Dimensions(width: 12_000, height: 12_000))),
            try Pictures.png(claiming: Dimensions(width: 30_000, height: 30_000)),
            try Pictures.png(claiming: Dimensions(width: 0x7fff_ffff, height: 0x7fff_ffff)),
        ] {
            #expect(try await refusal(bytes)?.code == .tooLarge)
        }
        #expect(try residentMegabytes() - before < 64)
        let big = [UInt8](repeating: 0, count: 17 << 20)
        let error = try await refusal(try Pictures.jpeg() + big, megabytes: 16)
        #expect(error?.code == .tooLarge && error?.message.contains("--memory-mb") == true)
    }

    /// Returns the JPEG with only the first of its three components in the first scan.
    private func inScans(_ jpeg: [UInt8]) throws -> [UInt8] {
        let scan = try #require(jpeg.firstRange(of: [0xff, 0xda, 0x00, 0x0c, 0x03]))
        let first = jpeg[scan.upperBound..<scan.upperBound + 2]
        return jpeg[..<scan.lowerBound] + [0xff, 0xda, 0x00, 0x08, 0x01] + first
            + jpeg[(scan.upperBound + 6)...]
    }

    private func residentMegabytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM") })
        return try #require(Int(line.filter(\.isNumber))) / 1024
    }

    @Test("any input is inspected or refused with an ImportError", arguments: 0..<8)
    func random(seed: Int) async throws {
        var random = Seeded(UInt64(seed))
        let beginnings: [[UInt8]] = [
            try Pictures.jpeg(), try Pictures.png(), [0xff, 0xd8, 0xff],
            [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], [],
        ]
        for round in 0..<100 {
            var bytes = beginnings[round % beginnings.count]
            if bytes.count > 20 {
                for _ in 0..<Int.random(in: 1...8, using: &random) {
                    bytes[Int.random(in: 2..<bytes.count, using: &random)] = .random(
                        in: 0...255, using: &random)
                }
            } else {
                for _ in 0..<500 { bytes.append(.random(in: 0...255, using: &random)) }
            }
            do {
                _ = try await inspect(bytes, megabytes: 16)
            } catch is ImportError {}
        }
    }
}
