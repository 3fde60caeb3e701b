// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs

/// Where a HEIF or AVIF file has its EXIF (ISO/IEC 14496-12 and 23008-12). Safe on any input; no picture is looked at.
package struct HEIFFile {
    /// So many bytes of its beginning hold what is read of it, in any file of a camera.
    static let beginning = 1 << 20
    /// More than EXIF ever takes.
    private static let longestExif = 1 << 20

    /// The item's place in the file: four bytes that say how far behind them its TIFF structure begins, and that. `nil`
    /// where there is none that lies in the file in one piece.
    package let exif: Range<Int>?

    /// - Parameter bytes: The file's first ones.
    package init(_ bytes: [UInt8]) {
        exif = Self.exif(bytes)
    }

    /// Without what comes before the TIFF structure.
    package static func tiff(_ item: [UInt8]) -> [UInt8] {
        var reader = BigEndianReader(item[...])
        guard let skipped = reader.number(4), skipped <= reader.rest.count else { return [] }
        return Array(reader.rest.dropFirst(skipped))
    }

    private static func exif(_ bytes: [UInt8]) -> Range<Int>? {
        // Behind its version and flags, of which none is known.
        guard let meta = BoxReader(bytes).box("meta").map({ BoxReader($0.content(from: 4)) }),
            let items = meta.box("iinf"), let item = exifItem(items.content()),
            let places = meta.box("iloc")
        else { return nil }
        return place(of: item, in: places.content())
    }

    /// The number of the first item of the type `Exif`.
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
                // Those of no bytes could be counted for ever.
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

/// Takes numbers off the front of some bytes; `nil` where they do not reach.
private struct BigEndianReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func skip(_ count: Int) -> Bool {
        guard count <= rest.count else { return false }
        rest = rest.dropFirst(count)
        return true
    }

    /// Of up to eight bytes, as far as `Int` goes; 0 of none.
    mutating func number(_ bytes: Int) -> Int? {
        guard bytes <= min(8, rest.count) else { return nil }
        let value = rest.prefix(bytes).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        rest = rest.dropFirst(bytes)
        return Int(exactly: value)
    }
}
