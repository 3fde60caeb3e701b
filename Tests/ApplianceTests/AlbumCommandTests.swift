// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import TestSupport
import Testing

extension HostBoardTests {
    /// Tests of `vitrine album` and `library changes`, with a running appliance and without.
    @Suite("albums", .timeLimit(.common))
    struct AlbumCommandTests {
        private let board: RunningBoard

        init() throws { board = try RunningBoard() }

        private func sequences(_ arguments: String...) throws -> [Int] {
            try board.json(["library", "list"] + arguments).compactMap { $0["sequence"] as? Int }
        }

        private func titles(_ arguments: String...) throws -> [String] {
            try board.json(["album", "list"] + arguments).compactMap { $0["title"] as? String }
        }

        @Test(
            "albums are made, filled, ordered and deleted, with and without an appliance",
            arguments: [true, false])
        func albums(isRunning: Bool) throws {
            try board.ingest(8)
            if isRunning { try board.start() }
            let start = try #require(try board.json(["library", "changes"])[0]["token"] as? Int)
            let folder = try board.json(["album", "create", "2026", "--folder"])[0]["id"]
            let made = try board.json(["album", "create", "Fest", "--in", "2026"])[0]["id"]
            let album = try #require(made as? String)
            _ = try board.json(["album", "add", "fest", "5", "3", "1"])
            _ = try board.json(["album", "add", album, "7", "3", "--at", "1"])
            #expect(try sequences("--in", "Fest") == [7, 5, 3, 1])
            #expect(try sequences("--in", "Fest", "--newest-first") == [7, 5, 3, 1])
            #expect(try sequences("--in", "Fest", "--sort", "sequence", "--limit", "2") == [1, 3])
            // Pages follow each other in the album's order and in others.
            #expect(try sequences("--in", "Fest", "--limit", "2") == [7, 5])
            #expect(try sequences("--in", "Fest", "--limit", "2", "--after", "5") == [3, 1])
            #expect(try sequences("--in", "recents", "--limit", "2", "--after", "7") == [6, 5])
            let bySize = try sequences("--sort", "bytes:desc", "--sort", "createdAt")
            #expect(
                try sequences(
                    "--sort", "bytes:desc", "--sort", "createdAt", "--after", "\(bySize[2])")
                    == Array(bySize[3...]))
            let gone = try board.attempt("library", "list", "--in", "Fest", "--after", "2")
            #expect(gone.status == 66 && gone.errors.contains("not in this album"))
            _ = try board.json(["album", "reorder", "Fest", "1", "7", "--to", "2"])
            _ = try board.json(["album", "remove", "Fest", "3", "8"])
            #expect(try sequences("--in", "Fest") == [5, 1, 7])
            let count = try board.json(["library", "list", "--in", "Fest", "--count"])[0]["count"]
            #expect(count as? Int == 3)
            _ = try board.json(["album", "create", "Later"])
            _ = try board.json(["album", "move", "Later", "--in", "2026", "--at", "1"])
            _ = try board.json(["album", "rename", "Fest", "Feast"])
            #expect(try titles() == ["2026", "Later", "Feast"])
            #expect(try titles("--no-empty") == ["2026", "Feast"])
            let changes = try board.json(["library", "changes", "--since", "\(start)"])[0]
            #expect((changes["insertedCollections"] as? [String])?.contains(album) == true)
            #expect(changes["updated"] as? [Int] == [])
            let expired = try board.attempt(["library", "changes", "--since", "999999"])
            #expect(expired.status == 75 && expired.errors.contains("next: Read everything again"))
            // A terminal shows the contents of a folder below it.
            let table = try board.shell(
                "script -qec '\(board.command("album", "list", "--config", board.configuration))' /dev/null"
            )
            #expect(table.output.contains("title") && table.output.contains("\n  Later"))
            for (arguments, status, word) in [
                (["album", "delete", "2026"], 64, "--recursive"),
                (["album", "rename", "Nobody's", "x"], 66, "Nobody's"),
                (["album", "add", "Feast", "99"], 66, "99"),
                (["album", "add", "2026", "1"], 64, "folder"),
                (["album", "rename", "Feast", " "], 64, "title"),
                (["album", "add", "Feast", "1", "--at", "0"], 64, "--at"),
                (["library", "list", "--in", "2026"], 64, "folder"),
                (["library", "list", "--in", "moment:7"], 66, "moment"),
            ] as [([String], Int32, String)] {
                let result = try board.attempt(arguments)
                #expect(result.status == status && result.errors.contains(word), "\(result.errors)")
            }
            _ = try board.json(["album", "delete", "--recursive", try #require(folder as? String)])
            #expect(try titles() == [] && sequences() == Array(1...8))
            if isRunning { try board.stop() }
        }

        @Test("smart albums, moments and sessions are listed with their contents")
        func found() throws {
            try board.ingest(5)
            _ = try board.json(["library", "favorite", "2", "4"])
            _ = try board.json(["library", "delete", "3"])
            #expect(try titles("--smart").contains("Recently deleted"))
            #expect(try titles("--smart", "--no-empty").contains("Videos") == false)
            #expect(try sequences("--in", "favourites") == [2, 4])
            #expect(try sequences("--in", "smartAlbum:recents") == [5, 4, 2, 1])
            #expect(try sequences("--in", "Recently deleted") == [3])
            let moments = try board.json(["album", "list", "--moments"])
            #expect(moments.compactMap { $0["estimatedCount"] as? Int }.reduce(0, +) == 4)
            var inside: [Int] = []
            for moment in moments {
                inside += try sequences("--in", try #require(moment["id"] as? String))
            }
            #expect(inside.sorted() == [1, 2, 4, 5])
            #expect(try titles("--sessions", "--limit", "3").count <= 3)
        }

        @Test("a follower that missed forgotten changes is told to read everything again")
        func missed() throws {
            try board.ingest(3)
            try board.start()
            let (output, errors) = (board.path("news"), board.path("errors"))
            let command = board.command(
                "library", "changes", "--follow", "--socket", board.path("control.sock"))
            let follower = try ChildProcess(
                "/bin/sh", ["-c", "exec \(command) >\(output) 2>\(errors)"],
                environment: board.environment)
            func text(_ file: String) -> String {
                (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
            }
            try board.waitUntil { text(output).contains("token") }
            // The history is cut as if many changes had come and gone.
            let forgotten = try board.shell(
                "sqlite3 \(board.path("library"))/library.sqlite "
                    + "\"DELETE FROM change; UPDATE sqlite_sequence SET seq = seq + 9 WHERE name = 'change'\""
            )
            #expect(forgotten.status == 0, "\(forgotten.errors)")
            _ = try board.json(["library", "caption", "2", "--text", "x"])
            #expect(follower.wait() == 75)
            #expect(text(errors).contains("the history goes back to"), "\(text(errors))")
            #expect(text(errors).contains("next: "))
            try board.stop()
        }

        @Test("a follower gets each change, or only those of the wanted origin")
        func follows() throws {
            try board.ingest(3)
            try board.start()
            func follow(_ options: String, to output: String) throws -> ChildProcess {
                let command = board.command(
                    "library", "changes", "--follow", options, "--socket",
                    board.path("control.sock"))
                return try ChildProcess(
                    "/bin/sh", ["-c", "exec \(command) >\(output)"],
                    environment: board.environment)
            }
            let (output, capturesOnly) = (board.path("news"), board.path("captures"))
            let followers = [
                try follow("", to: output), try follow("--origin capture", to: capturesOnly),
            ]
            defer { for follower in followers { follower.terminate() } }
            func lines(_ file: String? = nil) -> [String] {
                ((try? String(contentsOfFile: file ?? output, encoding: .utf8)) ?? "")
                    .split(separator: "\n").map(String.init)
            }
            try board.waitUntil { lines().count == 1 && lines(capturesOnly).count == 1 }
            _ = try board.json(["library", "caption", "2", "--text", "x"])
            try board.waitUntil { lines().last?.contains(#""updated":[2]"#) == true }
            _ = try board.json(["capture", "photo"])
            try board.waitUntil { lines().last?.contains(#""inserted":[4]"#) == true }
            #expect(lines().count == 3)
            try board.waitUntil { lines(capturesOnly).last?.contains(#""inserted":[4]"#) == true }
            #expect(!lines(capturesOnly).contains { $0.contains(#""updated":[2]"#) })
            try board.stop()
        }
    }
}
