// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials

/// Where assets are read: an open library, or a process that has one open.
public protocol AssetSource {
    /// How much there is.
    func statistics() async throws -> LibraryStatistics
    /// One page of a fetch, as ``AssetLibrary/page(in:_:after:limit:)``.
    func page(
        in collection: AssetCollection.Identifier?, _ options: FetchOptions,
        after cursor: FetchCursor?, limit: Int
    ) async throws -> AssetPage
    /// How many assets a fetch would find now.
    func countOfAssets(
        in collection: AssetCollection.Identifier?, _ options: FetchOptions
    ) async throws -> Int
    /// The asset that `id` names, as ``AssetLibrary/asset(id:)``.
    /// - Throws: ``LibraryError`` `notFound` or `ambiguous`.
    func resource(id: String) async throws -> AssetResource
    /// All collections that a fetch would find now.
    func collections(_ options: CollectionFetchOptions) async throws -> [AssetCollection]
    /// What happened since then; with `nil` nothing, and the token of now.
    ///
    /// - Parameter waits: Returns when something has happened, a quarter of a second after it was asked
    ///   at the soonest; with nothing when that takes too long for one answer: then ask again.
    /// - Throws: ``LibraryError`` `expired`, as ``AssetLibrary/changes(since:from:)``.
    func changes(
        since token: ChangeToken?, from origins: Set<ChangeOrigin>?, waits: Bool
    ) async throws -> ChangeHistory
    /// Looks through the whole library, as ``AssetLibrary/verify(deep:progress:)``.
    func verify(
        deep: Bool, progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) async throws -> LibraryVerification
}

/// Where assets are read and changed: an open library, or a process that has one open.
public protocol AssetEditor: AssetSource {
    /// Makes all these changes or none, as a person's; answers how many assets and collections are not as
    /// they were.
    /// - Throws: ``LibraryError``, as ``AssetLibrary/performChanges(from:_:)``.
    func perform(_ changes: LibraryChanges) async throws -> Int
    /// Where files are put that are to be imported.
    func stagingFolder() async throws -> StagingFolder
    /// Makes a file ready for ``take(_:)`` or ``attach(_:to:)``, with the caller's rights: copies it there, or keeps it
    /// open to be handed over.
    func stage(_ path: String, as id: UUID, in folder: StagingFolder) async throws -> StagedCopy
    /// Forgets what is not to be imported.
    func discard(_ id: UUID, from folder: StagingFolder)
    /// The asset that a file of this content would be, as ``AssetLibrary/holder(ofContent:)``.
    func holder(ofContent sha256: String) async throws -> ImportOutcome?
    /// Makes an asset of a file in the ``stagingFolder()``, as ``AssetLibrary/take(_:)``.
    func take(_ file: StagedFile) async throws -> ImportOutcome
    /// Whether a photo has this RAW, as ``AssetLibrary/hasAlternate(_:of:)``.
    func hasAlternate(_ sha256: String, of asset: UUID) async throws -> Bool
    /// Puts a RAW from the ``stagingFolder()`` beside a photo, as ``AssetLibrary/attach(_:to:)``.
    func attach(_ file: StagedAlternate, to asset: UUID) async throws -> Bool
    /// Does what each finding's repair says, as ``AssetLibrary/repair(_:)``.
    func repair(_ findings: [LibraryFinding]) async throws -> [RepairOutcome]
}

extension AssetEditor {
    /// Whoever may write there copies it.
    public func stage(
        _ path: String, as id: UUID, in folder: StagingFolder
    ) async throws -> StagedCopy {
        StagedCopy(sha256: try folder.copy(path, as: id), path: folder.path(of: id))
    }

    /// Takes the copy away.
    public func discard(_ id: UUID, from folder: StagingFolder) { folder.discard(id) }
}

extension AssetLibrary: AssetEditor {
    /// Longer than nobody has anything to say does an answer not take.
    private static let longestWait = Duration.seconds(20)

    /// As ``asset(id:)``, with where the original lies.
    public nonisolated func resource(id: String) async throws(LibraryError) -> AssetResource {
        AssetResource(try await row(id: id), in: layout)
    }

    /// As ``perform(_:from:)``, a person's.
    public func perform(_ changes: LibraryChanges) async throws -> Int {
        try await perform(changes, from: .operator)
    }

    /// As ``fetchCollections(_:)``, all at once.
    public nonisolated func collections(
        _ options: CollectionFetchOptions
    ) async throws(LibraryError) -> [AssetCollection] {
        try await reading { db in try options.collections(db) }
    }

    /// As ``changes(since:from:)``, with an end to the waiting of 20 seconds.
    public nonisolated func changes(
        since token: ChangeToken?, from origins: Set<ChangeOrigin>?, waits: Bool
    ) async throws -> ChangeHistory {
        let earliest = ContinuousClock.now + ChangeObservers.interval
        // Before looking: what happens in between is told.
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
