// SPDX-License-Identifier: GPL-3.0-or-later

import CommandProtocol
import Commands
import Foundation
import Library
import Synchronization
import TestSupport
import Testing

extension HostBoardTests {
    /// Tests of one library that several programs use at the same time.
    @Suite("shared library", .timeLimit(.common))
    struct SharedLibraryTests {
        private let board: RunningBoard
        private let stage = Stage()

        init() throws { board = try RunningBoard() }

        /// The progress of the other clients.
        private final class Stage: Sendable {
            let clientsAtWork = Atomic(2)
        }

        private var socket: String { board.path("control.sock") }

        @Test("thousands of changes by two clients during photos are all kept and followed")
        func mixedChanges() async throws {
            try board.ingest(60)
            try board.start()
            let library = RemoteLibrary(try ControlClient(paths: [socket]))
            let ids = try await KnownLibrary(of: library).assets.values
                .sorted { $0.sequence < $1.sequence }.map(\.id)
            var first = LibraryChanges()
            let shared = first.createAlbum("shared")
            _ = try await library.perform(first)

            let changes = byTier(usual: 1000, day: 5000, full: 5000)
            let folder = try await library.stagingFolder()
            let clients = try ["anna", "ben"].enumerated().map { number, name in
                ChangingClient(
                    name: name, socket: socket,
                    own: ids.indices.filter { $0 % 2 == number }.map { ids[$0] }, all: ids,
                    shared: shared, files: try (0..<300).map { try file("\(name) \($0)", folder) },
                    seed: UInt64(number))
            }
            let (follower, stage) = (Follower(socket: socket), stage)
            @Sendable func work(_ client: ChangingClient) async throws -> ChangingClient.Model {
                defer { stage.clientsAtWork.subtract(1, ordering: .releasing) }
                return try await client.run(changes: changes)
            }
            async let anna = work(clients[0])
            async let ben = work(clients[1])
            let lastTitle = "shared by all"
            async let left = follower.run { $0.albums[shared]?.title == lastTitle }
            async let right = follower.run { $0.albums[shared]?.title == lastTitle }
            let photos = try takePhotosAndLook()
            let models = try await [anna, ben]
            // Nothing comes after this change.
            var last = LibraryChanges()
            last.change(shared, .rename(lastTitle))
            _ = try await library.perform(last)
            let followers = try await [left, right]

            let now = try await KnownLibrary(of: library)
            let imported = models.reduce(0) { $0 + $1.imported.count }
            #expect(photos > 3 && now.assets.count == 60 + photos + imported)
            for (client, model) in zip(clients, models) {
                #expect(model.changes >= changes && model.refused > changes / 100)
                #expect(model.purged.count > changes / 100)
                #expect(model.imported.count + model.purged.count > changes * 3 / 100)
                client.check(model, in: now)
            }
            for follower in followers {
                #expect(follower.batches > changes / 500)
                #expect(follower.known == now)
            }
            try board.stop()
            #expect(try sqlite() == now.summary)
            #expect(
                !(try String(contentsOfFile: board.path("log"), encoding: .utf8)).contains("locked")
            )
            let check = try board.attempt("library", "verify", "--deep")
            #expect(check.status == 0, "\(check.output)")
        }

        /// Returns a copy of a file with this content, ready to become an asset.
        private func file(_ content: String, _ folder: StagingFolder) throws -> StagedFile {
            let (id, source) = (UUID(), board.path("source"))
            try Data(content.utf8).write(to: URL(filePath: source))
            return StagedFile(
                id: id, sha256: try folder.copy(source, as: id), mediaType: .photo,
                fileExtension: "png",
                createdAt: WallTime(nanoseconds: 1_795_347_005_000_000_000, utcOffsetSeconds: 0))
        }

        /// Takes photos, uses the library, and reads the database for long from another program,
        /// until the changes have ended. Returns the number of photos.
        private func takePhotosAndLook() throws -> Int {
            var photos = 0
            while stage.clientsAtWork.load(ordering: .acquiring) > 0 || photos < 4 {
                photos += try board.json("press", "shutter", "--wait").count
                for verb in [["list", "--limit", "5"], ["stats"], ["verify"]] {
                    let looked = try board.attempt(["library"] + verb)
                    #expect(
                        looked.status == 0 && looked.errors == "",
                        "\(verb): \(looked.output) \(looked.errors)")
                }
                let stranger = try board.shell(
                    """
                    printf 'BEGIN;SELECT count(*) > 0 FROM asset;\\n.shell sleep 0.3\\nCOMMIT;\\n' |
                    sqlite3 -readonly \(board.path("library/library.sqlite")) 2>&1
                    """)
                #expect(stranger.output == "1\n")
            }
            return photos
        }

        /// Returns the lines of ``KnownLibrary/summary`` as read by a program that shares no code
        /// with the library.
        private func sqlite() throws -> [String] {
            let assets = """
                SELECT sequence, favorite, hidden, deleted_at IS NOT NULL, ifnull(caption, ''),
                ifnull((SELECT group_concat(keyword) FROM
                (SELECT keyword FROM asset_keyword k WHERE k.asset = sequence ORDER BY keyword)), '')
                FROM asset ORDER BY sequence
                """
            let albums = """
                SELECT title, (SELECT count(*) FROM album_asset e WHERE e.album = a.album
                AND (e.position, e.asset) < (a.position, a.asset)), asset
                FROM album_asset a JOIN collection ON number = a.album
                """
            func lines(_ query: String) throws -> [String] {
                try Program.run("sqlite3", [board.path("library/library.sqlite"), query])
                    .output.split(separator: "\n").map { "\($0)" }
            }
            return try lines(assets) + lines(albums).sorted()
        }
    }
}
