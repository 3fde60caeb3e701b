// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Library
import Testing

/// System calls seen by strace, states after kill -9, and the effects of a failing medium.
@Suite("durability", .serialized)
struct DurabilityTests {
    static let calls = "openat,write,pwrite64,fallocate,fsync,fdatasync,linkat,mkdir"

    @Test("a call that strace splits into two lines is one call")
    func cutCalls() {
        let trace = """
            11 openat(AT_FDCWD</>, "/a", O_RDONLY <unfinished ...>
            12 fsync(5</b>) = 0
            11 <... openat resumed>) = 4</originals/a>
            12 fsync(6</c> <unfinished ...>
            """
        let calls = wholeLines(trace).compactMap { TracedCall($0) }
        #expect(calls.map(\.name) == ["fsync", "openat", "fsync"])
        #expect(calls[1].arguments.contains("/originals/a"))
        #expect(calls[1].result == 4)
    }

    @Test("a photo is reserved, written, synced, named, committed and then acknowledged")
    func order() async throws {
        let folder = try LibraryFolder()
        let (calls, result) = try await traced(Self.calls, ["add", folder.root, "3", "40000"])
        #expect(result.saved.count == 3)
        let day = folder.root + "/originals/"
        var steps: [String] = []
        for call in calls {
            let isOriginal = call.arguments.contains(day)
            switch call.name {
            case "openat" where isOriginal && call.arguments.contains("O_TMPFILE"):
                steps.append("create")
            case "fallocate" where isOriginal: steps.append("reserve")
            case "write" where isOriginal && steps.last != "write": steps.append("write")
            // strace marks a file made without a name as "(deleted)" while it is open.
            case "fsync" where isOriginal && call.arguments.contains("(deleted)"):
                steps.append(steps.last == "name" ? "sync name" : "sync file")
            case "linkat" where isOriginal: steps.append("name")
            case "fsync" where isOriginal && steps.last == "sync name": steps.append("sync folder")
            case "fdatasync" where call.arguments.contains("-wal") && steps.last == "sync folder":
                steps.append("commit")
            case "write" where call.arguments.contains("\"saved "): steps.append("acknowledge")
            default: break
            }
        }
        let one = [
            "create", "reserve", "write", "sync file", "name", "sync name", "sync folder", "commit",
            "acknowledge",
        ]
        #expect(steps == one + one + one)
        // The first photo creates the folders of its year, month and day.
        let folders = calls.filter { $0.name == "mkdir" && $0.arguments.contains(day) }
        #expect(folders.count == 3)
    }

    @Test("a still costs at most 7 flushes and 128 KiB beyond its JPEG (figures printed)")
    func cost() async throws {
        let folder = try LibraryFolder()
        let size = 300_000
        func run(_ count: Int) async throws -> (flushes: Int, bytes: Int) {
            let (calls, result) = try await traced(
                "fsync,fdatasync,sync_file_range,syncfs,write,pwrite64",
                ["add", folder.root, "\(count)", "\(size)"])
            #expect(result.saved.count == count)
            let flushes = calls.filter { $0.name.contains("sync") }.count
            let bytes = calls.filter {
                $0.name.contains("write") && $0.arguments.contains(folder.root)
            }
            return (flushes, bytes.reduce(0) { $0 + $1.result })
        }
        // The difference between a long and a short run excludes opening and closing, but not
        // checkpoints.
        _ = try await run(1)
        let few = try await run(10)
        let many = try await run(310)
        let flushes = Double(many.flushes - few.flushes) / 300
        let bytes = (many.bytes - few.bytes) / 300 - size
        print("per still beyond the JPEG: \(flushes) flushes, \(bytes) bytes written")
        #expect(flushes <= 7)
        #expect(bytes <= 128 << 10)
        // Proof that flushes are counted: the file, its name, its folder and the commit need four.
        #expect(flushes >= 4)
    }

    @Test("every commit syncs the WAL; with synchronous=NORMAL hardly any does")
    func commitsWait() async throws {
        let folder = try LibraryFolder()
        func flushes(_ verb: String) async throws -> Int {
            let (calls, result) = try await traced(
                "fdatasync,fsync,write", [verb, folder.path + "/\(verb).sqlite", "100"])
            #expect(result.lines == ["ready", "done"])
            let start = try #require(calls.firstIndex { $0.arguments.contains("\"ready") })
            return calls[start...].filter {
                $0.name.hasSuffix("sync") && $0.arguments.contains("-wal")
            }.count
        }
        #expect(try await flushes("commit-full") >= 100)
        #expect(try await flushes("commit-normal") < 10)
    }

    @Test("kill -9 at 40 random moments loses no acknowledged photo")
    func randomKills() async throws {
        let folder = try LibraryFolder()
        var acknowledged: [String: String] = [:]
        var kills = 0
        for _ in 0..<40 {
            let process = try RunningCommand([helper, "add", folder.root, "100000", "20000"])
            // A random moment: during opening, recovery or any step of a photo.
            let photos = Int.random(in: 0...5)
            if photos > 0 { try await process.wait(for: photos, "saved") }
            try await Task.sleep(for: .microseconds(Int.random(in: 0...20_000)))
            if process.kill() { kills += 1 }
            let result = await process.finish()
            #expect(result.status == SIGKILL)
            // The last line may be incomplete.
            for (id, hash) in result.saved where hash.count == 64 { acknowledged[id] = hash }
        }
        let library = try await folder.open()
        let files = try await folder.originals()
        let rows = try await folder.sqlite("SELECT id || ' ' || lower(hex(sha256)) FROM asset")
        print("\(kills) kills: \(acknowledged.count) acknowledged, \(rows.count) in the library")
        #expect(kills >= 30)
        #expect(acknowledged.count > 30)
        for (id, hash) in acknowledged {
            #expect(files[id] == hash, "\(id)")
        }
        let stored = Set(rows)
        for (id, hash) in acknowledged { #expect(stored.contains("\(id) \(hash)")) }
        // Every file has a row, and every row has a file.
        #expect(Set(files.map { "\($0.key) \($0.value)" }) == stored)
        #expect(await library.recovery.missing == [])
        #expect(try await folder.sqlite("PRAGMA integrity_check") == ["ok"])
        #expect(try await library.statistics().assets == rows.count)
        await library.close()
    }

    /// A step of the second photo: the nth call of this name after the first photo's
    /// acknowledgement, and the number of assets after a kill at that call.
    struct Step: CustomTestStringConvertible {
        let call: String
        let nth: Int
        let assets: Int
        var testDescription: String { "\(call) \(nth)" }
    }

    @Test(
        "a photo is adopted after a kill if its file had a name, and gone if not",
        arguments: [
            Step(call: "fallocate", nth: 1, assets: 1), Step(call: "fsync", nth: 1, assets: 1),
            Step(call: "fsync", nth: 2, assets: 2), Step(call: "fsync", nth: 3, assets: 2),
            Step(call: "fdatasync", nth: 1, assets: 2),
        ])
    func killedAtStep(step: Step) async throws {
        // An identical run counts the calls of opening and of the first photo.
        let twin = try LibraryFolder()
        let (calls, _) = try await traced(
            "fallocate,fsync,fdatasync,write", ["add", twin.root, "2", "20000"])
        let saved = try #require(calls.firstIndex { $0.arguments.contains("\"saved ") })
        let before = calls[..<saved].filter { $0.name == step.call }.count

        let folder = try LibraryFolder()
        let (_, result) = try await traced(
            "fallocate,fsync,fdatasync", ["add", folder.root, "2", "20000"],
            inject: ["\(step.call):signal=KILL:when=\(before + step.nth)"])
        #expect(result.saved.count == 1)
        let library = try await folder.open()
        let assets = try await library.assets(limit: 10)
        let files = try await folder.originals()
        #expect(assets.count == step.assets)
        #expect(files.count == step.assets)
        for asset in assets { #expect(files[asset.id.uuidString.lowercased()] == asset.sha256) }
        #expect(try folder.names(folder.root + "/incoming") == [])
        await library.close()
    }

    @Test("the staging folder is synced before the day folder if O_TMPFILE is refused")
    func stagedOrder() async throws {
        let folder = try LibraryFolder()
        try #require(
            try await command([helper, "add", folder.root, "1", "20000"]).saved.count == 1)
        let day = try #require(
            try await command(["find", folder.root + "/originals", "-mindepth", "3", "-type", "d"])
                .lines.first)
        let incoming = folder.root + "/incoming"
        let run = ["add", folder.root, "1", "20000"]
        let (twin, _) = try await traced("openat,fsync", run, paths: [day, incoming])
        let unnamed = try #require(twin.firstIndex { $0.arguments.contains("O_TMPFILE") })
        let before = twin[..<unnamed].filter { $0.name == "openat" }.count
        let (calls, result) = try await traced(
            "openat,fsync", run, inject: ["openat:error=EOPNOTSUPP:when=\(before + 1)"],
            paths: [day, incoming])
        #expect(result.saved.count == 1)
        let refused = try #require(calls.firstIndex { $0.arguments.contains("O_TMPFILE") })
        #expect(calls[refused].result == -1)
        let synchronized = calls[refused...].filter { $0.name == "fsync" }
        try #require(synchronized.count == 2)
        #expect(synchronized[0].arguments.contains("<\(incoming)>"))
        #expect(synchronized[1].arguments.contains("<\(day)>"))
        #expect(try folder.names(incoming) == [])
    }

    @Test("a failed fsync is never repeated: the photo is written again, once", arguments: [1, 2])
    func failedSync(nth: Int) async throws {
        let folder = try LibraryFolder()
        let (_, ready) = try await traced("fsync", ["add", folder.root, "1", "20000"])
        #expect(ready.saved.count == 1)
        let (twin, _) = try await traced("fsync", ["add", folder.root, "1", "20000"])
        let before = try #require(twin.firstIndex { $0.arguments.contains("(deleted)") })
        let (calls, result) = try await traced(
            "openat,fsync", ["add", folder.root, "1", "20000"],
            inject: ["fsync:error=EIO:when=\(before + nth)"])
        #expect(result.saved.count == 1)
        #expect(result.lines.contains("state ready"))
        let steps = calls.filter {
            ($0.name == "openat" && $0.arguments.contains("O_TMPFILE")
                && $0.arguments.contains("/originals/"))
                || ($0.name == "fsync" && $0.arguments.contains("(deleted)"))
        }
        let failed = ["openat"] + Array(repeating: "fsync", count: nth)
        #expect(steps.map(\.name) == failed + ["openat", "fsync", "fsync"])
        #expect(steps[nth].result == -1)
        let library = try await folder.open()
        #expect(try await folder.originals().count == 3)
        #expect(await library.recovery.adopted == [])
        await library.close()
    }

    @Test("a second failed write makes the library read-only, and it stays readable")
    func failedTwice() async throws {
        let folder = try LibraryFolder()
        try #require(
            try await command([helper, "add", folder.root, "1", "20000"]).saved.count == 1)
        let (twin, _) = try await traced("fsync", ["add", folder.root, "1", "20000"])
        let before = try #require(twin.firstIndex { $0.arguments.contains("(deleted)") })
        let (_, result) = try await traced(
            "fsync", ["add", folder.root, "2", "20000"],
            inject: ["fsync:error=EIO:when=\(before + 1)+"])
        #expect(result.saved.count == 0)
        let refused = result.lines.filter { $0.hasPrefix("refused") }
        #expect(refused.count == 2)
        #expect(refused.first?.hasPrefix("refused io photo ") == true)
        #expect(refused.first?.contains("fsync") == true)
        #expect(refused.last?.hasPrefix("refused readOnly library ") == true)
        #expect(result.lines.contains { $0.hasPrefix("state readOnly(reason: \"fsync") })
        #expect(result.lines.contains("readable 2"))
        #expect(try await folder.originals().count == 2)
        let again = try await folder.open()
        #expect(await again.state == .ready)
        try await again.add(photo())
        await again.close()
    }

    @Test("a failed commit is not repeated; its file is kept and adopted by the next open")
    func failedCommit() async throws {
        let folder = try LibraryFolder()
        try #require(
            try await command([helper, "add", folder.root, "1", "20000"]).saved.count == 1)
        let (twin, _) = try await traced("fdatasync,linkat", ["add", folder.root, "1", "20000"])
        let link = try #require(twin.firstIndex { $0.name == "linkat" })
        let before = twin[..<link].filter { $0.name == "fdatasync" }.count
        let (_, result) = try await traced(
            "fdatasync", ["add", folder.root, "2", "20000"],
            inject: ["fdatasync:error=EIO:when=\(before + 1)"])
        #expect(result.saved.count == 0)
        #expect(result.lines.contains { $0.hasPrefix("state readOnly") })
        let again = try await folder.open()
        #expect(try await folder.originals().count == 3)
        #expect(try await again.statistics().assets == 3)
        #expect(await again.recovery.adopted.count == 1)
        await again.close()
    }

    @Test("a failed reservation (injected ENOSPC) refuses the photo and leaves no file")
    func noSpaceInjected() async throws {
        let folder = try LibraryFolder()
        let (_, result) = try await traced(
            "fallocate", ["add", folder.root, "3", "20000"],
            inject: ["fallocate:error=ENOSPC:when=2"])
        #expect(result.saved.count == 2)
        let refused = result.lines.filter { $0.hasPrefix("refused") }
        #expect(refused.count == 1)
        #expect(refused.first?.hasPrefix("refused full photo ") == true)
        #expect(result.lines.contains("state ready"))
        #expect(try await folder.originals().count == 2)
        #expect(try folder.names(folder.root + "/incoming") == [])
    }

    @Test("a full disk refuses photos and keeps the stored ones")
    func noSpace() async throws {
        let folder = try LibraryFolder()
        // A small tmpfs in its own mount namespace. It needs no root where user namespaces work.
        let script = """
            set -e
            mount -t tmpfs -o size=4m tmpfs \(folder.path)
            \(helper) add \(folder.path)/root 30 200000
            find \(folder.path)/root/originals -type f | wc -l
            find \(folder.path)/root/incoming -type f | wc -l
            \(helper) add \(folder.path)/root 1 1000 1
            rm \(folder.path)/root/derived/thumbnails/*
            sqlite3 \(folder.path)/root/library.sqlite 'PRAGMA integrity_check'
            \(helper) open \(folder.path)/root
            """
        let result = try await command(
            ["unshare", "--map-root-user", "--mount", "sh", "-c", script])
        try #require(
            result.status == 0,
            "needs unshare(1) and mount: \(result.errors) \(result.output.suffix(500))")
        let saved = result.saved.count
        let refused = result.lines.filter { $0.hasPrefix("refused full ") }
        #expect(saved > 5)
        #expect(refused.count == 31 - saved)
        #expect(refused.last?.contains("1 MB are reserved") == true)
        #expect(result.lines.contains("\(saved)"))
        #expect(result.lines.contains("0"))
        #expect(result.lines.contains("readable \(saved)"))
        #expect(result.lines.contains("ok"))
        #expect(result.lines.last?.hasPrefix("opened") == true)
    }
}
