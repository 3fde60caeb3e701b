// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Glibc
internal import Library
internal import LinuxIO

/// The assets that a change is about, and where they are.
struct ChangedAssets: ParsableArguments {
    @Argument(help: "Ids, their first four or more characters, or sequence numbers.")
    var ids: [String]

    @OptionGroup var access: LibraryAccess

    func validate() throws {
        if ids.isEmpty { throw ValidationError("name one photo at least") }
    }

    /// The first of the ids that cannot be one: words that were meant for an option.
    var firstNoID: String? {
        ids.first { id in
            let isNumber = id.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
            return !isNumber && !id.allSatisfy { $0.isHexDigit || $0 == "-" }
        }
    }

    /// Makes the changes, all or none, and says how many assets are not as they were.
    func make(_ changes: AssetChange...) async throws {
        try await access.change { library, request in
            let assets = try await library.assets(named: ids)
            for change in changes { request.change(assets, change) }
        }
    }
}

extension LibraryCommand {
    struct Favorite: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Mark photos as favourites.")

        @Flag(help: "Take the mark away.")
        var off = false

        @OptionGroup var assets: ChangedAssets

        func run() async throws { try await assets.make(.setFavorite(!off)) }
    }

    struct Hide: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Keep photos out of lists and galleries.")

        @Flag(help: "Show them again.")
        var off = false

        @OptionGroup var assets: ChangedAssets

        func run() async throws { try await assets.make(.setHidden(!off)) }
    }

    struct Represent: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Have a photo stand for its burst.",
            discussion: "library list shows it alone; the others: list --burst ID.")

        @OptionGroup var assets: ChangedAssets

        func run() async throws { try await assets.make(.representBurst) }
    }

    struct Caption: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write under photos.",
            usage: "vitrine library caption --text \"WORDS\" ID …")

        @Option(help: "The words; without, the caption is taken away.")
        var text: String?

        @OptionGroup var assets: ChangedAssets

        func validate() throws {
            guard text == nil, let words = assets.firstNoID else { return }
            throw ValidationError(
                "\"\(words)\" is no photo's id; words are given with --text \"\(words)\"")
        }

        func run() async throws { try await assets.make(.setCaption(text)) }
    }

    struct Keyword: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give photos keywords, by which list --keyword finds them.")

        @Option(help: "A keyword to give. May be given several times.")
        var add: [String] = []

        @Option(help: "A keyword to take away. May be given several times.")
        var remove: [String] = []

        @OptionGroup var assets: ChangedAssets

        func validate() throws {
            guard add.isEmpty && remove.isEmpty else { return }
            let words = assets.firstNoID.map { ", such as --add \"\($0)\"" } ?? ""
            throw ValidationError("give --add or --remove\(words)")
        }

        func run() async throws {
            try await assets.make(.removeKeywords(remove), .addKeywords(add))
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Move photos to \"recently deleted\".",
            discussion: "restore takes them back; purge removes them for good.")

        @OptionGroup var assets: ChangedAssets

        func run() async throws { try await assets.make(.delete) }
    }

    struct Restore: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take photos back from \"recently deleted\".")

        @OptionGroup var assets: ChangedAssets

        func run() async throws { try await assets.make(.restore) }
    }

    struct Purge: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove photos that are in \"recently deleted\" for good.",
            discussion: "On a terminal it asks first; elsewhere it wants --yes.")

        @Flag(help: "Do not ask.")
        var yes = false

        @OptionGroup var assets: ChangedAssets

        func run() async throws {
            if !yes { try confirm() }
            try await assets.make(.purge)
        }

        private func confirm() throws {
            guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
                throw ValidationError(
                    "nobody can be asked here: give --yes to remove them for good")
            }
            let count = assets.ids.count
            let what = count == 1 ? "1 photo" : "\(count) photos"
            writeToStandardError("Remove \(what) for good? Type yes: ")
            guard readLine() == "yes" else {
                throw CommandError("library.kept", "nothing was removed", exit: .temporary)
            }
        }
    }
}
