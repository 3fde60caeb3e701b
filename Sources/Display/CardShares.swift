// SPDX-License-Identifier: GPL-3.0-or-later

package import DRM
internal import LinuxIO
internal import Synchronization

/// What each of several displays has of a card that they share: the kernel gives the right to set modes to one open
/// file, which leases every display its connector, CRTC and planes.
///
/// Any thread; finding displays waits for others that are being found.
public final class CardShares: Sendable {
    /// A display's part of a card.
    struct Share: Sendable {
        let lease: Lease
        let objects: Set<UInt32>
    }

    fileprivate struct Owner: Sendable {
        let card: Card
        var shares: [Share] = []
    }

    /// By their paths; each has a share.
    private let owners = Mutex<[String: Owner]>([:])

    /// Nothing is shared yet.
    public init() {}

    /// Finds a display that nobody else has a share of.
    ///
    /// - Throws: as ``KMSDevice/find(_:among:open:isTaken:)``; `notPermitted` when another program holds the screen.
    func take(
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
                // By the lease's own numbers: what `possible_crtcs` refers to is another list there.
                guard let connector = card.connector(found.connector.identifier),
                    let crtc = try card.crtcs().first(where: {
                        $0.identifier == found.crtc.identifier
                    })
                else { throw DisplayError(.failed, "\(found.connector.name) has gone") }
                owners[path] = owner
                return (share, connector, crtc)
            } catch let error as DisplayError {
                throw error
            } catch {
                throw DisplayError(
                    .failed, "\(found.connector.name) cannot be had beside the other display",
                    underlying: error)
            }
        }
    }

    /// Takes a share back, whoever still holds pictures of it; with a card's last one another program may have it.
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
