// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Imaging
import Media
import TestSupport
import Testing

/// Independent programs that read JPEG and EXIF. A missing one fails the test.
enum Tool {
    /// Runs `name arguments… FILE` on a file with this content.
    static func run(
        _ name: String, _ arguments: [String], on content: [UInt8]
    ) throws -> Program.Outcome {
        let folder = try TemporaryFolder()
        let file = try folder.write(content, to: "photo.jpg")
        return try withExtendedLifetime(folder) { try Program.run(name, arguments + [file]) }
    }

    /// Returns the tags as `exiftool -s` prints them, with unformatted numbers.
    static func exif(_ file: [UInt8]) throws -> [String: String] {
        let result = try run("exiftool", ["-s", "-n", "-a"], on: file)
        #expect(result.status == 0, "\(result.text)")
        let pairs = result.output.split(separator: "\n").compactMap { line -> (String, String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (
                line[..<colon].trimmingCharacters(in: .whitespaces),
                line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            )
        }
        return Dictionary(pairs) { first, _ in first }
    }

    /// Returns the time in UTC as GNU date prints it.
    static func date(_ seconds: Int64) throws -> String {
        try Program.run("date", ["-u", "-d", "@\(seconds)", "+%Y:%m:%d %H:%M:%S"])
            .output.trimmingCharacters(in: .newlines)
    }

    /// Returns the file after exiftool has written metadata into it.
    static func exiftoolWritten(_ content: [UInt8], _ arguments: [String]) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let file = try folder.write(content, to: "photo.jpg")
        let result = try Program.run(
            "exiftool", ["-q", "-overwrite_original"] + arguments + [file])
        try #require(result.status == 0, "\(result.text)")
        return try folder.contents(of: "photo.jpg")
    }

    /// Expects exiftool, jpeginfo and djpeg to accept a photo's file without complaint.
    static func expectSound(_ file: [UInt8]) throws {
        let exiftool = try run("exiftool", ["-validate", "-warning", "-error", "-a"], on: file)
        #expect(exiftool.status == 0)
        #expect(
            exiftool.output.contains("Validate                        : OK"), "\(exiftool.text)")
        #expect(!exiftool.text.contains("Warning"), "\(exiftool.text)")
        let jpeginfo = try run("jpeginfo", ["-c"], on: file)
        #expect(jpeginfo.status == 0 && jpeginfo.text.contains("OK"), "\(jpeginfo.text)")
        let djpeg = try run("djpeg", ["-strict", "-outfile", "/dev/null"], on: file)
        #expect(djpeg.status == 0 && djpeg.text.isEmpty, "\(djpeg.text)")
    }
}

enum Sample {
    /// Returns a JPEG of a smooth picture, with JFIF header and Huffman tables.
    static func jpeg(_ width: Int = 160, _ height: Int = 96, _ format: PixelFormat = .yuv422) throws
        -> [UInt8]
    {
        var picture = try PixelStorage(
            format, Dimensions(width: width, height: height), color: .jpeg)
        return try unsafe picture.withMutablePixels { access in
            for plane in unsafe access.description.planes.indices {
                let layout = unsafe access.description.planes[plane]
                let start = unsafe access.plane(plane)
                for index in 0..<layout.bytesPerRow * layout.rows {
                    unsafe start[index] = UInt8(
                        (index % layout.bytesPerRow + index / layout.bytesPerRow * 2) % 200)
                }
            }
            return try unsafe JPEGEncoder().encode(access, quality: 85)
        }
    }

    /// Returns the JPEG as cameras send it: an AVI1 header, no Huffman tables, and padding.
    static func motionJPEG(_ jpeg: [UInt8], padding: [UInt8] = []) -> [UInt8] {
        let avi1: [UInt8] =
            [0xff, 0xe0, 0, 16] + Array("AVI1".utf8) + [UInt8](repeating: 0, count: 10)
        var result: [UInt8] = [0xff, 0xd8] + avi1
        var at = 2
        while jpeg[at + 1] != 0xda {
            let end = at + 2 + Int(jpeg[at + 2]) << 8 + Int(jpeg[at + 3])
            if jpeg[at + 1] != 0xc4 && jpeg[at + 1] != 0xe0 { result += jpeg[at..<end] }
            at = end
        }
        return result + jpeg[at...] + padding
    }

    /// Returns the bytes from the first scan's data up to EOI, found without the parser under test.
    static func entropyCoded(_ jpeg: [UInt8]) -> [UInt8] {
        var at = 2
        while jpeg[at + 1] != 0xda { at += 2 + Int(jpeg[at + 2]) << 8 + Int(jpeg[at + 3]) }
        at += 2 + Int(jpeg[at + 2]) << 8 + Int(jpeg[at + 3])
        var end = at
        while !(jpeg[end] == 0xff && jpeg[end + 1] == 0xd9) { end += 1 }
        return Array(jpeg[at..<end])
    }
}
