// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Library

struct LibraryList: AsyncParsableCommand {
    private static let pageSize = 500
    /// The most assets held in memory before they are printed, about 50 MB.
    private static let mostHeld = 100_000

    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List photos and videos, in the order in which they were taken.",
        discussion: """
              vitrine library list --since 7d --type video --newest-first

            Hidden photos and those in "recently deleted" are listed only on request. Of a burst \
            only the photo that represents it is listed.
            """)

    @Option(help: "Maximum number of photos and videos.")
    var limit: Int?

    @Option(
        help: """
            List what follows the photo with this sequence number; the last number of a page gives \
            the next page.
            """)
    var after: Int?

    @Flag(help: "List the newest first.")
    var newestFirst = false

    @Option(
        help: ArgumentHelp(
            "Sort by this key of the asset's JSON; KEY:desc sorts from high to low. May be given "
                + "several times. Sorting a large library is fast by "
                + AssetKey.allCases.filter(\.hasIndex).map(\.rawValue).joined(separator: ", ")
                + "; other keys take longer.", valueName: "key"))
    var sort: [SortKey] = []

    @Flag(help: "Print only the number of photos and videos.")
    var count = false

    @OptionGroup(title: "Selection") var selection: AssetSelection
    @OptionGroup var access: LibraryAccess

    func validate() throws {
        for (name, value) in [("--limit", limit), ("--after", after)] {
            guard let value, value < 0 else { continue }
            throw ValidationError("\(name) is \(value), allowed: 0 and above")
        }
        if !sort.isEmpty && newestFirst {
            throw ValidationError("--newest-first and --sort exclude each other: give one of them")
        }
        if count && after != nil && (!sort.isEmpty || selection.in != nil) {
            throw ValidationError(
                "--count and --after need the order of capture: leave out --sort and --in")
        }
    }

    private var options: FetchOptions {
        var options = selection.options
        options.sortDescriptors = sort.map(\.descriptor)
        if newestFirst {
            options.sortDescriptors = [AssetSortDescriptor(.sequence, ascending: false)]
        }
        return options
    }

    func run() async throws {
        var table = AssetTable()
        var held: [Asset] = []
        // A directly opened library is locked for others. Its assets are printed afterwards,
        // because the reader of the output may be slow.
        let isAlone = try access.running() == nil
        try await access.use { library in
            let collection = try await selection.collection(of: library)
            if count { return try await printCount(library, in: collection) }
            var left = limit ?? .max
            var cursor = after.map { FetchCursor(sequence: Int64($0)) }
            while left > 0 {
                let page = try await library.page(
                    in: collection, options, after: cursor, limit: min(left, Self.pageSize))
                guard let next = page.next else { break }
                held += page.assets.map(\.asset)
                if !isAlone || held.count > Self.mostHeld { try print(&held, &table) }
                cursor = next
                left -= page.assets.count
            }
        }
        try print(&held, &table)
    }

    private func printCount(
        _ library: any AssetSource, in collection: AssetCollection.Identifier?
    ) async throws {
        var counted = options
        counted.fetchLimit = limit
        if let after {
            let sequence = AssetFilter.sequence
            counted.filter = .all(
                [newestFirst ? sequence < Int64(after) : sequence > Int64(after)]
                    + (counted.filter.map { [$0] } ?? []))
        }
        let number = try await library.countOfAssets(in: collection, counted)
        Swift.print(access.client.json ? try jsonLine(["count": number]) : "\(number)")
    }

    private func print(_ assets: inout [Asset], _ table: inout AssetTable) throws {
        defer { assets = [] }
        if access.client.json {
            for asset in assets { Swift.print(try jsonLine(asset)) }
        } else {
            table.print(assets)
        }
        // Each page is written at once, also into a pipe.
        try flushOutput()
    }
}

/// A sort key, written `KEY` or `KEY:desc`.
struct SortKey: ExpressibleByArgument {
    let descriptor: AssetSortDescriptor

    init?(argument: String) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard let key = parts.first.flatMap({ AssetKey(rawValue: String($0)) }),
            parts.count == 1 || parts.count == 2 && ["asc", "desc"].contains(parts[1])
        else { return nil }
        descriptor = AssetSortDescriptor(key, ascending: parts.last != "desc")
    }

    static var allValueStrings: [String] { AssetKey.allCases.map(\.rawValue) }
}
