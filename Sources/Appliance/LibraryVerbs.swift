// SPDX-License-Identifier: GPL-3.0-or-later

internal import CommandProtocol
internal import Library

/// The library's verbs as the control socket answers them. Nothing is copied or printed here: that is
/// the command's, which has its caller's rights.
struct LibraryVerbs {
    /// At the most so many assets an answer; the command asks for page after page.
    private static let pageSize = 500
    let library: AssetLibrary

    /// A page of what `options` finds; the next one comes after the last one's cursor.
    func list(_ arguments: [String: JSONValue]) async throws -> [AssetResource] {
        let limit = min(arguments["limit"]?.integerValue ?? Self.pageSize, Self.pageSize)
        guard limit > 0 else { return [] }
        return try await library.resources(
            options(arguments), after: try arguments["after"]?.decoded(), limit: limit)
    }

    /// As ``list(_:)``, with the cursor of the next page.
    func page(_ arguments: [String: JSONValue]) async throws -> AssetPage {
        let limit = min(arguments["limit"]?.integerValue ?? Self.pageSize, Self.pageSize)
        return try await library.page(
            options(arguments), after: try arguments["after"]?.decoded(), limit: max(limit, 1))
    }

    /// How many assets `options` finds.
    func count(_ arguments: [String: JSONValue]) async throws -> Int {
        try await library.countOfAssets(options(arguments))
    }

    private func options(_ arguments: [String: JSONValue]) throws -> FetchOptions {
        try arguments["options"]?.decoded() ?? FetchOptions()
    }

    /// One asset, with where its file lies.
    func show(_ arguments: [String: JSONValue]) async throws -> AssetResource {
        try await library.resource(id: arguments["id"]?.stringValue ?? "")
    }

    /// Makes `changes` to the assets that `ids` name.
    func change(_ arguments: [String: JSONValue]) async throws -> Int {
        try await library.change(
            try arguments["ids"]?.decoded() ?? [], try arguments["changes"]?.decoded() ?? [])
    }

    func statistics() async throws -> LibraryStatistics { try await library.statistics() }
}
