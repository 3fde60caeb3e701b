// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
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
