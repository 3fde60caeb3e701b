// SPDX-License-Identifier: GPL-3.0-or-later
// A process for the tests to kill, trace and deprive of descriptors: it opens a library and adds
// photos. It writes a line to stdout as soon as the library has acknowledged something.

import Foundation
import GRDB
import Library
import LinuxIO
import Store

func say(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
}

func photo(_ number: Int, bytes: Int) -> FinishedPhoto {
    // xorshift64, because the system's generator makes a system call per byte, which is traced.
    var random = UInt64.random(in: 1 ... .max)
    var content: [UInt8] = [0xFF, 0xD8]
    content.reserveCapacity(bytes + 8)
    while content.count < bytes - 2 {
        random ^= random << 13
        random ^= random >> 7
        random ^= random << 17
        unsafe withUnsafeBytes(of: random) { bytes in unsafe content.append(contentsOf: bytes) }
    }
    content.removeLast(content.count - (bytes - 2))
    content += [0xFF, 0xD9]
    let half = content.count / 2
    return FinishedPhoto(
        chunks: [Array(content[..<half]), Array(content[half...])], width: 1280, height: 720,
        createdAt: WallTime(nanoseconds: Clock.wall, utcOffsetSeconds: 3600),
        timeConfidence: .estimated, bootID: Clock.bootIdentifier, boottime: Clock.boot,
        frameSequence: Int64(number), shutterOffsetMicroseconds: -1200,
        shutterReference: .frameTimestamp, deviceName: "test",
        thumbnail: [0xFF, 0xD8] + [UInt8](repeating: 1, count: 3000) + [0xFF, 0xD9])
}

func milliseconds(since start: Int64) -> String {
    String((Clock.monotonic - start) / 1000) + " us"
}

/// Returns the lowest free descriptor.
func nextDescriptor() -> Int {
    let next = dup(0)
    close(next)
    return Int(next)
}

func limitDescriptors(_ count: Int) {
    var limit = rlimit()
    unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = rlim_t(count)
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}

let arguments = CommandLine.arguments
let verb = arguments[1]
let path = arguments[2]
let count = arguments.count > 3 ? Int(arguments[3]) ?? 1 : 1
let size = arguments.count > 4 ? Int(arguments[4]) ?? 65_536 : 65_536

do {
    switch verb {
    case "add", "freeze":
        // add ROOT COUNT BYTES [RESERVE_MB]: continues after a refused photo. `freeze` stops its
        // own process after the last one, whatever the library is doing then, and waits to be
        // killed.
        let reserve = arguments.count > 5 ? Int(arguments[5]) ?? 0 : 0
        let library = try await AssetLibrary.open(at: path, reserveMegabytes: reserve)
        say("ready")
        for number in 0..<count {
            do {
                let asset = try await library.add(photo(number, bytes: size))
                say("saved \(asset.id.uuidString.lowercased()) \(asset.sha256)")
            } catch {
                say("refused \(error.code.rawValue) \(error)")
            }
        }
        if verb == "freeze" { raise(SIGSTOP) }
        say("state \(await library.state)")
        say("readable \(try await library.assets(limit: 1000).count)")
        await library.close()
    case "starve":
        // starve ROOT: opens, adds and reads with 0, 1, 2 … free descriptors, and each time again
        // with enough of them.
        // The runtime needs its own descriptors first, or ends the process.
        try await Task.sleep(for: .milliseconds(1))
        for left in 0..<12 {
            limitDescriptors(nextDescriptor() + left)
            do {
                let library = try await AssetLibrary.open(at: path)
                limitDescriptors(1024)
                say("\(left) left: opened \(await library.state)")
                await library.close()
            } catch {
                limitDescriptors(1024)
                say("\(left) left: not opened \(error.code.rawValue) \(error)")
            }
        }
        let library = try await AssetLibrary.open(at: path)
        for left in 0..<12 {
            for phase in ["\(left) left", "again"] {
                limitDescriptors(phase == "again" ? 1024 : nextDescriptor() + left)
                do {
                    let asset = try await library.add(photo(left, bytes: size))
                    say("saved \(asset.id.uuidString.lowercased()) \(asset.sha256)")
                } catch {
                    say("\(phase): refused \(error.code.rawValue) \(error)")
                }
                do {
                    say("\(phase): readable \(try await library.assets(limit: 1000).count)")
                } catch {
                    say("\(phase): unreadable \(error.code.rawValue) \(error)")
                }
            }
        }
        say("state \(await library.state)")
        await library.close()
    case "hold":
        let library = try await AssetLibrary.open(at: path)
        say("ready")
        _ = readLine()
        await library.close()
    case "open":
        let start = Clock.monotonic
        let library = try await AssetLibrary.open(at: path)
        let recovery = await library.recovery
        say(
            "opened \(milliseconds(since: start)) adopted \(recovery.adopted.count) "
                + "missing \(recovery.missing.count)")
        await library.close()
    case "export":
        let library = try await AssetLibrary.open(at: path)
        var list = try await ExportList(from: library)
        let report = try await AssetExporter(to: arguments[3]).run(total: list.total) {
            try await list.next(from: library)
        }
        say("exported \(report.exported.count) failed \(report.failures.count)")
        await library.close()
    case "commit-full":
        let schema = DurableDatabase.Schema(
            applicationID: 1, version: 1, migrator: DatabaseMigrator())
        let database = try DurableDatabase(at: path, schema: schema)
        try database.write { db in try db.execute(sql: "CREATE TABLE t (a INTEGER)") }
        say("ready")
        for _ in 0..<count {
            try database.write { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
        }
        say("done")
        _exit(0)
    case "commit-normal":
        // The control: DatabasePool leaves synchronous at NORMAL.
        let pool = try DatabasePool(path: path)
        try pool.write { db in try db.execute(sql: "CREATE TABLE t (a INTEGER)") }
        say("ready")
        for _ in 0..<count {
            try pool.write { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
        }
        say("done")
        _exit(0)
    default:
        say("unknown verb \(verb)")
        exit(64)
    }
} catch {
    say("failed \(error)")
    exit(1)
}
