// SPDX-License-Identifier: GPL-3.0-or-later

/// One thing to export.
public enum ExportItem: Sendable {
    case original(AssetResource)
    /// What the caller asked for names no asset, or several.
    case unknown(name: String, LibraryError)
}

/// What an export is to copy, read page by page.
public struct ExportList<Source: AssetSource> {
    private static var pageSize: Int { 256 }

    /// How many items come; a few more or less when assets are added or deleted meanwhile.
    public let total: Int
    private let source: Source
    /// Of a burst all photos; nothing that was hidden or deleted.
    private let options = FetchOptions(includesAllBurstMembers: true)
    private let ids: [String]?
    private var nextID = 0
    private var after: Int64?
    /// What is added later belongs to the next export.
    private let last: Int64

    /// - Parameter ids: What ``AssetLibrary/asset(id:)`` understands; `nil` for everything that is
    ///   there now, neither hidden nor deleted.
    public init(_ ids: [String]? = nil, from source: Source) async throws {
        self.source = source
        self.ids = ids
        if let ids {
            (total, last) = (ids.count, 0)
        } else {
            total = try await source.countOfAssets(in: nil, options)
            var newest = options
            newest.sortDescriptors = [AssetSortDescriptor(.sequence, ascending: false)]
            last =
                try await source.page(in: nil, newest, after: nil, limit: 1)
                .assets.first?.asset.sequence ?? 0
        }
    }

    /// The next items; `nil` when there are no more.
    public mutating func next() async throws -> [ExportItem]? {
        guard let ids else { return try await nextPage() }
        guard nextID < ids.count else { return nil }
        defer { nextID += 1 }
        return [try await item(ids[nextID])]
    }

    private func item(_ id: String) async throws -> ExportItem {
        do {
            return .original(try await source.resource(id: id))
        } catch let error as LibraryError where [.notFound, .ambiguous].contains(error.code) {
            return .unknown(name: id, error)
        }
    }

    private mutating func nextPage() async throws -> [ExportItem]? {
        guard (after ?? 0) < last else { return nil }
        let page = try await source.page(
            in: nil, options, after: after.map { FetchCursor(sequence: $0) }, limit: Self.pageSize
        ).assets
        after = page.last?.asset.sequence ?? last
        return page.filter { $0.asset.sequence <= last }.map { .original($0) }
    }
}
