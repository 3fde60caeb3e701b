// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// A moment by the wall clock and by the time since boot: the wall clock may jump, and the time
/// since boot ends with it.
package struct ContentMoment: Equatable, Sendable {
    /// Nanoseconds since 1970.
    package var wall: Int64
    /// Whether the wall clock was known to be right.
    package var isTrusted: Bool
    /// Nanoseconds since boot.
    package var boot: Int64
    /// The identity of the boot.
    package var bootIdentifier: String

    package init(wall: Int64, isTrusted: Bool, boot: Int64, bootIdentifier: String) {
        self.wall = wall
        self.isTrusted = isTrusted
        self.boot = boot
        self.bootIdentifier = bootIdentifier
    }

    /// The present moment.
    package static var now: ContentMoment {
        ContentMoment(
            wall: Clock.wall, isTrusted: Clock.isSynchronized || Clock.hasHardwareClock,
            boot: Clock.boot, bootIdentifier: Clock.bootIdentifier)
    }

    /// The seconds from `earlier` to this moment; `nil` if nobody can know them, because the
    /// machine was off in between and a clock was or is wrong.
    package func seconds(since earlier: ContentMoment) -> Double? {
        if bootIdentifier == earlier.bootIdentifier {
            return Double(max(0, boot - earlier.boot)) / 1e9
        }
        guard isTrusted, earlier.isTrusted, wall >= earlier.wall else { return nil }
        return Double(wall - earlier.wall) / 1e9
    }
}
