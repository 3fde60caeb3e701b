// SPDX-License-Identifier: GPL-3.0-or-later

/// An item to export.
public enum ExportItem: Sendable {
    case original(AssetResource)
    /// A name from the caller that matches no asset, or several.
    case unknown(name: String, LibraryError)
}

/// The items of an export, read page by page. The library need not be open between two pages.
public struct ExportList: Sendable {
    private static let pageSize = 256

    /// The number of items, or a few more or less if assets are added or deleted meanwhile.
    public let total: Int
    /// All photos of bursts, but nothing hidden or deleted.
    private let options = FetchOptions(includesAllBurstMembers: true)
    /// The names that are left; `nil` for all assets.
    private var ids: ArraySlice<String>?
    private var after: Int64?
    /// The newest sequence at the beginning. Later assets belong to the next export.
    private let last: Int64

    /// Creates a list of the assets that `ids` name for ``AssetLibrary/asset(id:)``; `nil` lists
    /// all current assets that are neither hidden nor deleted.
    public init(_ ids: [String]? = nil, from source: some AssetSource) async throws {
        self.ids = ids?[...]
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

    /// Whether there are no more items.
    public var isAtEnd: Bool { ids?.isEmpty ?? ((after ?? 0) >= last) }

    /// Returns the next items; `nil` at the end.
    public mutating func next(from source: some AssetSource) async throws -> [ExportItem]? {
        if isAtEnd { return nil }
        guard let ids else { return try await nextPage(from: source) }
        var items: [ExportItem] = []
        for id in ids.prefix(Self.pageSize) { items.append(try await item(id, from: source)) }
        self.ids = ids.dropFirst(Self.pageSize)
        return items
    }

    private func item(_ id: String, from source: some AssetSource) async throws -> ExportItem {
        do {
            return .original(try await source.resource(id: id))
        } catch let error as LibraryError where [.notFound, .ambiguous].contains(error.code) {
            return .unknown(name: id, error)
        }
    }

    private mutating func nextPage(from source: some AssetSource) async throws -> [ExportItem] {
        let page = try await source.page(
            in: nil, options, after: after.map { FetchCursor(sequence: $0) }, limit: Self.pageSize
        ).assets
        after = page.last?.asset.sequence ?? last
        return page.filter { $0.asset.sequence <= last }.map { .original($0) }
    }
}
