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

    /// As ``list(_:)``, of `collection` where one is given, with the cursor of the next page.
    func page(_ arguments: [String: JSONValue]) async throws -> AssetPage {
        let limit = min(arguments["limit"]?.integerValue ?? Self.pageSize, Self.pageSize)
        return try await library.page(
            in: try arguments["collection"]?.decoded(), options(arguments),
            after: try arguments["after"]?.decoded(), limit: max(limit, 1))
    }

    /// How many assets `options` finds, in `collection` where one is given.
    func count(_ arguments: [String: JSONValue]) async throws -> Int {
        try await library.countOfAssets(
            in: try arguments["collection"]?.decoded(), options(arguments))
    }

    private func options(_ arguments: [String: JSONValue]) throws -> FetchOptions {
        try arguments["options"]?.decoded() ?? FetchOptions()
    }

    /// The albums, smart albums, moments or sessions that `options` finds.
    func collections(_ arguments: [String: JSONValue]) async throws -> [AssetCollection] {
        try await library.collections(
            try arguments["options"]?.decoded() ?? CollectionFetchOptions(.albums))
    }

    /// One asset, with where its file lies.
    func show(_ arguments: [String: JSONValue]) async throws -> AssetResource {
        try await library.resource(id: arguments["id"]?.stringValue ?? "")
    }

    /// Makes `changes`, all or none.
    func perform(_ arguments: [String: JSONValue]) async throws -> Int {
        try await library.perform(try arguments["changes"]?.decoded() ?? LibraryChanges())
    }

    /// What happened since the token `since`, by `origins` where they are given; with `wait` it answers when
    /// something has, or after 20 seconds.
    func changes(_ arguments: [String: JSONValue]) async throws -> ChangeHistory {
        try await library.changes(
            since: try arguments["since"]?.decoded(), from: try arguments["origins"]?.decoded(),
            waits: arguments["wait"]?.boolValue ?? false)
    }

    func statistics() async throws -> LibraryStatistics { try await library.statistics() }
}
