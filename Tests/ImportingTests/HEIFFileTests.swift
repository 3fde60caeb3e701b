// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Importing
import TestSupport
import Testing

@Suite("HEIFFile")
struct HEIFFileTests {
    /// Returns a HEIF file with EXIF, made by exiftool and libheif.
    private func file() throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "a")
        let made = try Program.run(
            "sh",
            [
                "-c",
                "ffmpeg -nostdin -v error -f lavfi -i testsrc=size=64x48 -frames:v 1 \(path).jpg && "
                    + "exiftool -q -overwrite_original -EXIF:Model=Oldie \(path).jpg && "
                    + "heif-enc -q 50 \(path).jpg -o \(path).heic",
            ])
        #expect(made.status == 0, "\(made.errors)")
        return try folder.contents(of: "a.heic")
    }

    @Test("the EXIF of a HEIF file is found and is a TIFF structure")
    func place() throws {
        let bytes = try file()
        let place = try #require(HEIFFile(bytes).exif)
        let tiff = HEIFFile.tiff(Array(bytes[place]))
        #expect(tiff.starts(with: Array("MM".utf8)) || tiff.starts(with: Array("II".utf8)))
        #expect(String(decoding: tiff, as: UTF8.self).contains("Oldie"))
    }

    @Test("a truncated or altered HEIF file never crashes the parser")
    func damaged() throws {
        let bytes = try file()
        for count in 0..<min(bytes.count, 2000) { _ = HEIFFile(Array(bytes.prefix(count))).exif }
        var found = 0
        for offset in 0..<min(bytes.count, 700) {
            for value in [UInt8(0), 1, 0x7f, 0xff] {
                var changed = bytes
                changed[offset] = value
                if let place = HEIFFile(changed).exif {
                    found += 1
                    #expect(place.lowerBound >= 0 && place.count > 4)
                }
            }
        }
        #expect(found > 100)
        #expect(HEIFFile([]).exif == nil && HEIFFile.tiff([]) == [])
        #expect(HEIFFile.tiff([0xff, 0xff, 0xff, 0xff, 1]) == [])
    }
}
