// SPDX-License-Identifier: GPL-3.0-or-later

internal import CDRM
public import LinuxIO

/// The state of a screen before this program took it, to be restored when it ends.
public struct ScreenState: ~Copyable {
    private let request: AtomicRequest
    private let crtc: CRTC
    /// The mode's timing. Its property blob may be gone by the time it is restored.
    private let mode: DisplayMode?

    /// Records the current state of the CRTC, its planes and the connector.
    public init(of crtc: CRTC, _ connector: Connector, planes: [Plane], card: Card) {
        var request = AtomicRequest()
        let planeNames = [
            "FB_ID", "CRTC_ID", "SRC_X", "SRC_Y", "SRC_W", "SRC_H", "CRTC_X", "CRTC_Y", "CRTC_W",
            "CRTC_H", "rotation", "COLOR_ENCODING", "COLOR_RANGE",
        ]
        request.note(connector.identifier, connector.properties, ["CRTC_ID"])
        for plane in planes { request.note(plane.identifier, plane.properties, planeNames) }
        self.request = request
        self.crtc = crtc
        mode = Self.currentMode(crtc, card)
    }

    private static func currentMode(_ crtc: CRTC, _ card: Card) -> DisplayMode? {
        guard let raw = unsafe drmModeGetCrtc(card.number, crtc.identifier) else { return nil }
        defer { unsafe drmModeFreeCrtc(raw) }
        return unsafe raw.pointee.mode_valid != 0 ? DisplayMode(raw.pointee.mode) : nil
    }

    /// Restores the recorded state, once. Throws if its picture is gone: then turn the screen off.
    public consuming func restore(_ card: Card) throws(SystemCallError) {
        var request = request
        let blob: PropertyBlob? =
            if let mode { try PropertyBlob(card, mode: mode) } else { nil }
        let identifier = UInt64(blob?.identifier ?? 0)
        request.set(crtc.identifier, crtc.properties, "MODE_ID", identifier)
        request.set(crtc.identifier, crtc.properties, "ACTIVE", mode == nil ? 0 : 1)
        try request.commit(card, .allowModeset)
    }
}

extension AtomicRequest {
    /// Adds properties to be set to their present values, if the object has them.
    fileprivate mutating func note(
        _ object: UInt32, _ properties: [String: ObjectProperty], _ names: [String]
    ) {
        for name in names {
            guard let property = properties[name] else { continue }
            set(object, property.identifier, property.value)
        }
    }
}
