// SPDX-License-Identifier: GPL-3.0-or-later

package import DRM
internal import LinuxIO
internal import Synchronization

/// The division of cards among several displays. The kernel lets one open file of a card set modes;
/// that file leases each display its connector, CRTC and planes. Any thread may use it. Searches
/// for displays wait for each other.
public final class CardShares: Sendable {
    struct Share: Sendable {
        let lease: Lease
        let objects: Set<UInt32>
    }

    fileprivate struct Owner: Sendable {
        let card: Card
        var shares: [Share] = []
    }

    /// The cards by path. Each has at least one share.
    private let owners = Mutex<[String: Owner]>([:])

    /// Creates an empty set of shares.
    public init() {}

    /// Takes a share for a display that is not in use. Throws as
    /// ``KMSDevice/find(_:among:open:isTaken:)`` does; `notPermitted` if another program holds the
    /// screen; `failed` if the lease is refused.
    func lease(
        _ selection: KMSDevice.Selection
    ) throws(DisplayError) -> (share: Share, connector: Connector, crtc: CRTC) {
        try owners.withLock { owners throws(DisplayError) in
            let found = try KMSDevice.find(selection) { path throws(SystemCallError) in
                if let card = owners[path]?.card { return card }
                return try Card(path: path)
            } isTaken: { path, object in
                owners[path]?.shares.contains { $0.objects.contains(object) } ?? false
            }
            let path = found.card.path
            var owner = owners[path] ?? Owner(card: found.card)
            try KMSDevice.becomeMaster(owner.card)
            do {
                let share = try owner.share(found.connector, found.crtc)
                owner.shares.append(share)
                let card = share.lease.card
                // The lease lists CRTCs of its own, to which its `possible_crtcs` masks refer.
                guard let connector = card.connector(found.connector.identifier),
                    let crtc = try card.crtcs().first(where: {
                        $0.identifier == found.crtc.identifier
                    })
                else { throw DisplayError(.failed, "\(found.connector.name) has disappeared") }
                owners[path] = owner
                return (share, connector, crtc)
            } catch let error as DisplayError {
                throw error
            } catch {
                throw DisplayError(
                    .failed, "\(found.connector.name) cannot be used with the other display",
                    underlying: error)
            }
        }
    }

    /// Revokes a share, even if its pictures are still in use. Once a card's last share is
    /// released, another program may take the card.
    func release(_ share: Share) {
        owners.withLock { owners in
            let path = share.lease.card.path
            guard var owner = owners[path] else { return }
            owner.card.revoke(share.lease)
            owner.shares.removeAll { $0.lease.card === share.lease.card }
            owners[path] = owner.shares.isEmpty ? nil : owner
        }
    }
}

extension CardShares.Owner {
    fileprivate func share(
        _ connector: Connector, _ crtc: CRTC
    ) throws(SystemCallError) -> CardShares.Share {
        let planes = crtc.share(of: try card.planes(), amongst: try card.crtcs().count) { plane in
            shares.contains { $0.objects.contains(plane.identifier) }
        }
        let objects = [connector.identifier, crtc.identifier] + planes.map(\.identifier)
        return CardShares.Share(
            lease: try card.lease(connector, crtc, planes), objects: Set(objects))
    }
}
