// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Library
import Testing

@Suite("exhausted descriptors")
struct StarvationTests {
    @Test("a library without descriptors reports it, loses nothing and does not degrade")
    func descriptors() async throws {
        let folder = try LibraryFolder()
        try #require(
            try await command([helper, "add", folder.root, "3", "20000"]).saved.count == 3)
        let result = try await command([helper, "starve", folder.root, "1", "20000"])
        #expect(result.status == 0, "\(result.errors)")
        let failed = result.lines.filter { $0.contains("not opened") || $0.contains("refused") }
        #expect(failed.count > 5)
        for line in failed {
            #expect(
                line.contains(" exhausted ") && line.hasSuffix("Too many open files"), "\(line)")
        }
        // Everything works again with enough descriptors. Stored photos are readable all the time.
        let lines = result.lines.filter { !$0.hasPrefix("saved") }
        #expect(lines.contains("11 left: opened ready"))
        #expect(!lines.contains { $0.hasPrefix("again: refused") || $0.contains("unreadable") })
        #expect(lines.last == "state ready")
        let saved = result.saved
        #expect(saved.count > 12)
        let library = try await folder.open()
        #expect(await library.recovery.adopted == [])
        #expect(await library.recovery.salvage == nil)
        #expect(try await library.statistics().assets == saved.count + 3)
        let originals = try await folder.originals()
        #expect(originals.count == saved.count + 3)
        for photo in saved { #expect(originals[photo.id] == photo.hash) }
        #expect(try await library.verify(deep: true).findings.isEmpty)
        await library.close()
    }
}
