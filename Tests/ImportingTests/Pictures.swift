// SPDX-License-Identifier: GPL-3.0-or-later

import Drawing
import Foundation
import Imaging
import Importing
import Media

/// Files like those that people import.
enum Pictures {
    private static func canvas(_ size: Dimensions, _ shade: Double) throws -> Canvas {
        let canvas = try Canvas(size)
        canvas.fill(Color(red: shade, green: 0.5, blue: 1 - shade))
        return canvas
    }

    static func png(_ size: Dimensions = Dimensions(width: 64, height: 48)) throws -> [UInt8] {
        try canvas(size, 0.25).png()
    }

    /// Returns a JPEG. Each shade gives another picture.
    static func jpeg(
        _ size: Dimensions = Dimensions(width: 64, height: 48), shade: Double = 0.5
    ) throws -> [UInt8] {
        let canvas = try canvas(size, shade)
        return try unsafe canvas.withPixels { access in
            var description = unsafe access.description
            description.pixelFormat = .xrgb
            return try unsafe JPEGEncoder().encode(
                PixelAccess(description, access.plane(0)), quality: 90)
        }
    }

    /// Returns a JPEG whose frame header claims another size. The marker 0xc2 makes it progressive.
    static func jpeg(
        claiming size: Dimensions, marker: UInt8 = 0xc0
    ) throws -> [UInt8] {
        var bytes = try jpeg()
        guard
            let at = bytes.indices.first(where: { index in
                bytes[index] == 0xff && index + 8 < bytes.count && bytes[index + 1] == 0xc0
            })
        else { return [] }
        bytes[at + 1] = marker
        bytes[at + 5] = UInt8(size.height >> 8)
        bytes[at + 6] = UInt8(size.height & 0xff)
        bytes[at + 7] = UInt8(size.width >> 8)
        bytes[at + 8] = UInt8(size.width & 0xff)
        return bytes
    }

    /// Returns a PNG whose header claims another size.
    static func png(claiming size: Dimensions) throws -> [UInt8] {
        var bytes = try png()
        for (offset, value) in [(16, size.width), (20, size.height)] {
            for index in 0..<4 {
                bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (24 - 8 * index))
            }
        }
        return bytes
    }
}

/// Programs that answer as the system's would.
struct FakePrograms: MediaPrograms {
    var described = VideoDescription(
        codec: "h264", pixelFormat: "yuv420p", dimensions: Dimensions(width: 320, height: 240),
        orientation: ExifOrientation(rotation: .quarter, isMirrored: false),
        durationMicroseconds: 1_500_000, creationTime: 1_795_000_000_000_000_000,
        belongsToPhoto: true)

    func video(_ path: String) async throws -> VideoDescription { described }
    func poster(_ path: String) async throws -> [UInt8] {
        try Pictures.jpeg(described.dimensions, shade: 0.75)
    }
    func picture(_ path: String) async throws -> [UInt8] { try Pictures.jpeg() }
    func tags(_ path: String) async throws -> [String: String] { ["title": "a day"] }
}
