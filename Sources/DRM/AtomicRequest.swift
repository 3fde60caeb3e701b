// SPDX-License-Identifier: GPL-3.0-or-later

internal import CDRM
public import LinuxIO

/// The properties of one commit. Their arrays are reused, so that building a request allocates
/// nothing after the first few commits.
public struct AtomicRequest: ~Copyable {
    /// Options of a commit.
    public struct Options: OptionSet, Sendable {
        /// `DRM_MODE_ATOMIC_*` and `DRM_MODE_PAGE_FLIP_*` of drm_mode.h.
        public let rawValue: UInt32
        /// Creates options. The kernel refuses unknown and contradictory flags with `EINVAL`.
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        /// The kernel only checks whether the commit would work.
        public static var testOnly: Options { Options(rawValue: cdrm_test_only) }
        /// The call returns before the commit is on screen.
        public static var nonBlocking: Options { Options(rawValue: cdrm_nonblock) }
        /// The commit may take long and be visible, as a change of mode is. The kernel refuses such
        /// commits without this option (`EINVAL`).
        public static var allowModeset: Options { Options(rawValue: cdrm_allow_modeset) }
        /// A flip can be read once the commit is on screen.
        public static var pageFlipEvent: Options { Options(rawValue: cdrm_flip_event) }
        /// The options for frames: show at the next refresh, without waiting for it.
        public static var flip: Options { [.nonBlocking, .pageFlipEvent] }
    }

    private var objects: [UInt32] = []
    private var counts: [UInt32] = []
    private var properties: [UInt32] = []
    private var values: [UInt64] = []

    /// Creates an empty request.
    public init() {}

    /// Removes all properties but keeps their memory.
    public mutating func clear() {
        objects.removeAll(keepingCapacity: true)
        counts.removeAll(keepingCapacity: true)
        properties.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
    }

    /// Adds one property. The properties of an object must follow each other.
    mutating func set(_ object: UInt32, _ property: UInt32, _ value: UInt64) {
        if objects.last == object {
            counts[counts.count - 1] += 1
        } else {
            precondition(!objects.contains(object), "object \(object) appears twice")
            objects.append(object)
            counts.append(1)
        }
        properties.append(property)
        values.append(value)
    }

    /// Makes this a request for one property. If it was for the same one, only the value changes.
    mutating func replace(with object: UInt32, _ property: UInt32, _ value: UInt64) {
        if properties.count == 1, properties[0] == property, objects[0] == object {
            values[0] = value
        } else {
            clear()
            set(object, property, value)
        }
    }

    /// Adds a property if the object has it, and returns whether it does.
    @discardableResult
    mutating func set(
        _ object: UInt32, _ all: [String: ObjectProperty], _ name: String, _ value: UInt64
    ) -> Bool {
        guard let property = all[name] else { return false }
        set(object, property.identifier, value)
        return true
    }

    /// Hands the request to the kernel (`DRM_IOCTL_MODE_ATOMIC`). Throws `EBUSY` while an earlier
    /// non-blocking commit is pending, `EINVAL` or `ERANGE` if the hardware cannot do it, `EACCES`
    /// if this program is not master.
    public func commit(_ card: Card, _ options: Options) throws(SystemCallError) {
        let number = card.number
        let count = UInt32(objects.count)
        try systemCall("DRM_IOCTL_MODE_ATOMIC", card.path) {
            unsafe cdrm_atomic(
                number, options.rawValue, count, objects, counts, properties, values)
        }
    }
}
