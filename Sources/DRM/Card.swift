// SPDX-License-Identifier: GPL-3.0-or-later

internal import CDRM
internal import Glibc
public import LinuxIO

/// A DRM/KMS card, opened for atomic modesetting. One thread at a time reads flips; all else may be
/// called from any thread. Kernel documentation: gpu/drm-kms, gpu/drm-uapi.
public final class Card: Sendable {
    /// The device file that was opened, for example `/dev/dri/card0`.
    public let path: String
    /// The kernel driver, for example "vc4" or "vkms".
    public let driver: String
    /// The descriptor, readable once a page flip has completed.
    public var number: CInt { descriptor.number }
    let descriptor: OwnedDescriptor

    /// Opens a card. Throws `ENODEV` if the card has no display hardware, `EOPNOTSUPP` if its
    /// driver does not support atomic modesetting.
    public convenience init(path: String) throws(SystemCallError) {
        try self.init(
            adopting: try OwnedDescriptor(open: path, flags: O_RDWR | O_NONBLOCK), of: path)
    }

    /// Adopts an open file of a card, or of a leased part of one; throws as ``init(path:)`` does.
    init(adopting descriptor: consuming OwnedDescriptor, of path: String) throws(SystemCallError) {
        let number = descriptor.number
        self.path = path
        driver = Self.driverName(number)
        guard let resources = unsafe drmModeGetResources(number) else {
            throw SystemCallError(call: "DRM_IOCTL_MODE_GETRESOURCES", code: errno, path: path)
        }
        let hasDisplay = unsafe resources.pointee.count_crtcs > 0
        unsafe drmModeFreeResources(resources)
        guard hasDisplay else {
            throw SystemCallError(call: "DRM_IOCTL_MODE_GETRESOURCES", code: ENODEV, path: path)
        }
        guard drmSetClientCap(number, cdrm_client_universal_planes, 1) == 0,
            drmSetClientCap(number, cdrm_client_atomic, 1) == 0
        else {
            throw SystemCallError(call: "DRM_CLIENT_CAP_ATOMIC", code: EOPNOTSUPP, path: path)
        }
        self.descriptor = descriptor
    }

    /// Returns the paths of all cards, in number order.
    public static func paths() -> [String] {
        (0..<16).map { "/dev/dri/card\($0)" }.filter { unsafe access($0, F_OK) == 0 }
    }

    private static func driverName(_ number: CInt) -> String {
        guard let version = unsafe drmGetVersion(number) else { return "" }
        defer { unsafe drmFreeVersion(version) }
        guard let name = unsafe version.pointee.name else { return "" }
        return unsafe String(cString: name)
    }

    /// Becomes master, which may set modes, unless another open file is (`DRM_IOCTL_SET_MASTER`).
    /// Throws `EBUSY` if another program holds the screen, `EACCES` without permission.
    public func becomeMaster() throws(SystemCallError) {
        if cdrm_is_master(number) != 0 { return }
        try systemCall("DRM_IOCTL_SET_MASTER", path) { cdrm_set_master(number) }
    }

    /// Gives up being master, so that others can take the screen (`DRM_IOCTL_DROP_MASTER`).
    public func dropMaster() { _ = cdrm_drop_master(number) }

    /// Returns the properties of a CRTC, connector or plane by name.
    func properties(of object: UInt32, _ type: UInt32) -> [String: ObjectProperty] {
        let room = 64
        let raw = unsafe [cdrm_property](unsafeUninitializedCapacity: room) { buffer, count in
            let found = unsafe cdrm_properties(
                number, object, type, buffer.baseAddress, CInt(room))
            count = max(0, Int(found))
        }
        var properties: [String: ObjectProperty] = [:]
        for property in raw {
            properties[text(property.name)] = ObjectProperty(
                identifier: property.id, value: property.value)
        }
        return properties
    }

    /// Returns the value of an enumeration property's entry; `nil` if there is no such entry.
    func enumValue(_ property: ObjectProperty, _ name: String) -> UInt64? {
        var value: UInt64 = 0
        return unsafe cdrm_enum_value(number, property.identifier, name, &value) == 0 ? value : nil
    }

    /// Reads all waiting events. Returns the time at which the newest commit reached the screen, in
    /// nanoseconds of `CLOCK_MONOTONIC`; `nil` if there is no event. Never blocks.
    public func readPageFlip() throws(SystemCallError) -> Int64? {
        var time: Int64 = 0
        let found = try systemCall("read", path) { unsafe cdrm_read_flip(number, &time) }
        return found > 0 ? time : nil
    }
}

/// A property with the value that an object had when it was read.
struct ObjectProperty: Sendable {
    let identifier: UInt32
    let value: UInt64
}
