// SPDX-License-Identifier: GPL-3.0-or-later

internal import Appliance
internal import CommandProtocol
internal import Library

/// The library that the running appliance has open. Blocks its thread.
struct RemoteLibrary: AssetEditor {
    private let client: ControlClient

    init(_ client: ControlClient) { self.client = client }

    func statistics() async throws -> LibraryStatistics { try request("library.statistics") }

    func page(
        _ options: FetchOptions, after cursor: FetchCursor?, limit: Int
    ) async throws -> AssetPage {
        var arguments: [String: JSONValue] = [
            "limit": .integer(Int64(limit)), "options": try JSONValue(encoding: options),
        ]
        arguments["after"] = try cursor.map(JSONValue.init(encoding:))
        return try request("library.page", arguments)
    }

    func countOfAssets(_ options: FetchOptions) async throws -> Int {
        try request("library.count", ["options": try JSONValue(encoding: options)])
    }

    func resource(id: String) async throws -> AssetResource {
        try request("library.show", ["id": .string(id)])
    }

    func change(_ ids: [String], _ changes: [AssetChange]) async throws -> Int {
        try request(
            "library.change",
            [
                "ids": .array(ids.map(JSONValue.string)),
                "changes": try JSONValue(encoding: changes),
            ])
    }

    private func request<Value: Decodable>(
        _ verb: String, _ arguments: [String: JSONValue] = [:]
    ) throws -> Value {
        do {
            return try client.request(verb, arguments)
        } catch let error as CommandError {
            throw error.libraryError ?? error
        }
    }
}
