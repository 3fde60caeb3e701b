// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Glibc
import Imaging
import Media
import Testing

/// Programs that know JPEG and EXIF without Vitrine. One that is missing fails the test.
enum Tool {
    /// Runs `name arguments… FILE` on a file of that content: its standard output and status.
    static func run(
        _ name: String, _ arguments: [String], on content: [UInt8]
    ) throws -> (output: String, status: Int32) {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "\(UUID().uuidString).jpg")
        try Data(content).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [name] + arguments + [file.path]
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = contents(of: pipe.fileHandleForReading)
        process.waitUntilExit()
        try #require(process.terminationStatus != 127, "\(name) is not installed")
        return (String(decoding: output, as: UTF8.self), process.terminationStatus)
    }

    /// Tag by tag, as `exiftool -s` prints them with numbers as numbers.
    static func exif(_ file: [UInt8]) throws -> [String: String] {
        let (output, status) = try run("exiftool", ["-s", "-n", "-a"], on: file)
        #expect(status == 0, "\(output)")
        let pairs = output.split(separator: "\n").compactMap { line -> (String, String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (
                line[..<colon].trimmingCharacters(in: .whitespaces),
                line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            )
        }
        return Dictionary(pairs) { first, _ in first }
    }

    /// The moment in UTC, as GNU date writes it.
    static func date(_ seconds: Int64) throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["date", "-u", "-d", "@\(seconds)", "+%Y:%m:%d %H:%M:%S"]
        process.standardOutput = pipe
        try process.run()
        let output = contents(of: pipe.fileHandleForReading)
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    /// The file with metadata that exiftool has written.
    static func exiftoolWritten(_ content: [UInt8], _ arguments: [String]) throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "\(UUID().uuidString).jpg")
        try Data(content).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["exiftool", "-q", "-overwrite_original"] + arguments + [file.path]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return try [UInt8](Data(contentsOf: file))
    }

    /// What a person would check a photo's file with; neither may have anything to say.
    static func expectSound(_ file: [UInt8]) throws {
        let exiftool = try run("exiftool", ["-validate", "-warning", "-error", "-a"], on: file)
        #expect(exiftool.status == 0)
        #expect(
            exiftool.output.contains("Validate                        : OK"), "\(exiftool.output)")
        #expect(!exiftool.output.contains("Warning"), "\(exiftool.output)")
        let jpeginfo = try run("jpeginfo", ["-c"], on: file)
        #expect(jpeginfo.status == 0 && jpeginfo.output.contains("OK"), "\(jpeginfo.output)")
        let djpeg = try run("djpeg", ["-strict", "-outfile", "/dev/null"], on: file)
        #expect(djpeg.status == 0 && djpeg.output.isEmpty, "\(djpeg.output)")
    }
}

enum Sample {
    /// A JPEG of a smooth picture, JFIF header and Huffman tables included.
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

    /// The same as cameras send it: without tables, with an AVI1 header, with padding behind.
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

    /// Everything from the first scan's data to EOI, found without the parser under test.
    static func entropyCoded(_ jpeg: [UInt8]) -> [UInt8] {
        var at = 2
        while jpeg[at + 1] != 0xda { at += 2 + Int(jpeg[at + 2]) << 8 + Int(jpeg[at + 3]) }
        at += 2 + Int(jpeg[at + 2]) << 8 + Int(jpeg[at + 3])
        var end = at
        while !(jpeg[end] == 0xff && jpeg[end + 1] == 0xd9) { end += 1 }
        return Array(jpeg[at..<end])
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014): the same sequence in every run.
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}

/// All that comes until the other end is closed; interruptions by signals, which FileHandle takes for
/// fatal, are nothing.
func contents(of handle: FileHandle) -> Data {
    var data = Data()
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = unsafe read(handle.fileDescriptor, &chunk, chunk.count)
        if count < 0 && errno == EINTR { continue }
        if count <= 0 { return data }
        data.append(contentsOf: chunk[..<count])
    }
}
