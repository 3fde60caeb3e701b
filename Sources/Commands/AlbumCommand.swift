// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Library

struct AlbumCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "album", abstract: "Albums, and the folders they are in.",
        discussion: """
            An album is named by its title or its id. What is in one: vitrine library list --in ALBUM. \
            Photos are in albums without being copied: taking an album away takes no photo away.
            """,
        subcommands: [
            AlbumList.self, Create.self, Rename.self, Move.self, Delete.self, Add.self, Remove.self,
            Reorder.self,
        ])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make an album, and say which id it has.")

        @Argument(help: "1 to 200 characters.")
        var title: String

        @Flag(help: "A folder for albums instead.")
        var folder = false

        @Option(name: .customLong("in"), help: "The folder it goes into; the top without.")
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
            abstract: "Give an album or folder another title.")

        @Argument(help: "Its title or id.")
        var album: String

        @Argument(help: "The new title.")
        var title: String

        @OptionGroup var access: LibraryAccess

        func run() async throws {
            try await access.change(album) { _, _ in .rename(title) }
        }
    }

    struct Move: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Put an album or folder into a folder, or at another place in its own.")

        @Argument(help: "Its title or id.")
        var album: String

        @Option(name: .customLong("in"), help: "The folder; without, the top.")
        var folder: String?

        @Option(help: "Its place there, from 1; the end without.")
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
            abstract: "Take an album or folder away; its photos stay.")

        @Argument(help: "Its title or id.")
        var album: String

        @Flag(help: "A folder with all albums and folders in it.")
        var recursive = false

        @OptionGroup var access: LibraryAccess

        func run() async throws {
            try await access.change(album) { _, _ in .delete(recursively: recursive) }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Put photos into an album.")

        @Argument(help: "Its title or id.")
        var album: String

        @Argument(help: "Ids, their first four or more characters, or sequence numbers.")
        var ids: [String]

        @Option(help: "The first one's place there, from 1; the end without.")
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
            abstract: "Take photos out of an album; they stay in the library.")

        @Argument(help: "Its title or id.")
        var album: String

        @Argument(help: "Ids, their first four or more characters, or sequence numbers.")
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
            abstract: "Put photos of an album at another place in it.")

        @Argument(help: "Its title or id.")
        var album: String

        @Argument(help: "Ids, their first four or more characters, or sequence numbers.")
        var ids: [String]

        @Option(help: "The first one's place among all others, from 1.")
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
    /// Changes the album or folder that is named, and says what came of it.
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
