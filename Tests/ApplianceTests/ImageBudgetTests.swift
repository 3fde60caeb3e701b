// SPDX-License-Identifier: GPL-3.0-or-later

import Library
import LibraryService
import Settings
import Testing
import TestSupport

@Suite("Image budgets")
struct ImageBudgetTests {
    @Test("each budget comes from its own key of the configuration")
    func fromConfiguration() async throws {
        let folder = try TemporaryFolder()
        let settings = try Settings.parse(
            """
            [library]
            image_memory_mb = 3
            derived_mb = 5
            picture_memory_mb = 17
            retention_free_mb = 7
            """, fileName: "vitrine.toml")
        let library = try await AssetLibrary.open(at: folder.path(of: "library"))
        let budgets = ImageManager(library, settings.library, foreign: nil).budgets
        #expect(budgets.memory == 3 << 20 && budgets.disk == 5 << 20)
        #expect(budgets.picture == 17 << 20 && budgets.leastFree == 7 << 20)
        #expect(ImageManager(library, Settings().library, foreign: nil).budgets == ImageBudgets())
        await library.close()
    }
}
