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

        // MARK: - The service

        /// Starts an appliance and its sync service with a folder as the remote.
        private func startService(keeping assets: Int = 0) throws -> ChildProcess {
            try FileManager.default.createDirectory(
                atPath: board.path("remote"), withIntermediateDirectories: true)
            try board.write(
                more: """
                    [sync]
                    remote = "\(board.path("remote"))"
                    device_id = "entrance"
                    interval_min = 10080
                    """)
            _ = try board.shell(
                "sed -i '/^reserve_mb/a retention_assets = \(assets)' \(board.configuration)")
            try board.ingest(3)
            try board.start()
            return try service()
        }

        private func service() throws -> ChildProcess {
            let process = try ChildProcess(
                board.program.path, ["sync", "run", "--config", board.configuration],
                environment: board.environment, output: "/dev/null",
                errors: board.path("sync-log"))
            try board.waitUntil {
                let state = try state()
                return state != "stopped" && state != "off"
            }
            return process
        }

        private func sync() throws -> [String: Any] {
            try #require(try board.json("status").first?["sync"] as? [String: Any])
        }

        private func state() throws -> String { try #require(try sync()["state"] as? String) }

        /// Runs a command that finds no rclone, so that only the service can send.
        private func withoutRclone(_ arguments: String...) throws -> Program.Outcome {
            var environment = board.environment
            environment["PATH"] = board.path("nowhere")
            return try Program.run(
                board.program.path, ["sync"] + arguments + ["--config", board.configuration],
                environment: environment)
        }

        @Test("the service sends by order, while paused only then, and goes on after restarts")
        func byOrder() throws {
            var service = try startService()
            #expect(try state() == "waiting")
            let sent = try withoutRclone("now", "--json")
            #expect(sent.status == 0 && sent.output.contains("\"verified\":7"), "\(sent)")
            #expect(try state() == "idle")
            let sync = try sync()
            #expect(sync["pending"] as? Int == 0 && sync["lastSuccess"] is String)
            _ = try board.run("sync", "pause")
            #expect(try state() == "paused")
            // Both restart: the pause stays.
            service.kill()
            _ = service.wait()
            try board.stop()
            try board.start()
            service = try self.service()
            #expect(try state() == "paused")
            _ = try board.run("press", "shutter", "--wait")
            #expect(try board.json("sync", "status").first?["pending"] as? Int == 1)
            #expect(try withoutRclone("now").output.contains("verified"))
            #expect(try board.json("sync", "status").first?["pending"] as? Int == 0)
            _ = try board.run("sync", "resume")
            try board.waitUntil { try state() == "idle" }
            service.terminate()
            #expect(service.wait() == 0)
        }

        @Test("the service says why it fails, and sends once the remote is there")
        func failing() throws {
            let service = try startService()
            defer { service.terminate() }
            let remote = board.path("remote")
            try FileManager.default.moveItem(atPath: remote, toPath: board.path("away"))
            let failed = try withoutRclone("now")
            #expect(failed.status == 74 && failed.errors.contains("Create the folder"))
            #expect(try state() == "failing")
            let error = try sync()["lastError"] as? [String: Any]
            #expect(error?["code"] as? String == "sync.missing")
            #expect(
                try board.run("status", "--metrics").contains(
                    "vitrine_sync_state{vitrine_sync_state=\"failing\"} 1"))
            try FileManager.default.moveItem(atPath: board.path("away"), toPath: remote)
            #expect(try withoutRclone("now").status == 0)
            #expect(try state() == "idle")
            #expect(try board.shell("find \(remote) -name '*.jpg' | wc -l").output == "3\n")
        }

        @Test("an original that only the remote has comes back by order and for a picture of it")
        func fetch() throws {
            let service = try startService(keeping: 1)
            defer { service.terminate() }
            let photo = try board.json("press", "shutter", "--wait").first?["id"] as? String
            let id = try #require(photo)
            _ = try board.run("press", "shutter", "--wait")
            _ = try withoutRclone("now")
            #expect(
                try board.json("library", "retention", "--apply").first?["evicted"] as? Int == 4)
            func shown() throws -> [String: Any] {
                try #require(try board.json("library", "show", id).first)
            }
            let gone = try shown()
            #expect(gone["remoteOnly"] as? Bool == true)
            let path = try #require(gone["path"] as? String)
            #expect(!FileManager.default.fileExists(atPath: path))
            // The screen's picture stayed.
            let small = board.path("small.jpg")
            _ = try board.run("library", "picture", id, small, "--size", "320x240")
            #expect(!FileManager.default.fileExists(atPath: path))
            let refused = try board.attempt("library", "export", board.path("out"), id)
            #expect(refused.status == 74 && refused.errors.contains("only the remote has"))
            _ = try board.run("library", "picture", id, small)
            #expect(try shown()["remoteOnly"] == nil)
            #expect(
                try board.shell("sha256sum \(path)").output.hasPrefix(
                    try #require(gone["sha256"] as? String)))
            #expect(
                try board.json("library", "retention", "--apply").first?["evicted"] as? Int == 1)
            let fetched = try board.json("library", "fetch", id, "1").compactMap {
                $0["bytes"] as? Int
            }
            #expect(fetched.count == 2 && fetched.allSatisfy { $0 > 0 })
            #expect(try board.run("library", "verify", "--deep").contains("0 findings"))
        }

        @Test("what has waited for more than a day is a problem", arguments: [true, false])
        func late(isOld: Bool) throws {
            try board.write(
                more: "[sync]\nremote = \"\(board.path("remote"))\"\ndevice_id = \"entrance\"")
            try board.ingest(2)
            let age = isOld ? 90_000 : 80_000
            _ = try board.shell(
                """
                sqlite3 \(board.path("library"))/library.sqlite \
                    "UPDATE outbox SET queued_at = (unixepoch() - \(age)) * 1000000000"
                """)
            try board.start()
            func codes() throws -> [String] {
                let problems = try board.json("status").first?["problems"] as? [[String: Any]]
                return try #require(problems).compactMap { $0["code"] as? String }
            }
            if isOld {
                try board.waitUntil { try codes().contains("sync.late") }
            } else {
                #expect(try !codes().contains("sync.late"))
            }
            let line = try board.run("status")
            #expect(line.contains("sync     stopped, 2 waiting, oldest \(age / 3600) h"), "\(line)")
        }

        @Test("two processes do not sync one library at once")
        func busy() throws {
            try board.write(
                more: "[sync]\nremote = \"\(board.path("remote"))\"\ndevice_id = \"entrance\"")
            try FileManager.default.createDirectory(
                atPath: board.path("remote"), withIntermediateDirectories: true)
            try board.ingest(200)
            try board.start()
            let first = try ChildProcess(
                board.program.path, ["sync", "now", "--config", board.configuration],
                environment: board.environment, output: "/dev/null", errors: "/dev/null")
            try board.waitUntil {
                try board.json("sync", "ledger").contains { $0["state"] as? String == "sending" }
            }
            let second = try board.attempt("sync", "now")
            #expect(second.status == 75 && second.errors.contains("syncs already"))
            // A process that was killed holds nothing.
            first.kill()
            _ = first.wait()
            _ = try board.run("sync", "now")
            #expect(try board.json("sync", "status").first?["pending"] as? Int == 0)
        }
    }
}
