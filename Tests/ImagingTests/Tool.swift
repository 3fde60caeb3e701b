// SPDX-License-Identifier: GPL-3.0-or-later

import Media
import TestSupport
import Testing

/// Independent programs that read and write JPEG. A missing one fails the test.
enum Tool {
    static func run(_ name: String, _ arguments: [String], input: [UInt8]) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let given = try folder.write(input, to: "in")
        let result = try Program.run(
            name, arguments + ["-outfile", folder.path(of: "out"), given])
        try #require(result.status == 0, "\(name) \(arguments): \(result.errors)")
        return try folder.contents(of: "out")
    }

    /// Decodes a picture with libjpeg-turbo's djpeg, into pixels of three bytes, red first.
    static func djpeg(_ jpeg: [UInt8], _ arguments: [String] = []) throws -> RGBPicture {
        let ppm = try run("djpeg", ["-ppm", "-rgb"] + arguments, input: jpeg)
        // P6, width and height, 255: each followed by one white space.
        let fields = ppm.prefix(40).split(separator: 0x0a, maxSplits: 3)
        let size = try #require(
            String(decoding: fields[1], as: UTF8.self).split(separator: " ") as [Substring]?)
        let dimensions = Dimensions(
            width: try #require(Int(size[0])), height: try #require(Int(size[1])))
        return RGBPicture(
            dimensions: dimensions, bytes: Array(ppm.suffix(dimensions.pixels * 3)))
    }

    static func cjpeg(_ picture: RGBPicture, _ arguments: [String]) throws -> [UInt8] {
        try cjpeg("P6", picture.dimensions, picture.bytes, arguments)
    }

    /// Encodes a picture of one byte per pixel.
    static func cjpeg(
        grey bytes: [UInt8], _ dimensions: Dimensions, _ arguments: [String]
    ) throws -> [UInt8] {
        try cjpeg("P5", dimensions, bytes, arguments)
    }

    private static func cjpeg(
        _ kind: String, _ dimensions: Dimensions, _ bytes: [UInt8], _ arguments: [String]
    ) throws -> [UInt8] {
        let head = "\(kind)\n\(dimensions.width) \(dimensions.height)\n255\n"
        return try run("cjpeg", arguments, input: Array(head.utf8) + bytes)
    }
}

struct RGBPicture {
    var dimensions: Dimensions
    var bytes: [UInt8]

    subscript(x: Int, y: Int) -> [UInt8] {
        let start = (y * dimensions.width + x) * 3
        return Array(bytes[start..<start + 3])
    }

    /// Returns a picture as a camera could see it: smooth colours with edges and some noise.
    static func scene(_ width: Int, _ height: Int) -> RGBPicture {
        var random = Seeded(UInt64(width * 31 + height))
        var bytes: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                let edge = (x / 24 + y / 16) % 2 * 60
                for base in [x * 180 / width, y * 180 / height, (x + y) * 180 / (width + height)] {
                    bytes.append(UInt8(base + edge + Int.random(in: 0...8, using: &random)))
                }
            }
        }
        return RGBPicture(dimensions: Dimensions(width: width, height: height), bytes: bytes)
    }
}

/// Returns the JPEG without its DHT segments, as many cameras send it.
func withoutHuffmanTables(_ jpeg: [UInt8]) -> [UInt8] {
    var result = Array(jpeg.prefix(2))
    var at = 2
    while jpeg[at + 1] != 0xda {
        let end = at + 2 + Int(jpeg[at + 2]) << 8 + Int(jpeg[at + 3])
        if jpeg[at + 1] != 0xc4 { result += jpeg[at..<end] }
        at = end
    }
    return result + jpeg[at...]
}
