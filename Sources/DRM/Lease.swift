// SPDX-License-Identifier: GPL-3.0-or-later

internal import CDRM
internal import Glibc
public import LinuxIO

/// A connector with its CRTC and planes, open as a card of its own that sets modes beside its
/// lessor. Kernel documentation: gpu/drm-uapi, "DRM Display Resource Leasing".
public struct Lease: Sendable {
    /// A card that has only what is leased, and pictures of its own. It closes with its last owner;
    /// ``Card/revoke(_:)`` ends it earlier.
    public let card: Card
    /// The lessor's number for the lease.
    let identifier: UInt32
}

extension Card {
    /// Leases the right to set modes of these objects (`DRM_IOCTL_MODE_CREATE_LEASE`). Throws
    /// `EBUSY` if one of them is already leased, `EACCES` if this card is not master.
    public func lease(
        _ connector: Connector, _ crtc: CRTC, _ planes: [Plane]
    ) throws(SystemCallError) -> Lease {
        let objects = [connector.identifier, crtc.identifier] + planes.map(\.identifier)
        var identifier: UInt32 = 0
        let number = unsafe drmModeCreateLease(
            self.number, objects, CInt(objects.count), O_CLOEXEC | O_NONBLOCK, &identifier)
        // libdrm returns the negated error number.
        if number < 0 {
            throw SystemCallError(call: "DRM_IOCTL_MODE_CREATE_LEASE", code: -number, path: path)
        }
        return Lease(
            card: try Card(adopting: OwnedDescriptor(adopting: number), of: path),
            identifier: identifier)
    }

    /// Revokes a lease, once, even while others have it open (`DRM_IOCTL_MODE_REVOKE_LEASE`).
    public func revoke(_ lease: Lease) { _ = drmModeRevokeLease(number, lease.identifier) }
}

extension CRTC {
    /// Returns this CRTC's share of the planes, if each of the card's `count` CRTCs is to have
    /// some: the planes that no other CRTC can show, and an equal part of the others. `isTaken`
    /// tells whether another display has a plane.
    public func share(
        of planes: [Plane], amongst count: Int, isTaken: (Plane) -> Bool
    ) -> [Plane] {
        let own = self.planes(of: planes).filter { !isTaken($0) }
        let mask = 1 << UInt32(index) as UInt32
        return [Plane.Kind.primary, .overlay, .cursor].flatMap { kind in
            let able = own.filter { $0.kind == kind }
            let alone = able.filter { $0.possibleCRTCs == mask }
            let shared = able.filter { $0.possibleCRTCs != mask }
            let all = self.planes(of: planes).count { $0.kind == kind && $0.possibleCRTCs != mask }
            if kind == .primary, !alone.isEmpty { return alone }
            return alone + shared.prefix((all + count - 1) / max(count, 1))
        }
    }
}
