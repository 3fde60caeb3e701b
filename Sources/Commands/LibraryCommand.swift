// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Library

struct LibraryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "library", abstract: "The photos that were taken.",
        subcommands: [List.self, Show.self, Export.self])

    struct List: AsyncParsableCommand {
        private static let pageSize = 500

        static let configuration = CommandConfiguration(
            abstract: "List photos in the order in which they were taken.")

        @Option(help: "At the most so many.")
        var limit: Int?

        @Option(help: "Only those after this sequence number (before it with --newest-first).")
        var after: Int?

        @Flag(help: "The newest first.")
        var newestFirst = false

        @OptionGroup var access: LibraryAccess

        func validate() throws {
            for (name, value) in [("--limit", limit), ("--after", after)] {
                guard let value, value < 0 else { continue }
                throw ValidationError("\(name) is \(value), allowed: 0 and above")
            }
        }

        func run() async throws {
            try await access.read { library in
                var table = AssetTable()
                var left = limit ?? .max
                var after = after.map(Int64.init)
                while left > 0 {
                    let page = try await library.resources(
                        after: after, limit: min(left, Self.pageSize), newestFirst: newestFirst)
                    guard let last = page.last else { break }
                    try print(page.map(\.asset), &table)
                    after = last.asset.sequence
                    left -= page.count
                }
            }
        }

        private func print(_ assets: [Asset], _ table: inout AssetTable) throws {
            if access.client.json {
                for asset in assets { Swift.print(try jsonLine(asset)) }
            } else {
                table.print(assets)
            }
            // Each page as it comes, also into a pipe.
            try flushOutput()
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "All that is known of a photo.")

        @Argument(help: "The id, its first four or more characters, or the sequence number.")
        var id: String

        @OptionGroup var access: LibraryAccess

        func run() async throws {
            let line = try jsonLine(try await access.read { try await $0.resource(id: id) })
            if access.client.json {
                print(line)
            } else {
                try AssetTable().printDetails(line)
            }
        }
    }
}
