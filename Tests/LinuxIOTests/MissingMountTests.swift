// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import LinuxIO
import TestSupport
import Testing

@Suite("folders on unmounted disks")
struct MissingMountTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func missing(for path: String, _ lines: String) throws -> String? {
        let table = folder.path(of: "fstab")
        try lines.write(toFile: table, atomically: false, encoding: .utf8)
        return FileTree.missingMount(for: path, table: table)
    }

    @Test("an unmounted disk of the folder, or of one above it, is named")
    func missing() throws {
        try FileManager.default.createDirectory(
            atPath: folder.path(of: "disk/photos"), withIntermediateDirectories: true)
        let (disk, photos) = (folder.path(of: "disk"), folder.path(of: "disk/photos"))
        let line = "LABEL=photos \(disk) ext4 nofail 0 2\n"
        #expect(try missing(for: photos, "# photos\n/dev/sda1 / ext4\n" + line) == disk)
        #expect(try missing(for: disk, line) == disk)
        #expect(try missing(for: disk + "ette", line) == nil)
        #expect(try missing(for: folder.path(of: "elsewhere"), line) == nil)
        #expect(try missing(for: disk, "tmpfs \(disk) tmpfs\n") == nil)
        #expect(try missing(for: "/none/library", "/dev/sdb1 /none ext4\n") == "/none")
    }

    @Test("a mounted disk is not missing")
    func mounted() throws {
        #expect(try missing(for: "/proc/library", "LABEL=x /proc ext4\n") == nil)
        #expect(FileTree.missingMount(for: "/proc/library", table: "/no/such/table") == nil)
    }
}
