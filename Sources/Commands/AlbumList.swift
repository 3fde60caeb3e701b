// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Glibc
internal import Library

struct AlbumList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List albums, smart albums, moments or sessions.",
        discussion: """
              vitrine album list --moments --newest-first

            Albums are listed in their order, each folder followed by its contents.
            """)

    @Flag(help: "Kind of collections to list.")
    var kind: Kind = .albums

    @Flag(inversion: .prefixedNo, help: "Whether to list empty ones.")
    var empty = true

    @Flag(help: "List moments and sessions with the newest first.")
    var newestFirst = false

    @Option(help: "Maximum number of collections.")
    var limit: Int?

    @OptionGroup var access: LibraryAccess

    enum Kind: String, EnumerableFlag {
        case albums, smart, moments, sessions

        static func help(for value: Kind) -> ArgumentHelp? {
            switch value {
            case .albums: "List albums and folders that people created."
            case .smart: "List smart albums: favourites, videos, recently deleted and others."
            case .moments: "List moments: photos of one day without a break of two hours."
            case .sessions: "List sessions: visits to the kiosk."
            }
        }

        var fetched: CollectionFetchOptions.Kind {
            switch self {
            case .albums: .albums
            case .smart: .smartAlbums
            case .moments: .moments
            case .sessions: .sessions
            }
        }
    }

    func validate() throws {
        if let limit, limit < 0 {
            throw ValidationError("--limit is \(limit), allowed: 0 and above")
        }
    }

    func run() async throws {
        let options = CollectionFetchOptions(
            kind.fetched, includesEmpty: empty, newestFirst: newestFirst, fetchLimit: limit)
        let found = try await access.use { try await $0.collections(options) }
        if access.client.json {
            for collection in found { print(try jsonLine(collection)) }
        } else {
            printTable(found)
        }
    }

    private func printTable(_ found: [AssetCollection]) {
        var depths: [AssetCollection.Identifier: Int] = [:]
        let rows = found.map { collection in
            let depth = collection.folder.map { (depths[$0] ?? 0) + 1 } ?? 0
            depths[collection.id] = depth
            let date = collection.startDate.map { String("\($0)".prefix(10)) }
            return [
                String(repeating: "  ", count: depth) + oneLine(collection.title),
                "\(collection.estimatedCount)", date ?? "", collection.id.text,
            ]
        }
        var table = TextTable([
            TextTable.Column(heading: "title", shortest: 8, weight: 4),
            TextTable.Column(heading: "count", alignsRight: true, weight: 3),
            TextTable.Column(heading: "since", weight: 1),
            TextTable.Column(heading: "id", weight: 2),
        ])
        table.print(rows)
    }
}
