// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Glibc
internal import Library
internal import LinuxIO

struct ChangedAssets: ParsableArguments {
    @Argument(help: "Photos: ids, their first four or more characters, or sequence numbers.")
    var ids: [String]

    @OptionGroup var access: LibraryAccess

    func validate() throws {
        if ids.isEmpty { throw ValidationError("name at least one photo") }
    }

    /// The first argument that cannot be an id. Such words were meant for an option.
    var firstNoID: String? {
        ids.first { id in
            let isNumber = id.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
            return !isNumber && !id.allSatisfy { $0.isHexDigit || $0 == "-" }
        }
    }

    /// Makes all the changes or none, and prints how many assets changed.
    func make(_ changes: AssetChange...) async throws {
        try await access.change { library, request in
            let assets = try await library.assets(named: ids)
            for change in changes { request.change(assets, change) }
        }
    }
}

extension LibraryCommand {
    struct Favorite: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Mark photos as favourites.",
            discussion: """
                  vitrine library favorite 12 13
                """)

        @Flag(help: "Remove the mark.")
        var off = false

        @OptionGroup var assets: ChangedAssets

        func run() async throws { try await assets.make(.setFavorite(!off)) }
    }

    struct Hide: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Hide photos from lists and galleries.",
            discussion: """
                  vitrine library hide 12
                """)

        @Flag(help: "Show them again.")
        var off = false

        @OptionGroup var assets: ChangedAssets

        func run() async throws { try await assets.make(.setHidden(!off)) }
    }

    struct Represent: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let a photo represent its burst.",
            discussion: """
                  vitrine library represent 12

                vitrine library list shows only this photo of the burst; list --burst ID shows all.
                """)

        @OptionGroup var assets: ChangedAssets

        func run() async throws { try await assets.make(.representBurst) }
    }

    struct Caption: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set or remove the caption of photos.",
            usage: "vitrine library caption --text \"WORDS\" ID …",
            discussion: """
                  vitrine library caption --text "At the lake" 12 13
                """)

        @Option(help: "Caption (default: none, which removes the caption).")
        var text: String?

        @OptionGroup var assets: ChangedAssets

        func validate() throws {
            guard text == nil, let words = assets.firstNoID else { return }
            throw ValidationError(
                "\"\(words)\" is not a photo's id; give a caption with --text \"\(words)\"")
        }

        func run() async throws { try await assets.make(.setCaption(text)) }
    }

    struct Keyword: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add or remove keywords of photos.",
            discussion: """
                  vitrine library keyword 12 13 --add lake
                  vitrine library list --keyword lake
                """)

        @Option(help: "Keyword to add. May be given several times.")
        var add: [String] = []

        @Option(help: "Keyword to remove. May be given several times.")
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
            discussion: """
                  vitrine library delete 12 13

                vitrine library restore brings them back; purge removes them for good.
                """)

        @OptionGroup var assets: ChangedAssets

        func run() async throws { try await assets.make(.delete) }
    }

    struct Restore: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Restore photos from \"recently deleted\".",
            discussion: """
                  vitrine library restore 12
                """)

        @OptionGroup var assets: ChangedAssets

        func run() async throws { try await assets.make(.restore) }
    }

    struct Purge: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove photos in \"recently deleted\" for good.",
            discussion: """
                  vitrine library purge 12 --yes
                  vitrine library purge 12 --everywhere --yes

                On a terminal the command asks first; elsewhere it needs --yes. What becomes of \
                the copies at the remote is the policy's matter ([sync] delete), unless \
                --everywhere is given.
                """)

        @Flag(help: "Do not ask.")
        var yes = false

        @Flag(help: "Delete the copies at the remote, too, with the next sync.")
        var everywhere = false

        @OptionGroup var assets: ChangedAssets

        func run() async throws {
            if !yes { try confirm() }
            try await assets.make(everywhere ? .purgeEverywhere : .purge)
        }

        private func confirm() throws {
            guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
                throw ValidationError(
                    "nobody can confirm this here: give --yes to remove them for good")
            }
            let count = assets.ids.count
            let what = count == 1 ? "1 photo" : "\(count) photos"
            let place = everywhere ? " here and at the remote" : ""
            writeToStandardError("Remove \(what) for good\(place)? Type yes: ")
            guard readLine() == "yes" else {
                throw CommandError("library.kept", "nothing was removed", exit: .temporary)
            }
        }
    }
}
