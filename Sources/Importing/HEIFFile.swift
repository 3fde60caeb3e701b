// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs

/// The position of the EXIF in a HEIF or AVIF file (ISO/IEC 14496-12 and 23008-12). Parsing is safe
/// on any input and decodes no picture.
package struct HEIFFile {
    /// The number of first bytes that hold all boxes read here, in any camera's file.
    static let beginning = 1 << 20
    /// The size limit of an EXIF item in bytes. No EXIF is that long.
    private static let longestExif = 1 << 20

    /// The EXIF item's range in the file: a four-byte number, that many bytes, and the TIFF
    /// structure. The range is `nil` unless the item lies in one piece.
    package let exif: Range<Int>?

    /// - Parameter bytes: the file's first bytes.
    package init(_ bytes: [UInt8]) {
        exif = Self.exif(bytes)
    }

    /// Returns the TIFF structure of an item, without the bytes before it.
    package static func tiff(_ item: [UInt8]) -> [UInt8] {
        var reader = BigEndianReader(item[...])
        guard let skipped = reader.number(4), skipped <= reader.rest.count else { return [] }
        return Array(reader.rest.dropFirst(skipped))
    }

    private static func exif(_ bytes: [UInt8]) -> Range<Int>? {
        // Skip the version and flags of `meta`; all versions are read alike.
        guard let meta = BoxReader(bytes).box("meta").map({ BoxReader($0.content(from: 4)) }),
            let items = meta.box("iinf"), let item = exifItem(items.content()),
            let places = meta.box("iloc")
        else { return nil }
        return place(of: item, in: places.content())
    }

    private static func exifItem(_ items: [UInt8]) -> Int? {
        var reader = BigEndianReader(items[...])
        guard let version = reader.number(1), reader.skip(3), reader.skip(version == 0 ? 2 : 4)
        else { return nil }
        for box in BoxReader(reader.rest).boxes where box.type == "infe" {
            var entry = BigEndianReader(box.content.content()[...])
            guard let version = entry.number(1), version >= 2, entry.skip(3),
                let item = entry.number(version == 2 ? 2 : 4), entry.skip(2)
            else { continue }
            if entry.rest.starts(with: Array("Exif".utf8)) { return item }
        }
        return nil
    }

    private static func place(of item: Int, in places: [UInt8]) -> Range<Int>? {
        var reader = BigEndianReader(places[...])
        guard let version = reader.number(1), version <= 2, reader.skip(3),
            let sizes = reader.number(2), let count = reader.number(version < 2 ? 2 : 4)
        else { return nil }
        let (offsetSize, lengthSize) = (sizes >> 12, sizes >> 8 & 15)
        let (baseSize, indexSize) = (sizes >> 4 & 15, version == 0 ? 0 : sizes & 15)
        for _ in 0..<count {
            guard let number = reader.number(version < 2 ? 2 : 4),
                let method = version == 0 ? 0 : reader.number(2), reader.skip(2),
                let base = reader.number(baseSize), let extents = reader.number(2),
                // A tiny file could state billions of empty extents.
                extents <= 1 || indexSize + offsetSize + lengthSize > 0
            else { return nil }
            for _ in 0..<extents {
                guard reader.skip(indexSize), let offset = reader.number(offsetSize),
                    let length = reader.number(lengthSize)
                else { return nil }
                guard number == item else { continue }
                let (start, isOver) = base.addingReportingOverflow(offset)
                guard extents == 1, method & 15 == 0, !isOver, start < 1 << 48,
                    (5...longestExif).contains(length)
                else { return nil }
                return start..<start + length
            }
        }
        return nil
    }
}

/// Reads numbers from the front of some bytes. Returns `nil` if too few are left.
private struct BigEndianReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func skip(_ count: Int) -> Bool {
        guard count <= rest.count else { return false }
        rest = rest.dropFirst(count)
        return true
    }

    /// Reads a number of up to eight bytes; `nil` if it exceeds `Int`, 0 for no bytes.
    mutating func number(_ bytes: Int) -> Int? {
        guard bytes <= min(8, rest.count) else { return nil }
        let value = rest.prefix(bytes).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        rest = rest.dropFirst(bytes)
        return Int(exactly: value)
    }
}
