// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Library

extension LibraryCommand {
    struct Changes: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print what happened to photos and albums.",
            discussion: """
                  vitrine library changes --since 4711 --follow

                Each line is a JSON object: what was inserted, updated and deleted since a token, \
                and the token to continue with. The exit status is 75 if the library does not \
                remember that far back; list everything again then.
                """)

        @Option(help: "Token of the last line (default: none, which prints the current token).")
        var since: Int?

        @Option(
            help: "Only changes of this origin, such as capture. May be given several times.",
            completion: .list(ChangeOrigin.allCases.map(\.rawValue)))
        var origin: [String] = []

        @Flag(
            help: """
                Print changes as they happen, at most four times a second, until Ctrl-C. Needs a \
                running appliance.
                """)
        var follow = false

        @OptionGroup var access: LibraryAccess

        func validate() throws {
            for word in origin where ChangeOrigin(rawValue: word) == nil {
                let words = ChangeOrigin.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("\"\(word)\" is none of \(words)")
            }
        }

        func run() async throws {
            let origins = origin.isEmpty ? nil : Set(origin.compactMap(ChangeOrigin.init))
            // A process that opens the library locks it, so there would be no changes to follow.
            if follow { _ = try access.client.connect() }
            try await access.use { library in
                var history = try await library.changes(
                    since: since.map { ChangeToken(Int64($0)) }, from: origins, waits: false)
                print(try jsonLine(history))
                while follow {
                    try flushOutput()
                    history = try await library.changes(
                        since: history.token, from: origins, waits: true)
                    if !history.isEmpty { print(try jsonLine(history)) }
                }
            }
        }
    }
}
