// SPDX-License-Identifier: GPL-3.0-or-later

internal import CDRM
public import LinuxIO

/// The properties of one commit, kept in arrays that are reused: after the first few commits building
/// a request allocates nothing.
public struct AtomicRequest: ~Copyable {
    /// How a commit is made.
    public struct Options: OptionSet, Sendable {
        /// `DRM_MODE_ATOMIC_*` and `DRM_MODE_PAGE_FLIP_*` of drm_mode.h.
        public let rawValue: UInt32
        /// The kernel refuses flags that it does not know, or that contradict each other: `EINVAL`.
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        /// Only ask whether it would work.
        public static var testOnly: Options { Options(rawValue: cdrm_test_only) }
        /// Return before it is on screen.
        public static var nonBlocking: Options { Options(rawValue: cdrm_nonblock) }
        /// The update may take long and be seen happening, as that of a mode; without it the kernel
        /// refuses such a one with `EINVAL`.
        public static var allowModeset: Options { Options(rawValue: cdrm_allow_modeset) }
        /// A flip can be read when it is on screen.
        public static var pageFlipEvent: Options { Options(rawValue: cdrm_flip_event) }
        /// How frames are shown: at the next refresh, without waiting for it.
        public static var flip: Options { [.nonBlocking, .pageFlipEvent] }
    }

    private var objects: [UInt32] = []
    private var counts: [UInt32] = []
    private var properties: [UInt32] = []
    private var values: [UInt64] = []

    /// Of no property.
    public init() {}

    /// Forgets the properties, keeps the memory.
    public mutating func clear() {
        objects.removeAll(keepingCapacity: true)
        counts.removeAll(keepingCapacity: true)
        properties.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
    }

    /// Adds one property. Those of one object must follow each other.
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

    /// Makes it a request for one property: most follow one that was for the same.
    mutating func replace(with object: UInt32, _ property: UInt32, _ value: UInt64) {
        if properties.count == 1, properties[0] == property, objects[0] == object {
            values[0] = value
        } else {
            clear()
            set(object, property, value)
        }
    }

    /// Adds a property that the object may not have; says whether it has.
    @discardableResult
    mutating func set(
        _ object: UInt32, _ all: [String: ObjectProperty], _ name: String, _ value: UInt64
    ) -> Bool {
        guard let property = all[name] else { return false }
        set(object, property.identifier, value)
        return true
    }

    /// Hands the request to the kernel. Corresponds to `DRM_IOCTL_MODE_ATOMIC`.
    ///
    /// - Throws: `EBUSY` while an earlier non-blocking commit is under way, `EINVAL` or `ERANGE` when
    ///   the hardware cannot do it, `EACCES` when this program is not master.
    public func commit(_ card: Card, _ options: Options) throws(SystemCallError) {
        let number = card.number
        let count = UInt32(objects.count)
        try systemCall("DRM_IOCTL_MODE_ATOMIC", card.path) {
            unsafe cdrm_atomic(
                number, options.rawValue, count, objects, counts, properties, values)
        }
    }
}
