// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials

/// A source from which assets are read: an open library, or a process that has one open.
public protocol AssetSource {
    /// Returns how much the library holds.
    func statistics() async throws -> LibraryStatistics
    /// Returns one page of a fetch. See ``AssetLibrary/page(in:_:after:limit:)``.
    func page(
        in collection: AssetCollection.Identifier?, _ options: FetchOptions,
        after cursor: FetchCursor?, limit: Int
    ) async throws -> AssetPage
    /// Returns how many assets a fetch would find now.
    func countOfAssets(
        in collection: AssetCollection.Identifier?, _ options: FetchOptions
    ) async throws -> Int
    /// Returns the asset that `id` names. See ``AssetLibrary/asset(id:)``.
    /// - Throws: ``LibraryError`` `notFound` or `ambiguous`.
    func resource(id: String) async throws -> AssetResource
    /// Returns all collections that a fetch would find now.
    func collections(_ options: CollectionFetchOptions) async throws -> [AssetCollection]
    /// Returns the changes since `token`; if it is `nil`, no changes and the current token.
    /// - Parameter waits: Whether to wait for a change. The call then takes at least a quarter of a
    ///   second. If nothing changes for too long, it returns no changes, and the caller asks again.
    /// - Throws: ``LibraryError`` `expired`. See ``AssetLibrary/changes(since:from:)``.
    func changes(
        since token: ChangeToken?, from origins: Set<ChangeOrigin>?, waits: Bool
    ) async throws -> ChangeHistory
    /// Checks the whole library. See ``AssetLibrary/verify(deep:progress:)``.
    func verify(
        deep: Bool, progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) async throws -> LibraryVerification
}

/// An ``AssetSource`` that can also change assets.
public protocol AssetEditor: AssetSource {
    /// Makes all these changes or none, with a person as their origin. Returns the number of assets
    /// and collections that changed.
    /// - Throws: ``LibraryError``. See ``AssetLibrary/performChanges(from:_:)``.
    func perform(_ changes: LibraryChanges) async throws -> Int
    /// Returns the folder for files to be imported.
    func stagingFolder() async throws -> StagingFolder
    /// Prepares a file for ``importFile(_:)`` or ``attach(_:to:)``, with the caller's rights:
    /// copies it to the folder, or keeps it open to pass its descriptor on.
    func stage(_ path: String, as id: UUID, in folder: StagingFolder) async throws -> StagedCopy
    /// Discards a staged file that is not imported.
    func discard(_ id: UUID, from folder: StagingFolder)
    /// Returns the asset that already has this content. See ``AssetLibrary/holder(ofContent:)``.
    func holder(ofContent sha256: String) async throws -> ImportOutcome?
    /// Makes an asset of a file in the ``stagingFolder()``. See ``AssetLibrary/importFile(_:)``.
    func importFile(_ file: StagedFile) async throws -> ImportOutcome
    /// Returns whether a photo has this RAW. See ``AssetLibrary/hasAlternate(_:of:)``.
    func hasAlternate(_ sha256: String, of asset: UUID) async throws -> Bool
    /// Puts a RAW from the ``stagingFolder()`` beside a photo. See ``AssetLibrary/attach(_:to:)``.
    func attach(_ file: StagedAlternate, to asset: UUID) async throws -> Bool
    /// Applies the repair of each finding. See ``AssetLibrary/repair(_:)``.
    func repair(_ findings: [LibraryFinding]) async throws -> [RepairOutcome]
}

extension AssetEditor {
    /// Copies the file to the folder, which the caller must be able to write.
    public func stage(
        _ path: String, as id: UUID, in folder: StagingFolder
    ) async throws -> StagedCopy {
        StagedCopy(sha256: try folder.copy(path, as: id), path: folder.path(of: id))
    }

    /// Removes the copy.
    public func discard(_ id: UUID, from folder: StagingFolder) { folder.discard(id) }
}

extension AssetLibrary: AssetEditor {
    /// The longest wait for a change before an empty answer.
    private static let longestWait = Duration.seconds(20)

    /// Returns the asset that ``asset(id:)`` finds, with the path of its original.
    public nonisolated func resource(id: String) async throws(LibraryError) -> AssetResource {
        AssetResource(try await row(id: id), in: layout)
    }

    /// Makes the changes with a person as their origin. See ``perform(_:from:)``.
    public func perform(_ changes: LibraryChanges) async throws -> Int {
        try await perform(changes, from: .operator)
    }

    /// Returns all collections that ``fetchCollections(_:)`` finds.
    public nonisolated func collections(
        _ options: CollectionFetchOptions
    ) async throws(LibraryError) -> [AssetCollection] {
        try await reading { db in try options.collections(db) }
    }

    /// Returns changes like ``changes(since:from:)``; waits at most about 20 seconds for one.
    public nonisolated func changes(
        since token: ChangeToken?, from origins: Set<ChangeOrigin>?, waits: Bool
    ) async throws -> ChangeHistory {
        let earliest = ContinuousClock.now + ChangeObservers.interval
        // Subscribes before the first read, so that no change between the two is missed.
        let news = changeTokens(from: origins)
        let since = if let token { token } else { try await currentChangeToken() }
        let history = try await changes(since: since, from: origins)
        if !waits { return history }
        if history.isEmpty {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { for await _ in news { return } }
                group.addTask { try await Task.sleep(for: Self.longestWait) }
                try await group.next()
                group.cancelAll()
            }
        }
        try await Task.sleep(until: earliest)
        return try await changes(since: since, from: origins)
    }
}
