// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Kiosk
internal import Library
internal import Synchronization

/// The shots that somebody waits for, with their frames.
final class WantedShots: Sendable {
    private let frames = Mutex<[ShotIdentifier: Photographer.Order.Frames]>([:])

    func begin(_ order: Photographer.Order) {
        frames.withLock { $0[order.shot] = order.frames }
    }

    func contains(_ shot: ShotIdentifier) -> Bool { frames.withLock { $0[shot] != nil } }

    func abandon(_ shot: ShotIdentifier) -> Photographer.Order.Frames? {
        frames.withLock { $0.removeValue(forKey: shot) }
    }

    /// Ends the waiting; returns whether somebody still waited for the shot.
    func end(_ shot: ShotIdentifier) -> Bool { abandon(shot) != nil }
}

/// The newest saved assets, so that a caller that waits for one need not ask the library.
final class NewestAssets: Sendable {
    private static let most = 8
    private let assets = Mutex<[Asset]>([])

    func add(_ asset: Asset) {
        assets.withLock { assets in
            assets.append(asset)
            if assets.count > Self.most { assets.removeFirst() }
        }
    }

    func asset(_ id: String) -> Asset? {
        assets.withLock { $0.last { $0.id.uuidString == id } }
    }
}
