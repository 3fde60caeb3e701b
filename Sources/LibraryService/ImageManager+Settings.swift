// SPDX-License-Identifier: GPL-3.0-or-later

public import Library
public import Settings

extension ImageManager {
    /// Creates an image manager with the configured budgets.
    public init(
        _ library: AssetLibrary, _ settings: LibrarySettings, foreign: (any ForeignPictures)?,
        remote: (any RemoteOriginals)? = nil
    ) {
        var budgets = ImageBudgets()
        budgets.memory = settings.imageMemoryMegabytes << 20
        budgets.disk = Int64(settings.derivedMegabytes) << 20
        budgets.picture = settings.pictureMemoryMegabytes << 20
        budgets.leastFree = Int64(settings.retentionFreeMegabytes) << 20
        self.init(library, budgets, foreign: foreign, remote: remote)
    }
}
