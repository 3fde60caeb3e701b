// SPDX-License-Identifier: GPL-3.0-or-later

internal import CDRM
internal import Glibc
public import LinuxIO
public import Media

/// A layer of the display hardware.
public struct Plane: Sendable {
    /// The driver's purpose for a plane: the kernel's `DRM_PLANE_TYPE_*`, in the property `type`.
    public enum Kind: UInt64, Sendable {
        case overlay = 0
        case primary = 1
        case cursor = 2
    }
    /// The kernel's number; unique only within a card.
    public let identifier: UInt32
    /// The driver's purpose for the plane. ``Card/planes()`` omits planes without a known one.
    public let kind: Kind
    /// DRM fourcc codes.
    let formats: [UInt32]
    let possibleCRTCs: UInt32
    let properties: [String: ObjectProperty]
    /// The identifier of `FB_ID`, the property that each flip sets.
    let frameProperty: UInt32

    /// Returns whether the plane can scan out pictures of this format.
    public func scans(_ format: PixelFormat) -> Bool {
        format.drmCode.map(formats.contains) ?? false
    }

    /// Returns whether this CRTC was showing the plane when it was read.
    public func isShown(by crtc: CRTC) -> Bool {
        properties["CRTC_ID"]?.value == UInt64(crtc.identifier)
    }
}

extension Card {
    /// Returns all planes. Corresponds to `DRM_IOCTL_MODE_GETPLANE`.
    public func planes() throws(SystemCallError) -> [Plane] {
        guard let list = unsafe drmModeGetPlaneResources(number) else {
            throw SystemCallError(
                call: "DRM_IOCTL_MODE_GETPLANERESOURCES", code: lastError(), path: path)
        }
        defer { unsafe drmModeFreePlaneResources(list) }
        var planes: [Plane] = []
        for index in 0..<Int(unsafe list.pointee.count_planes) {
            guard let raw = unsafe drmModeGetPlane(number, list.pointee.planes[index]) else {
                continue
            }
            defer { unsafe drmModeFreePlane(raw) }
            let plane = unsafe raw.pointee
            let properties = unsafe properties(of: plane.plane_id, cdrm_object_plane)
            guard let kind = properties["type"].flatMap({ Plane.Kind(rawValue: $0.value) })
            else { continue }
            unsafe planes.append(
                Plane(
                    identifier: plane.plane_id, kind: kind,
                    formats: (0..<Int(plane.count_formats)).map { unsafe plane.formats[$0] },
                    possibleCRTCs: unsafe plane.possible_crtcs, properties: properties,
                    frameProperty: properties["FB_ID"]?.identifier ?? 0))
        }
        return planes
    }
}

extension PixelFormat {
    /// DRM's fourcc for the same bytes in memory (drm_fourcc.h); `nil` if there is none.
    var drmCode: UInt32? {
        let name: String
        switch self {
        case .xrgb, .argb, .nv12, .nv21, .nv16, .yuv420, .yvu420, .yuyv, .uyvy: return fourCC
        case .nv12Separate: return PixelFormat.nv12.fourCC
        case .rgb565: name = "RG16"
        case .bgr24: name = "RG24"
        case .rgb24: name = "BG24"
        case .yuv422: name = "YU16"
        case .grey: name = "R8"
        default: return nil
        }
        return PixelFormat(name)?.fourCC
    }
}

/// Returns `errno` as libdrm left it.
func lastError() -> CInt { errno }
