// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Library

extension LibraryCommand {
    struct Snapshot: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copy the database, with albums, captions and all facts about photos.",
            discussion: """
                  vitrine library snapshot --list

                The appliance takes a snapshot once a day. The newest three are kept in the \
                library's folder snapshots/; vitrine library repair uses them if the database is \
                damaged.
                """)

        @Flag(help: "Only list the existing snapshots, the newest first.")
        var list = false

        @OptionGroup var access: LibraryAccess

        func run() async throws {
            var taken: [LibrarySnapshot]
            if let library = try access.running() {
                taken = try await list ? library.snapshots() : one(library.takeSnapshot())
            } else {
                taken = try await access.opened { library in
                    try await list ? library.snapshots() : one(library.takeSnapshot())
                }
            }
            if access.client.json {
                for snapshot in taken { print(try jsonLine(snapshot)) }
                return
            }
            var table = TextTable([
                .init(heading: "taken", weight: 3),
                .init(heading: "size", alignsRight: true, weight: 1),
                .init(heading: "file", shortest: 12, weight: 2),
            ])
            table.print(
                taken.map {
                    ["\($0.createdAt)", "\($0.bytes / 1000) kB", oneLine($0.path)]
                })
            if taken.isEmpty { print(list ? "none" : "nothing has changed since the newest one") }
        }

        private func one(_ snapshot: LibrarySnapshot?) -> [LibrarySnapshot] {
            [snapshot].compactMap(\.self)
        }
    }
}
