// SPDX-License-Identifier: GPL-3.0-or-later

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
        guard var meta = content("meta", in: bytes[...], isFull: false) else { return nil }
        // Version and flags, of which none is known.
        meta = meta.dropFirst(4)
        guard let items = content("iinf", in: meta, isFull: true), let item = exifItem(items),
            let places = content("iloc", in: meta, isFull: true)
        else { return nil }
        return place(of: item, in: places)
    }

    /// What is in the first box of this kind; with `isFull` its version and flags, too.
    private static func content(
        _ type: String, in bytes: ArraySlice<UInt8>, isFull: Bool
    ) -> ArraySlice<UInt8>? {
        var reader = BigEndianReader(bytes)
        while let box = reader.box() {
            if box.type == type { return box.content.count >= (isFull ? 4 : 0) ? box.content : nil }
        }
        return nil
    }

    /// The number of the first item of the type `Exif`.
    private static func exifItem(_ items: ArraySlice<UInt8>) -> Int? {
        var reader = BigEndianReader(items)
        guard let version = reader.number(1), reader.skip(3),
            let count = reader.number(version == 0 ? 2 : 4)
        else { return nil }
        for _ in 0..<count {
            guard let box = reader.box() else { return nil }
            var entry = BigEndianReader(box.content)
            guard box.type == "infe", let version = entry.number(1), version >= 2, entry.skip(3),
                let item = entry.number(version == 2 ? 2 : 4), entry.skip(2),
                let type = entry.text(4)
            else { continue }
            if type == "Exif" { return item }
        }
        return nil
    }

    private static func place(of item: Int, in places: ArraySlice<UInt8>) -> Range<Int>? {
        var reader = BigEndianReader(places)
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

/// Takes numbers and boxes off the front of some bytes; `nil` where they do not reach.
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

    mutating func text(_ bytes: Int) -> String? {
        guard bytes <= rest.count else { return nil }
        defer { rest = rest.dropFirst(bytes) }
        return String(decoding: rest.prefix(bytes), as: UTF8.self)
    }

    mutating func box() -> (type: String, content: ArraySlice<UInt8>)? {
        var head = self
        guard let short = head.number(4), let type = head.text(4) else { return nil }
        var (size, used) = (short, 8)
        if short == 1 {
            guard let long = head.number(8) else { return nil }
            (size, used) = (long, 16)
        }
        // 0: up to the file's end. One that reaches beyond what is here is taken as far as it is here.
        if size == 0 { size = rest.count }
        guard size >= used else { return nil }
        let content = rest.dropFirst(used).prefix(size - used)
        rest = rest.dropFirst(min(size, rest.count))
        return (type, content)
    }
}
