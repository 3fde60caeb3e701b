// SPDX-License-Identifier: GPL-3.0-or-later

internal import Appliance
internal import ArgumentParser
internal import CommandProtocol
internal import FoundationEssentials
internal import Glibc
internal import Library
internal import Settings

struct LibraryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "library", abstract: "The photos that were taken.",
        subcommands: [List.self, Show.self, Export.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List photos in the order in which they were taken.")

        @Option(help: "At the most so many.")
        var limit: Int?

        @Option(help: "Only those after this sequence number (before it with --newest-first).")
        var after: Int?

        @Flag(help: "The newest first.")
        var newestFirst = false

        @OptionGroup var access: LibraryAccess

        func run() async throws {
            var arguments: [String: JSONValue] = ["newestFirst": .bool(newestFirst)]
            arguments["limit"] = limit.map { .integer(Int64($0)) }
            arguments["after"] = after.map { .integer(Int64($0)) }
            let request = arguments
            let answer = try await access.perform("library.list", request) { verbs, _ in
                try await verbs.list(request)
            }
            let assets = answer.arrayValue ?? []
            if access.client.json {
                for asset in assets { print(try jsonLine(asset)) }
            } else {
                try AssetTable().print(assets)
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "All that is known of a photo.")

        @Argument(help: "The id, its first four or more characters, or the sequence number.")
        var id: String

        @OptionGroup var access: LibraryAccess

        func run() async throws {
            let request: [String: JSONValue] = ["id": .string(id)]
            let answer = try await access.perform("library.show", request) { verbs, _ in
                try await verbs.show(request)
            }
            if access.client.json {
                print(try jsonLine(answer))
            } else {
                AssetTable().printDetails(answer)
            }
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copy originals into a directory: all, or those that are named.",
            discussion: """
                Nothing is overwritten; what is there already is left out, so that a broken-off export \
                can simply be run again.
                """)

        @Argument(help: "The directory.", completion: .directory)
        var directory: String

        @Argument(help: "Ids; none for all.")
        var ids: [String] = []

        @OptionGroup var access: LibraryAccess

        func run() async throws {
            var arguments: [String: JSONValue] = ["directory": .string(absolute(directory))]
            if !ids.isEmpty { arguments["ids"] = .array(ids.map { .string($0) }) }
            let request = arguments
            let bar = ProgressLine(isShown: !access.client.json && isatty(2) == 1)
            let answer = try await access.perform(
                "library.export", request, progress: { bar.show($0) }
            ) { verbs, progress in
                try await verbs.export(request, progress)
            }
            bar.end()
            try report(answer)
        }

        private func report(_ answer: JSONValue) throws {
            let outcome: Outcome = try answer.decode()
            if access.client.json {
                print(try jsonLine(answer))
            } else {
                print("\(outcome.exported) exported, \(outcome.skipped) there already")
                for failure in outcome.failures { complain("\(failure.name): \(failure.message)") }
            }
            if !outcome.failures.isEmpty { throw ExitCode(ExitStatus.io.rawValue) }
        }

        private struct Outcome: Decodable {
            struct Failure: Decodable {
                var name: String
                var message: String
            }
            var exported: Int
            var skipped: Int
            var failures: [Failure]
        }

        private func absolute(_ path: String) -> String {
            if path.hasPrefix("/") { return path }
            return FileManager.default.currentDirectoryPath + "/" + path
        }
    }
}

/// The library, through the running appliance or alone.
struct LibraryAccess: ParsableArguments {
    @OptionGroup var client: ClientOptions
    @OptionGroup var configuration: ConfigurationOptions

    /// Asks the appliance; where none runs, opens the configuration's library and works on it.
    func perform(
        _ verb: String, _ arguments: [String: JSONValue],
        progress: @escaping @Sendable (JSONValue) -> Void = { _ in },
        alone: (LibraryVerbs, @escaping @Sendable (JSONValue) -> Void) async throws -> JSONValue
    ) async throws -> JSONValue {
        do {
            return try client.request(verb, arguments, progress: progress)
        } catch let error as CommandError where error.code == "appliance.notRunning" {
            if client.socket != nil { throw error }
        }
        let library: AssetLibrary
        do {
            library = try await AssetLibrary.open(at: try configuration.load().library.path)
        } catch let error as LibraryError {
            throw CommandError(error)
        }
        do {
            let answer = try await alone(LibraryVerbs(library: library), progress)
            await library.close()
            return answer
        } catch {
            await library.close()
            throw error
        }
    }
}
