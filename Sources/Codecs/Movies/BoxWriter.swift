// SPDX-License-Identifier: GPL-3.0-or-later

/// Writes the boxes of an MP4 file (ISO/IEC 14496-12): length, four letters, content.
struct BoxWriter {
    private(set) var bytes: [UInt8] = []

    mutating func box(_ type: String, _ body: (inout BoxWriter) -> Void) {
        let start = bytes.count
        add(UInt32(0))
        add(text: type)
        body(&self)
        overwrite(UInt32(bytes.count - start), at: start)
    }

    mutating func box(
        _ type: String, version: UInt8, flags: UInt32 = 0, _ body: (inout BoxWriter) -> Void
    ) {
        box(type) { box in
            box.add(UInt32(version) << 24 | flags)
            body(&box)
        }
    }

    /// Appends a number, the highest byte first.
    mutating func add<Number: FixedWidthInteger>(_ number: Number) {
        for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> Number(shift)))
        }
    }

    mutating func add(_ more: [UInt8]) { bytes += more }
    mutating func add(text: String) { bytes += Array(text.utf8) }
    mutating func addZeros(_ count: Int) { bytes += [UInt8](repeating: 0, count: count) }

    /// Overwrites a 32-bit number once its value is known.
    mutating func overwrite(_ number: UInt32, at offset: Int) {
        for index in 0..<4 {
            bytes[offset + index] = UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt32(index)))
        }
    }
}

/// Parses boxes. A box that exceeds its container counts as absent.
package struct BoxReader {
    private let bytes: ArraySlice<UInt8>

    package init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }
    package init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

    /// The boxes in order, up to the first malformed one.
    package var boxes: [(type: String, content: BoxReader)] {
        var found: [(String, BoxReader)] = []
        var rest = bytes
        while rest.count >= 8 {
            let size = Int(BoxReader(rest).number(at: 0, UInt32.self) ?? 0)
            guard size >= 8, size <= rest.count else { break }
            let start = rest.startIndex
            let type = String(decoding: rest[start + 4..<start + 8], as: UTF8.self)
            found.append((type, BoxReader(rest[start + 8..<start + size])))
            rest = rest[(start + size)...]
        }
        return found
    }

    /// Returns the first box at a path of nested types.
    package func box(_ path: String...) -> BoxReader? {
        path.reduce(self) { box, type in box?.boxes.first { $0.type == type }?.content }
    }

    func number<Number: FixedWidthInteger & UnsignedInteger>(
        at offset: Int, _: Number.Type
    ) -> Number? {
        guard offset >= 0, offset + Number.bitWidth / 8 <= bytes.count else { return nil }
        return bytes[(bytes.startIndex + offset)...].prefix(Number.bitWidth / 8)
            .reduce(0) { $0 << 8 | Number($1) }
    }

    var count: Int { bytes.count }
    package func content(from offset: Int = 0) -> [UInt8] { Array(bytes.dropFirst(offset)) }
}
