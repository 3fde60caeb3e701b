// SPDX-License-Identifier: GPL-3.0-or-later

extension AssetLibrary {
    /// Changes after which the search index is brought up to date, if nothing is searched before.
    private static let indexedTogether: Int64 = 200

    /// Takes all that the search index misses into it, a batch at a time. A library of a million assets that has none
    /// takes a minute.
    /// - Throws: `closed`, `io`.
    package nonisolated func indexText() async throws(LibraryError) {
        while try await reading({ [search] db in try !search.advance(db) }) { await Task.yield() }
    }

    /// Keeps the search index up to date until the library is closed or gone.
    nonisolated func followTextChanges() {
        let tokens = changeTokens()
        Task(priority: .utility) { [weak self] in
            // A command that opens the library for a moment leaves the work to one that stays.
            try? await Task.sleep(for: .seconds(2))
            try? await self?.indexText()
            var indexed: Int64 = 0
            for await token in tokens where token.value - indexed >= Self.indexedTogether {
                guard let self, (try? await self.indexText()) != nil else { return }
                indexed = token.value
            }
        }
    }
}
