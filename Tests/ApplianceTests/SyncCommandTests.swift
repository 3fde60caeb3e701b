// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Glibc
import TestSupport
import Testing

extension HostBoardTests {
    /// Tests of `vitrine sync`, with a running appliance and without.
    @Suite("sync", .timeLimit(.common))
    struct SyncCommandTests {
        private let board: RunningBoard

        init() throws { board = try RunningBoard() }

        @Test(
            "photos arrive in a folder, through an appliance and without", arguments: [true, false])
        func now(isRunning: Bool) throws {
            let remote = board.path("remote")
            try FileManager.default.createDirectory(
                atPath: remote, withIntermediateDirectories: true)
            try board.write(
                more: """
                    [sync]
                    remote = "\(remote)"
                    device_id = "entrance"
                    """)
            try board.ingest(3)
            if isRunning { try board.start() }
            #expect(try board.json("sync", "status").first?["pending"] as? Int == 3)
            let summary = try board.json("sync", "now").first
            #expect(summary?["verified"] as? Int == 7)
            let arrived = try board.shell(
                "cd \(remote)/entrance/originals && find . -type f | sort | xargs sha256sum")
            let kept = try board.shell(
                "cd \(board.path("library"))/originals && find . -type f | sort | xargs sha256sum")
            #expect(arrived.output == kept.output)
            #expect(arrived.output.split(separator: "\n").count == 3)
            #expect(try board.json("sync", "status").first?["pending"] as? Int == 0)
            #expect(try board.run("sync", "now").contains("0 verified"))
        }

        @Test("a sync that is killed again and again loses nothing, and sends nothing twice")
        func killed() throws {
            let remote = board.path("remote")
            try FileManager.default.createDirectory(
                atPath: remote, withIntermediateDirectories: true)
            try board.write(more: "[sync]\nremote = \"\(remote)\"\ndevice_id = \"entrance\"")
            try board.ingest(200)
            var random = Seeded(1)
            var killed = 0
            for _ in 0..<12 {
                let process = try ChildProcess(
                    board.program.path, ["sync", "now", "--config", board.configuration],
                    environment: board.environment, output: "/dev/null", errors: "/dev/null")
                usleep(UInt32.random(in: 20_000...600_000, using: &random))
                if process.kill() { killed += 1 }
                _ = process.wait()
            }
            #expect(killed > 0)
            _ = try board.run("sync", "now")
            #expect(try board.json("sync", "status").first?["pending"] as? Int == 0)
            #expect(try board.run("sync", "verify", "--deep").contains("401 checked, 0 wrong"))
            let files = try board.shell("find \(remote) -type f | wc -l")
            #expect(files.output.trimmingCharacters(in: .whitespacesAndNewlines) == "401")
        }

        @Test("a missing remote is an error with the next step")
        func noRemote() throws {
            try board.ingest(1)
            let none = try board.attempt("sync", "now")
            #expect(none.status == 78 && none.errors.contains("[sync] remote"), "\(none.errors)")
            try board.write(more: "[sync]\nremote = \"\(board.path("nowhere"))\"")
            let missing = try board.attempt("sync", "now")
            #expect(missing.status == 74 && missing.errors.contains("Create the folder"))
            #expect(try board.json("sync", "status").first?["pending"] as? Int == 1)
        }
    }
}
