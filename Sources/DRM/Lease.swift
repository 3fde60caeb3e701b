// SPDX-License-Identifier: GPL-3.0-or-later

internal import CDRM
internal import Glibc
public import LinuxIO

/// A connector with what feeds it, as a card of its own that sets modes beside its lessor.
///
/// Kernel documentation: gpu/drm-uapi, "DRM Display Resource Leasing".
public struct Lease: Sendable {
    /// Has nothing but what is leased. Pictures of it are its own; ends with whoever holds it, or ``Card/revoke(_:)``.
    public let card: Card
    /// The kernel's number of it, of the lessor's.
    let identifier: UInt32
}

extension Card {
    /// Lets another have the right to set modes of these. Corresponds to `DRM_IOCTL_MODE_CREATE_LEASE`.
    ///
    /// - Throws: `EBUSY` where one of them is leased already, `EACCES` when this is not master.
    public func lease(
        _ connector: Connector, _ crtc: CRTC, _ planes: [Plane]
    ) throws(SystemCallError) -> Lease {
        let objects = [connector.identifier, crtc.identifier] + planes.map(\.identifier)
        var identifier: UInt32 = 0
        let number = unsafe drmModeCreateLease(
            self.number, objects, CInt(objects.count), O_CLOEXEC | O_NONBLOCK, &identifier)
        // libdrm returns the error's number, negated.
        if number < 0 {
            throw SystemCallError(call: "DRM_IOCTL_MODE_CREATE_LEASE", code: -number, path: path)
        }
        return Lease(
            card: try Card(adopting: OwnedDescriptor(adopting: number), of: path),
            identifier: identifier)
    }

    /// Takes back what was leased, whoever still has it open; once. Corresponds to `DRM_IOCTL_MODE_REVOKE_LEASE`.
    public func revoke(_ lease: Lease) { _ = drmModeRevokeLease(number, lease.identifier) }
}

extension CRTC {
    /// What a display may have of a card's planes where each CRTC is to have some: those that no other can show, and its
    /// part of the others.
    ///
    /// - Parameters:
    ///   - count: of the card's CRTCs.
    ///   - isTaken: whether a plane is another display's.
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
