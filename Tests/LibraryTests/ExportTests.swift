// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Library
import Synchronization
import Testing

@Suite("export")
struct ExportTests {
    private func hashes(_ directory: String) async throws -> [String: String] {
        let found = try await command([
            "find", directory, "-type", "f", "-exec", "sha256sum", "{}", "+",
        ])
        var result: [String: String] = [:]
        for line in found.lines {
            let parts = line.split(separator: " ", maxSplits: 1)
            result[String(parts[1].split(separator: "/").last ?? "")] = String(parts[0])
        }
        return result
    }

    @Test("copies every original under its name, tells how far it is, and runs again for nothing")
    func all() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        for number in 0..<12 {
            try await library.add(photo(jpeg(bytes: number == 3 ? 2_500_000 : 4000)))
        }
        let assets = try await library.assets(limit: 100)
        let steps = Mutex<[ExportProgress]>([])
        let first = try await library.export(to: folder.target) { step in
            steps.withLock { $0.append(step) }
        }
        #expect(first.exported == assets.map(\.fileName))
        #expect(first.skipped == [])
        #expect(first.failures.isEmpty)
        #expect(first.bytes == assets.reduce(0) { $0 + $1.bytes })
        #expect(
            try await hashes(folder.target)
                == Dictionary(uniqueKeysWithValues: assets.map { ($0.fileName, $0.sha256) }))
        let seen = steps.withLock { $0 }
        #expect(seen.map(\.done) == Array(1...12))
        #expect(seen.allSatisfy { $0.total == 12 })
        #expect(seen.last?.bytes == first.bytes)

        try FileManager.default.removeItem(atPath: folder.target + "/" + assets[5].fileName)
        let second = try await library.export(to: folder.target)
        #expect(second.exported == [assets[5].fileName])
        #expect(second.skipped.count == 11)
        await library.close()
    }

    @Test("some, by any of their names; one that is unknown is named and the rest goes on")
    func some() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        for _ in 0..<3 { try await library.add(photo()) }
        let assets = try await library.assets(limit: 10)
        let report = try await library.export(
            ["3", "nothing", String(assets[0].id.uuidString.prefix(13))], to: folder.target)
        #expect(report.exported == [assets[2].fileName, assets[0].fileName])
        #expect(report.failures.map(\.name) == ["nothing"])
        #expect(report.failures.first?.error.code == .notFound)
        await library.close()
    }

    @Test("replaces nothing, follows no link and leaves nothing half written")
    func replacesNothing() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        for _ in 0..<4 { try await library.add(photo()) }
        let assets = try await library.assets(limit: 10)
        let target = folder.target + "/"
        try folder.write([1, 2, 3], to: target + assets[0].fileName)
        try folder.write(
            Array(repeating: 0, count: Int(assets[1].bytes)), to: target + assets[1].fileName)
        try folder.write([9], to: folder.path + "/outside")
        try FileManager.default.createSymbolicLink(
            atPath: target + assets[2].fileName, withDestinationPath: folder.path + "/outside")
        let report = try await library.export(to: folder.target)
        #expect(report.exported == [assets[3].fileName])
        #expect(report.failures.map(\.name) == assets[0...2].map(\.fileName))
        #expect(report.failures.allSatisfy { $0.error.code == .conflict })
        let contents = FileManager.default
        #expect(contents.contents(atPath: target + assets[0].fileName) == Data([1, 2, 3]))
        #expect(contents.contents(atPath: folder.path + "/outside") == Data([9]))
        #expect(try folder.names(folder.target) == assets.map(\.fileName))
        await library.close()
    }

    @Test(
        "never writes outside its folder, whatever name the database holds",
        arguments: ["../escaped.jpg", "/tmp/escaped.jpg", "..", ".hidden", "a/b.jpg", ""])
    func outside(name: String) async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        try await library.add(photo())
        try await library.add(photo())
        _ = try await folder.sqlite("UPDATE asset SET file_name = '\(name)' WHERE sequence = 1")
        let report = try await library.export(to: folder.target)
        #expect(report.failures.count == 1)
        #expect(report.failures.first?.error.code == .damaged)
        #expect(report.exported.count == 1)
        #expect(try folder.names(folder.target) == report.exported)
        #expect(try folder.names(folder.path) == ["export", "root"])
        #expect(!FileManager.default.fileExists(atPath: "/tmp/escaped.jpg"))
        await library.close()
    }

    @Test("an original that is not what was stored, or gone, is named and not copied")
    func damaged() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        for _ in 0..<3 { try await library.add(photo()) }
        let assets = try await library.assets(limit: 10)
        let path = try await library.originalPath(of: assets[0])
        var content = Array(try #require(FileManager.default.contents(atPath: path)))
        content[2000] ^= 1
        try folder.write(content, to: path)
        try FileManager.default.removeItem(
            atPath: await library.originalPath(of: assets[1]))
        let report = try await library.export(to: folder.target)
        #expect(report.failures.map(\.name) == assets[0...1].map(\.fileName))
        #expect(report.failures.map(\.error.code) == [.damaged, .notFound])
        #expect(try folder.names(folder.target) == [assets[2].fileName])
        await library.close()
    }

    @Test("a target that is full or not there ends the export, which says how far it came")
    func unusableTarget() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        for _ in 0..<6 { try await library.add(photo(jpeg(bytes: 200_000))) }
        let error = await #expect(throws: LibraryError.self) {
            try await library.export(to: folder.path + "/no/such")
        }
        #expect(error?.code == .notFound)
        #expect(error?.message.contains("export to") == true)
        await library.close()
        let script = """
            mkdir \(folder.target) && mount -t tmpfs -o size=700k tmpfs \(folder.target) &&
            \(helper) export \(folder.root) \(folder.target); ls -A \(folder.target)
            """
        let full = try await command(
            ["unshare", "--map-root-user", "--mount", "sh", "-c", script])
        #expect(full.output.contains("failed export to \(folder.target): "))
        #expect(full.output.contains("No space left on device (after 3 files)"))
        #expect(full.lines.filter { $0.hasSuffix(".jpg") }.count == 3)
        #expect(!full.output.contains(".part"))
    }
}
