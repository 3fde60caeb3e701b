// SPDX-License-Identifier: GPL-3.0-or-later

package import CommandProtocol
package import Verbs
package import FoundationEssentials
package import Library
internal import LibraryService
internal import LinuxIO
package import Media
internal import Synchronization

/// The library that the running appliance has open. Its methods block the calling thread.
package struct RemoteLibrary: AssetEditor {
    private let client: ControlClient
    private let open = OpenFiles()

    private final class OpenFiles: Sendable {
        let files = Mutex<[UUID: PassedFile]>([:])
    }

    package init(_ client: ControlClient) { self.client = client }

    package func access() throws -> LibraryAccessReport { try request("library.access") }

    package func statistics() async throws -> LibraryStatistics {
        try request("library.statistics")
    }

    package func page(
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

    package func countOfAssets(
        in collection: AssetCollection.Identifier?, _ options: FetchOptions
    ) async throws -> Int {
        try request(
            "library.count",
            [
                "options": JSONValue(encoding: options),
                "collection": collection.map(JSONValue.init(encoding:)),
            ])
    }

    package func resource(id: String) async throws -> AssetResource {
        try request("library.show", ["id": .string(id)])
    }

    package func collections(_ options: CollectionFetchOptions) async throws -> [AssetCollection] {
        try request("library.collections", ["options": JSONValue(encoding: options)])
    }

    package func changes(
        since token: ChangeToken?, from origins: Set<ChangeOrigin>?, waits: Bool
    ) async throws -> ChangeHistory {
        try request(
            "library.changes",
            [
                "since": token.map(JSONValue.init(encoding:)),
                "origins": origins.map(JSONValue.init(encoding:)), "wait": .bool(waits),
            ])
    }

    package func perform(_ changes: LibraryChanges) async throws -> Int {
        try request("library.perform", ["changes": JSONValue(encoding: changes)])
    }

    package func verify(
        deep: Bool, progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) async throws -> LibraryVerification {
        try request("library.verify", ["deep": .bool(deep)]) { step in
            guard case .object(let values) = step, let done = values["done"]?.integerValue,
                let total = values["total"]?.integerValue
            else { return }
            progress(done, total)
        }
    }

    package func stagingFolder() async throws -> StagingFolder { try request("library.folder") }

    /// Returns a picture as a JPEG file, like ``ImageManager/jpeg(of:as:size:contentMode:)``.
    package func picture(
        _ id: String, as kind: AssetRepresentation.Kind?, size: Dimensions?, fills: Bool
    ) async throws -> [UInt8] {
        // JSON carries data as Base64.
        let jpeg: Data = try request(
            "library.picture",
            [
                "id": .string(id), "representation": (kind?.rawValue).map(JSONValue.string),
                "size": size.map { .string("\($0)") }, "fill": .bool(fills),
            ])
        return Array(jpeg)
    }

    package func holder(ofContent sha256: String) async throws -> ImportOutcome? {
        try request("library.holder", ["sha256": .string(sha256)])
    }

    package func importFile(_ file: StagedFile) async throws -> ImportOutcome {
        try hand(file.id, "library.take", ["file": JSONValue(encoding: file)])
    }

    /// Copies the file into the staging folder. If the caller has no permission for that, keeps the
    /// file open for the appliance to copy.
    package func stage(
        _ path: String, as id: UUID, in folder: StagingFolder
    ) async throws -> StagedCopy {
        do {
            return StagedCopy(sha256: try folder.copy(path, as: id), path: folder.path(of: id))
        } catch let error as LibraryError where [.permission, .readOnly].contains(error.code) {
            let file = try PassedFile(path)
            let copy = StagedCopy(sha256: try StagingFolder.sha256(of: path), path: path)
            open.files.withLock { $0[id] = file }
            return copy
        }
    }

    package func discard(_ id: UUID, from folder: StagingFolder) {
        if open.files.withLock({ $0.removeValue(forKey: id) }) == nil { folder.discard(id) }
    }

    private func hand<Value: Decodable>(
        _ id: UUID, _ verb: String, _ arguments: [String: JSONValue]
    ) throws -> Value {
        guard let file = open.files.withLock({ $0.removeValue(forKey: id) }) else {
            return try request(verb, arguments)
        }
        return try request(
            verb, arguments.merging(["handedOver": .bool(true)]) { $1 },
            passing: [file].compactMap(\.self))
    }

    package func hasAlternate(_ sha256: String, of asset: UUID) async throws -> Bool {
        try request(
            "library.hasAlternate",
            ["sha256": .string(sha256), "asset": .string(asset.uuidString)])
    }

    package func attach(_ file: StagedAlternate, to asset: UUID) async throws -> Bool {
        try hand(
            file.id, "library.attach",
            ["file": JSONValue(encoding: file), "asset": .string(asset.uuidString)])
    }

    /// The most findings in one request, far below the size limit.
    private static let findingsAtOnce = 500

    package func repair(_ findings: [LibraryFinding]) async throws -> [RepairOutcome] {
        var outcomes: [RepairOutcome] = []
        for start in stride(from: 0, to: findings.count, by: Self.findingsAtOnce) {
            let some = Array(findings[start..<min(start + Self.findingsAtOnce, findings.count)])
            outcomes +=
                try request(
                    "library.repair", ["findings": JSONValue(encoding: some)]) as [RepairOutcome]
        }
        return outcomes
    }

    package func takeSnapshot() async throws -> LibrarySnapshot? { try request("library.snapshot") }

    package func snapshots() async throws -> [LibrarySnapshot] { try request("library.snapshots") }

    /// Replaces a damaged database, like ``AssetLibrary/salvage(at:)``.
    package func salvage() async throws -> SalvageReport? { try request("library.salvage") }

    /// Returns what the appliance's retention rules remove, and removes it if `apply` is true.
    package func retention(apply: Bool) async throws -> RetentionReport {
        try request("library.retention", ["apply": .bool(apply)])
    }

    private func request<Value: Decodable>(
        _ verb: String, _ arguments: [String: JSONValue?] = [:], passing files: [PassedFile] = [],
        progress: (JSONValue) -> Void = { _ in }
    ) throws -> Value {
        do {
            return try client.request(
                verb, arguments.compactMapValues(\.self), passing: files, progress: progress)
        } catch let error as CommandError {
            throw error.libraryError ?? error
        }
    }
}

extension RemoteLibrary: SyncLedger {
    package func beginSync(with remote: SyncRemote, renditions: Bool) async throws {
        let _: JSONValue = try request(
            "sync.begin",
            ["remote": JSONValue(encoding: remote), "renditions": .bool(renditions)])
    }

    package func nextObjects(
        for remote: SyncRemote, limit: Int
    ) async throws -> [SyncObject] {
        try request(
            "sync.next",
            ["remote": JSONValue(encoding: remote), "limit": .integer(Int64(limit))])
    }

    package func record(_ reports: [SyncReport], for remote: SyncRemote) async throws {
        let _: JSONValue = try request(
            "sync.record",
            ["remote": JSONValue(encoding: remote), "reports": JSONValue(encoding: reports)])
    }

    package func retryFailed(for remote: SyncRemote) async throws {
        let _: JSONValue = try request("sync.retry", ["remote": JSONValue(encoding: remote)])
    }

    package func syncEntries(
        of remote: SyncRemote, after key: String, limit: Int
    ) async throws -> [SyncEntry] {
        try request(
            "sync.entries",
            [
                "remote": JSONValue(encoding: remote), "after": .string(key),
                "limit": .integer(Int64(limit)),
            ])
    }

    package func syncProgress(of remote: SyncRemote) async throws -> SyncProgress {
        try request("sync.progress", ["remote": JSONValue(encoding: remote)])
    }

    package func endSync() async throws { let _: JSONValue = try request("sync.end") }

    package func returningObjects(
        of id: String, at remote: SyncRemote
    ) async throws -> SyncReturn {
        try request(
            "sync.returning", ["id": .string(id), "remote": JSONValue(encoding: remote)])
    }

    package func putBack(_ path: String, sha256: String, of asset: UUID) async throws {
        let _: JSONValue = try request(
            "sync.putBack", ["sha256": .string(sha256), "asset": .string(asset.text)],
            passing: [try PassedFile(path)])
    }

    package func setSyncPaused(_ isPaused: Bool, of remote: SyncRemote) async throws {
        let _: JSONValue = try request(
            "sync.pause", ["remote": JSONValue(encoding: remote), "paused": .bool(isPaused)])
    }
}

extension RemoteLibrary: SyncAppliance {
    package func exchange(
        _ report: SyncServiceReport, knowing revision: Int64
    ) async throws -> SyncOrders {
        try request(
            "sync.exchange",
            ["report": JSONValue(encoding: report), "revision": .integer(revision)])
    }

    package func returned(_ asset: String, _ failure: SyncFailure?) async throws {
        let _: JSONValue = try request(
            "sync.returned",
            ["asset": .string(asset), "failure": failure.map(JSONValue.init(encoding:))])
    }

    /// Lets the service bring the original of an asset back, and waits for it.
    func fetch(_ id: String) throws -> Int64 { try request("sync.fetch", ["id": .string(id)]) }

    /// Returns the last report of the sync service.
    func syncService() throws -> SyncServiceReport { try request("sync.service") }

    /// Lets the service send now, and waits until it has.
    func runSync(progress: (SyncSummary) -> Void) async throws -> SyncSummary {
        let number: Int = try request("sync.run")
        while true {
            let report = try syncService()
            guard report.isThere else {
                throw CommandError(
                    "sync.stopped", "the service vitrine-sync has stopped",
                    next: "See why: journalctl -u vitrine-sync", exit: .unavailable)
            }
            if report.metRequests >= number {
                var summary = report.run
                summary.failure = summary.failure ?? report.failure
                return summary
            }
            progress(report.run)
            try await Task.sleep(for: .milliseconds(300))
        }
    }
}

extension SyncServiceReport {
    /// Whether a service is there that has a remote.
    var isThere: Bool { ![.off, .stopped].contains(state) }
}
