// SPDX-License-Identifier: GPL-3.0-or-later

internal import CDRM
public import LinuxIO

/// A display controller, which turns planes into the signal of a connector.
public struct CRTC: Sendable {
    /// The kernel's number, to which `CRTC_ID` of planes and connectors refers.
    public let identifier: UInt32
    /// The index in the card's list, to which `possible_crtcs` masks refer.
    let index: Int
    let properties: [String: ObjectProperty]

    func isIn(_ mask: UInt32) -> Bool { mask & 1 << UInt32(index) != 0 }

    /// Returns the planes that this CRTC can show.
    public func planes(of all: [Plane]) -> [Plane] { all.filter { isIn($0.possibleCRTCs) } }

    /// Returns whether this CRTC can feed the connector.
    public func feeds(_ connector: Connector) -> Bool { isIn(connector.possibleCRTCs) }

    /// Whether the CRTC was active when it was read.
    public var isActive: Bool { properties["ACTIVE"]?.value == 1 }
}

extension Card {
    /// Returns all CRTCs with their current state.
    public func crtcs() throws(SystemCallError) -> [CRTC] {
        try resources().crtcs.enumerated().map { index, identifier in
            CRTC(
                identifier: identifier, index: index,
                properties: properties(of: identifier, cdrm_object_crtc))
        }
    }
}

/// A property blob, destroyed with this object. Used on the card's thread.
public final class PropertyBlob {
    let identifier: UInt32
    private let card: Card

    /// Creates a blob of a mode, for `MODE_ID`. Corresponds to `DRM_IOCTL_MODE_CREATEPROPBLOB`.
    public init(_ card: Card, mode: DisplayMode) throws(SystemCallError) {
        self.card = card
        var identifier: UInt32 = 0
        var raw = mode.raw
        let size = MemoryLayout<drmModeModeInfo>.size
        do throws(SystemCallError) {
            try systemCall("DRM_IOCTL_MODE_CREATEPROPBLOB", card.path) {
                unsafe drmModeCreatePropertyBlob(card.number, &raw, size, &identifier)
            }
        } catch {
            self.identifier = 0
            throw error
        }
        self.identifier = identifier
    }

    deinit {
        if identifier != 0 { _ = drmModeDestroyPropertyBlob(card.number, identifier) }
    }
}
