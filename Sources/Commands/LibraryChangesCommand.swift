// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Library

extension LibraryCommand {
    struct Changes: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Tell what happened to photos and albums.",
            discussion: """
                One JSON object a line: what is new, changed and gone since a token, and the token to go \
                on with. Status 75 when the library does not remember that far back: list everything anew.
                """)

        @Option(help: "What the last line had as token; without, only the token of now.")
        var since: Int?

        @Option(
            help: "Only what these did. May be given several times.",
            completion: .list(ChangeOrigin.allCases.map(\.rawValue)))
        var origin: [String] = []

        @Flag(
            help:
                "Go on, four times a second at the most, until interrupted: beside a running appliance."
        )
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
            // Alone it would hold the library, and nothing could change there.
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
