// SPDX-License-Identifier: GPL-3.0-or-later

extension AssetLibrary {
    /// The number of changes after which the search index is updated if nobody searches before.
    private static let indexedTogether: Int64 = 200

    /// Brings the search index up to date in batches. A library of a million assets without an
    /// index takes a minute. Throws `closed`, `io`.
    package nonisolated func indexText() async throws(LibraryError) {
        while try await reading({ [search] db in try !search.advance(db) }) { await Task.yield() }
    }

    /// Keeps the search index up to date until the library is closed or released.
    nonisolated func followTextChanges() {
        let tokens = changeTokens()
        Task(priority: .utility) { [weak self] in
            // A command that opens the library only briefly leaves the work to others.
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
