// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import LinuxIO
import TestSupport
import Testing

@Suite("small files")
struct SmallFileTests {
    @Test(
        "a file is read up to 64 KiB",
        arguments: [0, 1, 4095, 4096, 4097, 8192, 65_535, 65_536, 70_000])
    func lengths(length: Int) throws {
        let folder = try TemporaryFolder()
        let text = String((0..<length).map { Character(UnicodeScalar(UInt8(97 + $0 % 23))) })
        let path = try folder.write(text.utf8, to: "file")
        #expect(try readSmallFile(path) == text.prefix(65_536))
    }

    @Test("the error of a missing file names it")
    func missing() throws {
        let error = #expect(throws: SystemCallError.self) { try readSmallFile("/no/such/file") }
        #expect(error?.code == ENOENT && error.map { "\($0)".contains("/no/such/file") } == true)
    }
}
