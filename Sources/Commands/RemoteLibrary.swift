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
        in collection: AssetCollection.Identifier?, _ options: FetchOptions,
        after cursor: FetchCursor?, limit: Int
    ) async throws -> AssetPage {
        try request(
            "library.page",
            [
                "limit": .integer(Int64(limit)), "options": JSONValue(encoding: options),
                "collection": collection.map(JSONValue.init(encoding:)),
                "after": cursor.map(JSONValue.init(encoding:)),
            ])
    }

    func countOfAssets(
        in collection: AssetCollection.Identifier?, _ options: FetchOptions
    ) async throws -> Int {
        try request(
            "library.count",
            [
                "options": JSONValue(encoding: options),
                "collection": collection.map(JSONValue.init(encoding:)),
            ])
    }

    func resource(id: String) async throws -> AssetResource {
        try request("library.show", ["id": .string(id)])
    }

    func collections(_ options: CollectionFetchOptions) async throws -> [AssetCollection] {
        try request("library.collections", ["options": JSONValue(encoding: options)])
    }

    func changes(
        since token: ChangeToken?, from origins: Set<ChangeOrigin>?, waits: Bool
    ) async throws -> ChangeHistory {
        try request(
            "library.changes",
            [
                "since": token.map(JSONValue.init(encoding:)),
                "origins": origins.map(JSONValue.init(encoding:)), "wait": .bool(waits),
            ])
    }

    func perform(_ changes: LibraryChanges) async throws -> Int {
        try request("library.perform", ["changes": JSONValue(encoding: changes)])
    }

    func verify(
        deep: Bool, progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) async throws -> LibraryVerification {
        try request("library.verify", ["deep": .bool(deep)]) { step in
            guard case .object(let values) = step, let done = values["done"]?.integerValue,
                let total = values["total"]?.integerValue
            else { return }
            progress(done, total)
        }
    }

    func stagingFolder() async throws -> StagingFolder { try request("library.folder") }

    func take(_ file: StagedFile) async throws -> ImportOutcome {
        try request("library.take", ["file": JSONValue(encoding: file)])
    }

    func repair(_ findings: [LibraryFinding]) async throws -> [RepairOutcome] {
        try request("library.repair", ["findings": JSONValue(encoding: findings)])
    }

    func takeSnapshot() async throws -> LibrarySnapshot? { try request("library.snapshot") }

    func snapshots() async throws -> [LibrarySnapshot] { try request("library.snapshots") }

    /// As ``AssetLibrary/salvage(at:)``.
    func salvage() async throws -> SalvageReport? { try request("library.salvage") }

    /// What goes by the appliance's configuration; applied or not.
    func retention(apply: Bool) async throws -> RetentionReport {
        try request("library.retention", ["apply": .bool(apply)])
    }

    private func request<Value: Decodable>(
        _ verb: String, _ arguments: [String: JSONValue?] = [:],
        progress: (JSONValue) -> Void = { _ in }
    ) throws -> Value {
        do {
            return try client.request(
                verb, arguments.compactMapValues(\.self), progress: progress)
        } catch let error as CommandError {
            throw error.libraryError ?? error
        }
    }
}
