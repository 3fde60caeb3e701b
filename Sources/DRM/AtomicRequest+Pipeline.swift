// SPDX-License-Identifier: GPL-3.0-or-later

internal import CDRM
public import Media

extension AtomicRequest {
    /// Turns the CRTC on with this mode, feeding the connector.
    public mutating func activate(_ crtc: CRTC, _ connector: Connector, _ mode: PropertyBlob) {
        set(connector.identifier, connector.properties, "CRTC_ID", UInt64(crtc.identifier))
        set(crtc.identifier, crtc.properties, "MODE_ID", UInt64(mode.identifier))
        set(crtc.identifier, crtc.properties, "ACTIVE", 1)
    }

    /// Turns off the CRTC's signal, so that the monitor goes to standby. Mode and connector stay.
    public mutating func standBy(_ crtc: CRTC) {
        set(crtc.identifier, crtc.properties, "ACTIVE", 0)
    }

    /// Detaches the connector from its CRTC and turns the CRTC off.
    public mutating func deactivate(_ crtc: CRTC, _ connector: Connector) {
        set(connector.identifier, connector.properties, "CRTC_ID", 0)
        set(crtc.identifier, crtc.properties, "ACTIVE", 0)
        set(crtc.identifier, crtc.properties, "MODE_ID", 0)
    }

    /// Shows `source` of the picture at `target` of the screen, turned and then mirrored. Scales if
    /// the plane can. Returns whether the plane has the properties that the orientation and the
    /// conversion from YUV to RGB need.
    @discardableResult
    public mutating func show(
        _ framebuffer: Framebuffer, on plane: Plane, of crtc: CRTC, card: Card,
        source: PixelRect, target: PixelRect, _ orientation: ExifOrientation = .upright
    ) -> Bool {
        let (id, all) = (plane.identifier, plane.properties)
        set(id, all, "FB_ID", UInt64(framebuffer.identifier))
        set(id, all, "CRTC_ID", UInt64(crtc.identifier))
        // Source coordinates are 16.16 fixed point. Target coordinates are signed whole numbers.
        set(id, all, "SRC_X", UInt64(source.x) << 16)
        set(id, all, "SRC_Y", UInt64(source.y) << 16)
        set(id, all, "SRC_W", UInt64(source.width) << 16)
        set(id, all, "SRC_H", UInt64(source.height) << 16)
        set(id, all, "CRTC_X", UInt64(bitPattern: Int64(target.x)))
        set(id, all, "CRTC_Y", UInt64(bitPattern: Int64(target.y)))
        set(id, all, "CRTC_W", UInt64(target.width))
        set(id, all, "CRTC_H", UInt64(target.height))
        let colors = setColor(framebuffer.description, plane, card)
        let rotates = set(id, all, "rotation", orientation.drmValue)
        return colors && (rotates || orientation == .upright)
    }

    /// Replaces only the picture of a plane on which ``show`` has placed one.
    public mutating func flip(_ plane: Plane, to framebuffer: Framebuffer) {
        set(plane.identifier, plane.frameProperty, UInt64(framebuffer.identifier))
    }

    /// Makes this a request for nothing but ``flip(_:to:)``.
    public mutating func onlyFlip(_ plane: Plane, to framebuffer: Framebuffer) {
        replace(
            with: plane.identifier, plane.frameProperty, UInt64(framebuffer.identifier))
    }

    /// Hides the plane.
    public mutating func hide(_ plane: Plane) {
        set(plane.identifier, plane.properties, "FB_ID", 0)
        set(plane.identifier, plane.properties, "CRTC_ID", 0)
    }

    /// Sets the conversion from YUV to RGB; the driver's default seldom fits the camera. Returns
    /// whether the plane has these colours. Grey has no matrix, and no driver has a range for it.
    private mutating func setColor(
        _ description: FrameDescription, _ plane: Plane, _ card: Card
    ) -> Bool {
        guard description.pixelFormat.isYUV, description.pixelFormat != .grey else { return true }
        let encoding =
            switch description.color.matrix {
            case .bt601: "ITU-R BT.601 YCbCr"
            case .bt709: "ITU-R BT.709 YCbCr"
            case .bt2020: "ITU-R BT.2020 YCbCr"
            }
        let range =
            description.color.range == .full ? "YCbCr full range" : "YCbCr limited range"
        for (name, entry) in [("COLOR_ENCODING", encoding), ("COLOR_RANGE", range)] {
            guard let property = plane.properties[name],
                let value = card.enumValue(property, entry)
            else { return false }
            set(plane.identifier, property.identifier, value)
        }
        return true
    }
}

extension ExifOrientation {
    /// The kernel mirrors first and counts counter-clockwise.
    fileprivate var drmValue: UInt64 {
        let turn =
            switch isMirrored ? rotation.inverse : rotation {
            case .none: cdrm_rotate_0
            case .quarter: cdrm_rotate_270
            case .half: cdrm_rotate_180
            case .threeQuarters: cdrm_rotate_90
            }
        return turn | (isMirrored ? cdrm_reflect_x : 0)
    }
}
