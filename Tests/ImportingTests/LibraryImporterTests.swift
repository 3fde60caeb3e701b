// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Importing
import Library
import LinuxIO
import Media
import Synchronization
import TestSupport
import Testing

@Suite("LibraryImporter")
struct LibraryImporterTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open() async throws -> AssetLibrary {
        try await AssetLibrary.open(at: folder.path(of: "library"), reserveMegabytes: 0)
    }

    private func importer(_ library: AssetLibrary) -> LibraryImporter {
        LibraryImporter(
            into: library,
            inspector: MediaInspector(memoryLimit: 32 << 20, programs: FakePrograms()))
    }

    private func place(_ bytes: [UInt8], _ name: String) throws {
        let path = folder.path(of: "in/" + name)
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    /// Returns the files below a folder of the library.
    private func files(_ subfolder: String) throws -> [String] {
        let path = folder.path(of: "library/" + subfolder)
        return try FileManager.default.subpathsOfDirectory(atPath: path).filter {
            var isDirectory: ObjCBool = false
            _ = unsafe FileManager.default.fileExists(
                atPath: path + "/" + $0, isDirectory: &isDirectory)
            return !isDirectory.boolValue
        }
    }

    @Test("whole folders are imported, other files are reported, a second run adds nothing")
    func folders() async throws {
        for index in 0..<4 {
            try place(try Pictures.jpeg(shade: Double(index) / 8), "day 1/IMG_\(index).JPG")
        }
        try place(try Pictures.jpeg(shade: 0), "day 1/copy.jpg")
        try place(try Pictures.png(), "a\nb/x..png")
        try place(try Pictures.png(Dimensions(width: 9, height: 9)), "a\nb/no extension")
        try place([0, 0, 0, 32] + Array("ftypisom".utf8), "clip.mp4")
        try place(Array("text".utf8), "notes.txt")
        try place(Array("text".utf8), "no picture.jpg")
        try place(Array(try Pictures.jpeg(shade: 1).dropLast(40)), "cut.jpeg")
        try place(try Pictures.jpeg(shade: 0.9), ".hidden.jpg")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path(of: "in/link.jpg"), withDestinationPath: "day 1/IMG_0.JPG")
        let library = try await open()
        var steps: [Int] = []
        let report = try await importer(library).run([folder.path(of: "in")]) { step in
            steps.append(step.done)
            #expect(step.total == 11)
        }
        #expect(steps == Array(0...11))
        #expect(report.imported.count == 7)
        #expect(
            report.duplicates.map { ($0.path as NSString).lastPathComponent } == ["copy.jpg"])
        #expect(report.ignored == [folder.path(of: "in/notes.txt")])
        let failed = report.failures.map { ($0.path as NSString).lastPathComponent }
        #expect(failed == ["cut.jpeg", "no picture.jpg"])
        let codes = report.failures.compactMap { ($0.error as? ImportError)?.code }
        #expect(codes == [.truncated, .notMedia])
        let again = try await importer(library).run([folder.path(of: "in")])
        #expect(again.imported.isEmpty && again.duplicates.count == 8)
        #expect(again.failures.count == 2)
        let assets = try await library.page(
            in: nil, FetchOptions(), after: nil, limit: 100
        ).assets.map(\.asset)
        #expect(assets.count == 7)
        #expect(assets.filter { $0.mediaType == .video }.map(\.duration?.seconds) == [1.5])
        #expect(assets.allSatisfy { $0.timeConfidence == .unknown || $0.mediaType == .video })
        for asset in assets where asset.mediaType == .photo {
            #expect(await library.thumbnail(of: asset) != nil)
        }
        let history = try await library.changes(
            since: ChangeToken(0), from: [.import], waits: false)
        #expect(history.inserted.count == 7)
        #expect(try await library.verify(deep: true).findings.isEmpty)
        await library.close()
        #expect(try files("incoming") == [])
        #expect(try files("originals").count == 7)
    }

    @Test("paths in the library, missing paths and names not in UTF-8 are reported")
    func refused() async throws {
        let library = try await open()
        try place(try Pictures.jpeg(), "a.jpg")
        // The name is in Latin-1, as on old memory cards.
        let made = try Program.run(
            "sh",
            [
                "-c",
                "cp '\(folder.path(of: "in/a.jpg"))' \"$(printf '\(folder.path(of: "in"))/f\\344.jpg')\"",
            ])
        #expect(made.status == 0, "\(made.errors)")
        let report = try await importer(library).run([
            folder.path(of: "in"), folder.path(of: "library/originals"), folder.path(of: "none"),
            folder.path(of: "in/a.jpg"), "/dev/null",
        ])
        #expect(report.imported.count == 1 && report.duplicates.isEmpty)
        let codes = report.failures.map { failure in
            (failure.error as? ImportError)?.code.rawValue
                ?? "\((failure.error as? SystemCallError)?.code ?? 0)"
        }
        #expect(codes.sorted() == ["2", "notMedia", "unsupported", "unsupported"])
        #expect(report.failures.contains { $0.path.contains("in/f") })
        await library.close()
    }

    @Test("importing a known file restores an original that is missing or cut short")
    func putBack() async throws {
        try place(try Pictures.jpeg(), "one.jpg")
        var library = try await open()
        let path = folder.path(of: "in")
        let first = try await importer(library).run([path])
        let asset = try #require(first.imported.first)
        let original = try await library.resource(id: asset.uuidString).path
        for damage in ["", "cut off"] {
            try FileManager.default.removeItem(atPath: original)
            if !damage.isEmpty { try Data(damage.utf8).write(to: URL(fileURLWithPath: original)) }
            #expect(try await !library.verify(deep: true).findings.isEmpty)
            let again = try await importer(library).run([path])
            #expect(again.imported.isEmpty && again.duplicates.map(\.asset) == [asset])
            #expect(try await library.verify(deep: true).findings.isEmpty)
            #expect(try files("incoming") == [])
        }
        await library.close()
        // The original that was cut short is in quarantine.
        #expect(try files("quarantine").count == 1)
        library = try await open()
        #expect(await library.recovery.missing.isEmpty)
        await library.close()
    }

    @Test("a file with any modification time is imported")
    func farAway() async throws {
        try place(try Pictures.jpeg(), "one.jpg")
        let path = folder.path(of: "in/one.jpg")
        // 64 bits of nanoseconds cannot hold this time, but the file system can.
        #expect(try Program.run("/usr/bin/touch", ["-d", "2400-01-01", path]).status == 0)
        #expect(try FileTree.entry(path)?.modified == .max)
        let library = try await open()
        #expect(try await importer(library).run([folder.path(of: "in")]).imported.count == 1)
        await library.close()
    }

    @Test("a file whose asset is deleted is a duplicate, reported as deleted")
    func deleted() async throws {
        let library = try await open()
        try place(try Pictures.jpeg(), "a.jpg")
        let id = try await importer(library).run([folder.path(of: "in")]).imported[0]
        try await library.performChanges { $0.change([id], .delete) }
        let again = try await importer(library).run([folder.path(of: "in")])
        #expect(again.imported.isEmpty)
        #expect(again.duplicates.map(\.asset) == [id])
        #expect(again.duplicates.first?.isDeleted == true)
        await library.close()
    }

    @Test("a client that may only add assets imports files and recognizes duplicates")
    func addOnly() async throws {
        let library = try await open()
        try place(try Pictures.jpeg(), "a.jpg")
        try place(try Pictures.png(), "b.png")
        try place(Array("II*\0".utf8) + [UInt8](repeating: 1, count: 100), "a.dng")
        let inspector = MediaInspector(memoryLimit: 32 << 20, programs: FakePrograms())
        let importer = LibraryImporter(into: AddOnly(library: library), inspector: inspector)
        let first = try await importer.run([folder.path(of: "in")])
        #expect(first.imported.count == 2 && first.attached.count == 1 && first.failures.isEmpty)
        #expect(try await library.verify(deep: true).findings.isEmpty)
        #expect(try files("incoming") == [])
        let again = try await importer.run([folder.path(of: "in")])
        #expect(Set(again.duplicates.map(\.asset)) == Set(first.imported))
        #expect(again.duplicates.count == 3 && again.failures.isEmpty)
        // The content does not match its hash, so nothing is kept.
        let lie = StagedFile(
            id: UUID(), sha256: String(repeating: "0", count: 64), mediaType: .photo,
            fileExtension: "jpg", createdAt: WallTime(nanoseconds: 0, utcOffsetSeconds: 0))
        await #expect {
            _ = try await library.importFile(lie, from: try PassedFile(folder.path(of: "in/a.jpg")))
        } throws: { ($0 as? LibraryError)?.code == .damaged }
        // A folder is refused.
        await #expect {
            _ = try await library.importFile(lie, from: try PassedFile(folder.path(of: "in")))
        } throws: { ($0 as? LibraryError)?.code == .io }
        #expect(try files("incoming") == [])
        await library.close()
    }

    @Test("only the staged copy is inspected, even if the source changes meanwhile")
    func lookedAt() async throws {
        let library = try await open()
        try place([0, 0, 0, 32] + Array("ftypisom".utf8), "clip.mp4")
        let path = folder.path(of: "in/clip.mp4")
        let hash = try StagingFolder.sha256(of: path)
        let programs = OverwritingPrograms(source: path)
        let importer = LibraryImporter(
            into: library, inspector: MediaInspector(memoryLimit: 32 << 20, programs: programs))
        let id = try #require(try await importer.run([path]).imported.first)
        let seen = programs.seen.withLock { $0 }
        let staging = folder.path(of: "library/incoming/")
        #expect(seen.count == 2 && seen.allSatisfy { $0.hasPrefix(staging) })
        #expect(try StagingFolder.sha256(of: path) != hash)
        #expect(try await library.asset(id: id.uuidString).sha256 == hash)
        #expect(try await library.verify(deep: true).findings.isEmpty)
        await library.close()
    }

    @Test(
        "cancelling while a program inspects a file leaves no copy and imports nothing",
        arguments: HangingPrograms.Step.allCases)
    func cancelled(step: HangingPrograms.Step) async throws {
        let library = try await open()
        try place([0, 0, 0, 32] + Array("ftypisom".utf8), "clip.mp4")
        let (started, start) = AsyncStream<Void>.makeStream()
        let importer = LibraryImporter(
            into: library,
            inspector: MediaInspector(
                memoryLimit: 32 << 20, programs: HangingPrograms(step: step, start: start)))
        let path = folder.path(of: "in")
        let task = Task { try await importer.run([path]) }
        for await _ in started { break }
        #expect(try files("incoming").count == 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try files("incoming") == [])
        #expect(try await library.statistics().videos == 0)
        await library.close()
    }

    @Test("a full disk ends the import without leftovers; a later run imports everything")
    func full() async throws {
        for index in 0..<4 {
            try place(try Pictures.jpeg(shade: Double(index) / 4), "\(index).jpg")
        }
        let path = folder.path(of: "library")
        // The reserve exceeds the free space, so every copy is refused.
        let free = try FileTree.freeBytes(at: folder.path) >> 20
        let small = try await AssetLibrary.open(at: path, reserveMegabytes: Int(free) + 1024)
        let report = try await importer(small).run([folder.path(of: "in")])
        #expect((report.interruption as? LibraryError)?.code == .full)
        #expect(report.imported.isEmpty && report.failures.isEmpty)
        await small.close()
        #expect(try files("incoming") == [] && files("originals") == [])
        let library = try await open()
        #expect(try await importer(library).run([folder.path(of: "in")]).imported.count == 4)
        await library.close()
    }

    @Test("a leftover copy is removed by the next open, an invalid one at once")
    func staged() async throws {
        let source = try folder.write(try Pictures.jpeg(), to: "a.jpg")
        var library = try await open()
        let id = UUID()
        let hash = try library.stagingFolder().copy(source, as: id)
        let sum = try Program.run("sha256sum", [source])
        #expect(sum.output.hasPrefix(hash + " "))
        #expect(try files("incoming").count == 1)
        await library.close()
        library = try await open()
        #expect(try files("incoming") == [])

        let time = WallTime(nanoseconds: 1_795_000_000_000_000_000, utcOffsetSeconds: 3600)
        let good = StagedFile(
            id: id, sha256: hash, mediaType: .photo, fileExtension: "jpg", createdAt: time)
        let gone = await #expect(throws: LibraryError.self) { try await library.importFile(good) }
        #expect(gone?.code == .notFound)
        var hostile = [good, good, good, good, good]
        hostile[0].fileExtension = "../x"
        hostile[1].orientation = 9
        hostile[2].width = -1
        hostile[3].durationMicroseconds = -1
        hostile[4] = StagedFile(
            id: id, sha256: String(repeating: "0", count: 64), mediaType: .photo,
            fileExtension: "jpg", createdAt: time)
        for file in hostile {
            _ = try library.stagingFolder().copy(source, as: id)
            let error = await #expect(throws: LibraryError.self) {
                try await library.importFile(file)
            }
            #expect(error.map { [.invalid, .damaged].contains($0.code) } == true)
            #expect(try files("incoming") == [])
        }
        _ = try library.stagingFolder().copy(source, as: id)
        let outcome = try await library.importFile(good)
        #expect(outcome.isNew && outcome.id == id)
        #expect(try await library.asset(id: id.uuidString).sha256 == hash)
        #expect(try files("originals").first?.hasPrefix("2026/11/18/") == true)
        _ = try library.stagingFolder().copy(source, as: UUID())
        await library.close()
    }

    @Test("photos can be added during an import, and none is lost")
    func meanwhile() async throws {
        for index in 0..<40 {
            try place(try Pictures.jpeg(shade: Double(index) / 40), "\(index).jpg")
        }
        let library = try await open()
        async let report = importer(library).run([folder.path(of: "in")])
        for number in 0..<40 {
            try await library.add(
                FinishedPhoto(
                    chunks: [[0xff, 0xd8, UInt8(number), 0xff, 0xd9]], width: 1, height: 1,
                    createdAt: WallTime(
                        nanoseconds: 1_795_000_000_000_000_000, utcOffsetSeconds: 0),
                    timeConfidence: .synchronized, bootID: "boot", boottime: Int64(number),
                    frameSequence: Int64(number), shutterOffsetMicroseconds: 0,
                    shutterReference: .frameTimestamp, deviceName: "camera"))
        }
        #expect(try await report.imported.count == 40)
        #expect(try await library.statistics().photos == 80)
        #expect(try await library.verify(deep: true).findings.isEmpty)
        await library.close()
    }
}

/// Programs that record the paths they inspect and overwrite the source meanwhile.
private final class OverwritingPrograms: MediaPrograms {
    let seen = Mutex<[String]>([])
    private let source: String

    init(source: String) { self.source = source }

    func video(_ path: String) async throws -> VideoDescription {
        seen.withLock { $0.append(path) }
        try Data("another".utf8).write(to: URL(fileURLWithPath: source))
        return FakePrograms().described
    }
    func poster(_ path: String) async throws -> [UInt8] {
        seen.withLock { $0.append(path) }
        return try Pictures.jpeg()
    }
    func picture(_ path: String) async throws -> [UInt8] { try Pictures.jpeg() }
    func tags(_ path: String) async throws -> [String: String] { [:] }
}

/// Programs that hang in one step until they are cancelled, and then fail.
struct HangingPrograms: MediaPrograms {
    enum Step: CaseIterable { case video, poster }

    let step: Step
    let start: AsyncStream<Void>.Continuation

    func tags(_ path: String) async throws -> [String: String] { [:] }

    private func hang(in step: Step) async throws {
        guard step == self.step else { return }
        start.yield()
        try? await Task.sleep(for: .seconds(3600))
        throw ImportError(.damaged, "ended")
    }

    func video(_ path: String) async throws -> VideoDescription {
        try await hang(in: .video)
        return FakePrograms().described
    }
    func poster(_ path: String) async throws -> [UInt8] {
        try await hang(in: .poster)
        return try Pictures.jpeg()
    }
    func picture(_ path: String) async throws -> [UInt8] { try Pictures.jpeg() }
}

/// A library for a client that may only add assets.
private final class AddOnly: AssetEditor, Sendable {
    let library: AssetLibrary
    private let open = Mutex<[UUID: String]>([:])

    init(library: AssetLibrary) { self.library = library }

    private var refused: LibraryError { LibraryError(.permission, "only adding is allowed") }

    func stagingFolder() async throws -> StagingFolder { library.stagingFolder() }
    func holder(ofContent sha256: String) async throws -> ImportOutcome? {
        try await library.holder(ofContent: sha256)
    }
    func importFile(_ file: StagedFile) async throws -> ImportOutcome {
        try await library.importFile(file, from: try passed(file.id))
    }
    // The client may not write there: the library copies the file that the client opened.
    func stage(
        _ path: String, as id: UUID, in folder: StagingFolder
    ) async throws -> StagedCopy {
        open.withLock { $0[id] = path }
        return StagedCopy(sha256: try StagingFolder.sha256(of: path), path: path)
    }
    func discard(_ id: UUID, from folder: StagingFolder) { open.withLock { $0[id] = nil } }
    private func passed(_ id: UUID) throws -> PassedFile {
        try PassedFile(try #require(open.withLock { $0.removeValue(forKey: id) }))
    }
    func hasAlternate(_ sha256: String, of asset: UUID) async throws -> Bool {
        try await library.hasAlternate(sha256, of: asset)
    }
    func attach(_ file: StagedAlternate, to asset: UUID) async throws -> Bool {
        try await library.attach(file, from: try passed(file.id), to: asset)
    }

    func statistics() async throws -> LibraryStatistics { throw refused }
    func page(
        in collection: AssetCollection.Identifier?, _ options: FetchOptions,
        after cursor: FetchCursor?, limit: Int
    ) async throws -> AssetPage { throw refused }
    func countOfAssets(
        in collection: AssetCollection.Identifier?, _ options: FetchOptions
    ) async throws -> Int { throw refused }
    func resource(id: String) async throws -> AssetResource { throw refused }
    func collections(_ options: CollectionFetchOptions) async throws -> [AssetCollection] {
        throw refused
    }
    func changes(
        since token: ChangeToken?, from origins: Set<ChangeOrigin>?, waits: Bool
    ) async throws -> ChangeHistory { throw refused }
    func verify(
        deep: Bool, progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) async throws -> LibraryVerification { throw refused }
    func perform(_ changes: LibraryChanges) async throws -> Int { throw refused }
    func repair(_ findings: [LibraryFinding]) async throws -> [RepairOutcome] { throw refused }
}
