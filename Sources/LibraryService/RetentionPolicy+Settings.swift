// SPDX-License-Identifier: GPL-3.0-or-later

public import Library
public import Settings

extension RetentionPolicy {
    /// The configured rules.
    package init(_ settings: LibrarySettings, _ sync: SyncSettings) {
        func given(_ number: Int) -> Int? { number > 0 ? number : nil }
        self.init(
            deletedDays: given(settings.deletedDays), mostDays: given(settings.retentionDays),
            mostAssets: given(settings.retentionAssets),
            leastFreeBytes: given(settings.retentionFreeMegabytes).map { Int64($0) << 20 },
            requiresSync: settings.requiresSync)
        remote = SyncRemote(sync)
    }
}
