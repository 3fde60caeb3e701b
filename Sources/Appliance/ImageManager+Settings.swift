// SPDX-License-Identifier: GPL-3.0-or-later

public import Library
public import Settings

extension ImageManager {
    /// Within the configuration's budgets.
    public init(
        _ library: AssetLibrary, _ settings: LibrarySettings, foreign: (any ForeignPictures)?
    ) {
        self.init(
            library, memoryBudget: settings.imageMemoryMegabytes << 20,
            diskBudget: Int64(settings.derivedMegabytes) << 20,
            pictureMemory: settings.pictureMemoryMegabytes << 20,
            leastFreeBytes: Int64(settings.retentionFreeMegabytes) << 20, foreign: foreign)
    }
}
