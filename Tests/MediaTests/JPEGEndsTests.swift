// SPDX-License-Identifier: GPL-3.0-or-later

import Media
import Testing

private func ends(_ bytes: [UInt8]) -> JPEGEnds {
    unsafe bytes.withUnsafeBytes { unsafe JPEGEnds($0) }
}

@Suite("JPEGEnds")
struct JPEGEndsTests {
    private let picture: [UInt8] = [0xff, 0xd8] + Array(repeating: 7, count: 9000) + [0xff, 0xd9]

    @Test(
        "a picture with its end is whole, even with padding after it",
        arguments: [0, 1, 4000, 100_000])
    func whole(padding: Int) {
        for byte in [0x00, 0xff, 0x5a] as [UInt8] {
            #expect(ends(picture + Array(repeating: byte, count: padding)) == .whole)
        }
    }

    @Test("a picture cut short anywhere is open")
    func open() {
        for count in [4, 5, 100, 4098, picture.count - 1] {
            #expect(ends(Array(picture.prefix(count))) == .open)
        }
    }

    @Test("an end far before the last byte, as in a thumbnail, does not end the picture")
    func thumbnail() {
        let picture = (0..<5000).map { UInt8($0 % 250) }
        #expect(ends([0xff, 0xd8, 0xff, 0xd9] + picture) == .open)
    }

    @Test(
        "too few bytes, or bytes that are no JPEG, are foreign",
        arguments: [[], [0xff], [0xff, 0xd8, 0xff], [1, 2, 3, 4, 5]])
    func foreign(bytes: [UInt8]) {
        #expect(ends(bytes) == .foreign)
    }
}
