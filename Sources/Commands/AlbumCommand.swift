// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Library

struct AlbumCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "album", abstract: "List and change albums, and the folders they are in.",
        discussion: """
              vitrine album create "Summer"
              vitrine album add Summer 12 13
              vitrine library list --in Summer

            An album is named by its title or its id. Albums contain no copies: deleting an album \
            deletes no photo.
            """,
        subcommands: [
            AlbumList.self, Create.self, Rename.self, Move.self, Delete.self, Add.self, Remove.self,
            Reorder.self,
        ])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create an album, and print its id.",
            discussion: """
                  vitrine album create "Summer" --in 2026
                """)

        @Argument(help: "Title, 1 to 200 characters.")
        var title: String

        @Flag(help: "Create a folder for albums instead.")
        var folder = false

        @Option(
            name: .customLong("in"), help: "Folder to create it in (default: the top level).")
        var parent: String?

        @OptionGroup var access: LibraryAccess

        func run() async throws {
            let id = try await access.use { library in
                let parent = try await library.folder(named: parent)
                var changes = LibraryChanges()
                let id =
                    folder
                    ? changes.createFolder(title, in: parent)
                    : changes.createAlbum(title, in: parent)
                _ = try await library.perform(changes)
                return id
            }
            print(access.client.json ? try jsonLine(["id": id]) : id.text)
        }
    }

    struct Rename: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Rename an album or folder.",
            discussion: """
                  vitrine album rename Summer "Summer 2026"
                """)

        @Argument(help: "Title or id of the album or folder.")
        var album: String

        @Argument(help: "New title, 1 to 200 characters.")
        var title: String

        @OptionGroup var access: LibraryAccess

        func run() async throws {
            try await access.change(album) { _, _ in .rename(title) }
        }
    }

    struct Move: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Move an album or folder into a folder, or to another position.",
            discussion: """
                  vitrine album move Summer --in 2026 --at 1
                """)

        @Argument(help: "Title or id of the album or folder.")
        var album: String

        @Option(
            name: .customLong("in"), help: "Folder to move it into (default: the top level).")
        var folder: String?

        @Option(help: "Position there, from 1 (default: the end).")
        var at: Int?

        @OptionGroup var access: LibraryAccess

        func validate() throws { try requirePlace(at, "--at") }

        func run() async throws {
            try await access.change(album) { library, _ in
                .move(into: try await library.folder(named: folder), at: at.map { $0 - 1 })
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete an album or folder; its photos stay.",
            discussion: """
                  vitrine album delete Summer
                """)

        @Argument(help: "Title or id of the album or folder.")
        var album: String

        @Flag(help: "Delete a folder with all albums and folders in it.")
        var recursive = false

        @OptionGroup var access: LibraryAccess

        func run() async throws {
            try await access.change(album) { _, _ in .delete(recursively: recursive) }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add photos to an album.",
            discussion: """
                  vitrine album add Summer 12 13 --at 1
                """)

        @Argument(help: "Title or id of the album.")
        var album: String

        @Argument(help: "Photos: ids, their first four or more characters, or sequence numbers.")
        var ids: [String]

        @Option(help: "Position of the first one in the album, from 1 (default: the end).")
        var at: Int?

        @OptionGroup var access: LibraryAccess

        func validate() throws { try requirePlace(at, "--at") }

        func run() async throws {
            try await access.change(album) { library, _ in
                .addAssets(try await library.assets(named: ids), at: at.map { $0 - 1 })
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove photos from an album; they stay in the library.",
            discussion: """
                  vitrine album remove Summer 12
                """)

        @Argument(help: "Title or id of the album.")
        var album: String

        @Argument(help: "Photos: ids, their first four or more characters, or sequence numbers.")
        var ids: [String]

        @OptionGroup var access: LibraryAccess

        func run() async throws {
            try await access.change(album) { library, _ in
                .removeAssets(try await library.assets(named: ids))
            }
        }
    }

    struct Reorder: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Move photos of an album to another position in it.",
            discussion: """
                  vitrine album reorder Summer 13 --to 1
                """)

        @Argument(help: "Title or id of the album.")
        var album: String

        @Argument(help: "Photos: ids, their first four or more characters, or sequence numbers.")
        var ids: [String]

        @Option(help: "Position of the first one among all others, from 1.")
        var to: Int

        @OptionGroup var access: LibraryAccess

        func validate() throws { try requirePlace(to, "--to") }

        func run() async throws {
            try await access.change(album) { library, _ in
                .moveAssets(try await library.assets(named: ids), to: to - 1)
            }
        }
    }
}

private func requirePlace(_ place: Int?, _ name: String) throws {
    guard let place, place < 1 else { return }
    throw ValidationError("\(name) is \(place), allowed: 1 and above")
}

extension AssetSource {
    fileprivate func folder(named name: String?) async throws -> AssetCollection.Identifier? {
        guard let name else { return nil }
        return try await collection(named: name).id
    }
}

extension LibraryAccess {
    fileprivate func change(
        _ album: String,
        _ makeChange: (any AssetEditor, AssetCollection) async throws -> CollectionChange
    ) async throws {
        try await change { library, changes in
            let collection = try await library.collection(named: album)
            changes.change(collection.id, try await makeChange(library, collection))
        }
    }
}
