// SPDX-License-Identifier: GPL-3.0-or-later

import FoundationEssentials
import Imaging
import Library
import Media

/// A JPEG whose quarters have four colours, and the colours of a picture's corners.
enum Corners {
    enum Color: String, CaseIterable, Sendable {
        case red, green, blue, white

        var pixel: UInt32 {
            switch self {
            case .red: 0xFF0000
            case .green: 0x00FF00
            case .blue: 0x0000FF
            case .white: 0xFFFFFF
            }
        }
    }

    static let size = Dimensions(width: 640, height: 480)

    /// Returns a JPEG. Its stored rows are red and green at the top, blue and white at the bottom.
    static func jpeg(_ size: Dimensions = size) throws -> [UInt8] {
        var storage = try PixelStorage(.xrgb, size, color: .jpeg)
        try unsafe storage.withMutablePixels { pixels in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let row = y < size.height / 2 ? [Color.red, .green] : [.blue, .white]
                    let color = row[x < size.width / 2 ? 0 : 1]
                    unsafe UnsafeMutableRawPointer(pixels.plane(0)).storeBytes(
                        of: color.pixel, toByteOffset: (y * size.width + x) * 4, as: UInt32.self)
                }
            }
        }
        let encoder = try JPEGEncoder()
        return try unsafe storage.withPixels { pixels in
            try unsafe encoder.encode(pixels, quality: 90)
        }
    }

    /// Returns the colours of the corners, clockwise from the top left.
    static func colors(of picture: StillPicture) -> [Color] {
        let size = picture.description.dimensions
        let (right, bottom) = (size.width - 1, size.height - 1)
        let stride = picture.description.planes[0].bytesPerRow
        return [(0, 0), (right, 0), (right, bottom), (0, bottom)].map { x, y in
            let value = unsafe picture.withPixels { pixels in
                unsafe UnsafeRawPointer(pixels.plane(0)).loadUnaligned(
                    fromByteOffset: y * stride + x * 4, as: UInt32.self)
            }
            return nearest(value & 0xFFFFFF)
        }
    }

    private static func nearest(_ pixel: UInt32) -> Color {
        func distance(_ color: Color) -> Int {
            [16, 8, 0].reduce(0) { sum, shift in
                let one = Int(pixel >> UInt32(shift) & 0xFF)
                let other = Int(color.pixel >> UInt32(shift) & 0xFF)
                return sum + abs(one - other)
            }
        }
        return Color.allCases.min { distance($0) < distance($1) } ?? .red
    }

    /// The visual sides of row 0 and column 0 for the orientations 1 to 8 (EXIF 2.32).
    private static let seen: [(row: String, column: String)] = [
        ("top", "left"), ("top", "right"), ("bottom", "right"), ("bottom", "left"),
        ("left", "top"), ("right", "top"), ("right", "bottom"), ("left", "bottom"),
    ]

    /// Returns the corners of the upright picture, clockwise from the top left.
    static func expected(_ orientation: Int) -> [Color] {
        let opposite = ["top": "bottom", "bottom": "top", "left": "right", "right": "left"]
        let (row, column) = seen[orientation - 1]
        let stored: [(Color, Set<String>)] = [
            (.red, [row, column]), (.green, [row, opposite[column] ?? ""]),
            (.blue, [opposite[row] ?? "", column]),
            (.white, [opposite[row] ?? "", opposite[column] ?? ""]),
        ]
        let clockwise: [Set<String>] = [
            ["top", "left"], ["top", "right"], ["bottom", "right"], ["bottom", "left"],
        ]
        return clockwise.compactMap { corner in stored.first { $0.1 == corner }?.0 }
    }

    /// Returns the corners after clockwise quarter turns.
    static func turned(_ colors: [Color], _ quarters: Int) -> [Color] {
        let count = quarters % 4
        return Array(colors.suffix(count) + colors.prefix(4 - count))
    }
}

/// Returns a photo with this content, size and orientation.
func photo(
    jpeg: [UInt8], size: Dimensions, orientation: Int, fileExtension: String = "jpg"
) -> FinishedPhoto {
    var photo = photo(jpeg)
    photo.width = size.width
    photo.height = size.height
    photo.orientation = orientation
    photo.fileExtension = fileExtension
    return photo
}
