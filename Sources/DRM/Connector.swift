// SPDX-License-Identifier: GPL-3.0-or-later

internal import CDRM
public import LinuxIO
public import Media

/// A connector for a monitor or panel.
public struct Connector: Sendable {
    /// The kernel's number, for ``Card/connector(_:probes:)``; unique only within a card.
    public let identifier: UInt32
    /// The kernel's name in sysfs, for example "HDMI-A-1".
    public let name: String
    /// Whether the probe found a monitor; `false` also if the driver cannot tell.
    public let isConnected: Bool
    /// The monitor's progressive modes, the preferred one first.
    public let modes: [DisplayMode]
    /// The CRTCs that can feed the connector, as bits of their indexes.
    let possibleCRTCs: UInt32
    let properties: [String: ObjectProperty]

    /// Returns whether this CRTC fed the connector when it was read.
    public func isFed(by crtc: CRTC) -> Bool {
        properties["CRTC_ID"]?.value == UInt64(crtc.identifier)
    }
}

/// A monitor's timing.
@safe
public struct DisplayMode: @unchecked Sendable, Equatable {
    // Sendable: a plain value of numbers and characters.
    /// The visible pixels of the signal, not turned.
    public let size: Dimensions
    /// Refreshes per second.
    public let refreshRate: Double
    /// Whether the monitor prefers this mode.
    public let isPreferred: Bool
    let raw: drmModeModeInfo

    init(_ raw: drmModeModeInfo) {
        size = Dimensions(width: Int(raw.hdisplay), height: Int(raw.vdisplay))
        let pixels = Double(raw.htotal) * Double(raw.vtotal)
        refreshRate = pixels > 0 ? Double(raw.clock) * 1000 / pixels : Double(raw.vrefresh)
        isPreferred = raw.type & UInt32(DRM_MODE_TYPE_PREFERRED) != 0
        self.raw = raw
    }

    /// The mode as text, for example "1920x1080@60".
    public var name: String { "\(size)@\(Int(refreshRate.rounded()))" }

    /// Returns whether both modes have the same timing, whatever their names.
    public static func == (one: DisplayMode, other: DisplayMode) -> Bool {
        one.timing == other.timing
    }

    private var timing: [UInt32] {
        let horizontal = [raw.hdisplay, raw.hsync_start, raw.hsync_end, raw.htotal, raw.hskew]
        let vertical = [raw.vdisplay, raw.vsync_start, raw.vsync_end, raw.vtotal, raw.vscan]
        return [raw.clock, raw.flags] + (horizontal + vertical).map(UInt32.init)
    }

    var isInterlaced: Bool { raw.flags & UInt32(DRM_MODE_FLAG_INTERLACE) != 0 }
}

extension Card {
    /// Returns all connectors except the writeback ones, with what is plugged in now
    /// (`DRM_IOCTL_MODE_GETCONNECTOR`). A probe of the hardware can take tens of milliseconds per
    /// connector. Only the connector `name` is probed, the others being as the kernel last saw
    /// them; `nil` probes all.
    public func connectors(probing name: String? = nil) throws(SystemCallError) -> [Connector] {
        try resources().connectors.compactMap { identifier in
            guard let name else { return connector(identifier) }
            let known = connector(identifier, probes: false)
            return known?.name == name ? connector(identifier) : known
        }
    }

    /// Returns one connector (`DRM_IOCTL_MODE_GETCONNECTOR`); `nil` for unknown numbers and
    /// writeback ones. `probes` asks the hardware; else the state is what the kernel last saw.
    public func connector(_ identifier: UInt32, probes: Bool = true) -> Connector? {
        let get = unsafe probes ? drmModeGetConnector : drmModeGetConnectorCurrent
        guard let raw = unsafe get(number, identifier) else { return nil }
        defer { unsafe drmModeFreeConnector(raw) }
        let connector = unsafe raw.pointee
        if unsafe connector.connector_type == cdrm_connector_writeback { return nil }
        let type = unsafe drmModeGetConnectorTypeName(connector.connector_type)
        let typeName = unsafe type.map { unsafe String(cString: $0) } ?? "Unknown"
        let modes = unsafe (0..<Int(connector.count_modes)).map {
            DisplayMode(unsafe connector.modes[$0])
        }
        var possible: UInt32 = 0
        for index in unsafe 0..<Int(connector.count_encoders) {
            guard let encoder = unsafe drmModeGetEncoder(number, connector.encoders[index])
            else { continue }
            possible |= unsafe encoder.pointee.possible_crtcs
            unsafe drmModeFreeEncoder(encoder)
        }
        return Connector(
            identifier: identifier,
            name: unsafe "\(typeName)-\(connector.connector_type_id)",
            isConnected: unsafe connector.connection.rawValue == UInt32(cdrm_connected),
            modes: modes.filter { !$0.isInterlaced }.stablySorted { $0.isPreferred },
            possibleCRTCs: possible,
            properties: properties(of: identifier, cdrm_object_connector))
    }

    func resources() throws(SystemCallError) -> (crtcs: [UInt32], connectors: [UInt32]) {
        guard let raw = unsafe drmModeGetResources(number) else {
            throw SystemCallError(
                call: "DRM_IOCTL_MODE_GETRESOURCES", code: lastError(), path: path)
        }
        defer { unsafe drmModeFreeResources(raw) }
        let resources = unsafe raw.pointee
        return unsafe (
            (0..<Int(resources.count_crtcs)).map { unsafe resources.crtcs[$0] },
            unsafe (0..<Int(resources.count_connectors)).map { unsafe resources.connectors[$0] }
        )
    }
}

extension Array {
    /// Returns the matching elements, then the others, each group in its order.
    fileprivate func stablySorted(first matches: (Element) -> Bool) -> [Element] {
        filter(matches) + filter { !matches($0) }
    }
}
