// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials

/// Who changed something, for readers that look only at others' changes.
public enum ChangeOrigin: String, Hashable, Sendable, Codable, CaseIterable {
    /// A photo or clip was taken.
    case capture
    /// Files were taken in.
    case `import`
    /// A remote was brought in step.
    case sync
    /// A person, at the screen or the command line.
    case `operator`
    /// Times were corrected when the clock became right.
    case clock
    /// What a crash left behind was put in order.
    case recovery
}

/// Changes that are made together or not at all (PHPhotoLibrary.performChanges' counterpart).
public struct LibraryChanges: Sendable {
    struct Step: Sendable {
        let change: AssetChange
        let assets: [UUID]
    }

    private(set) var steps: [Step] = []

    /// Nothing yet.
    public init() {}

    /// Changes these assets, after all that was asked for before.
    public mutating func change(_ assets: some Sequence<UUID>, _ change: AssetChange) {
        steps.append(Step(change: change, assets: Array(assets)))
    }

    /// Changes this asset, after all that was asked for before.
    public mutating func change(_ asset: Asset, _ change: AssetChange) {
        self.change([asset.id], change)
    }
}
