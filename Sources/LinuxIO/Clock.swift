// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Synchronization

/// The kernel's clocks in nanoseconds. Reading one needs no system call (vdso(7)).
public enum Clock {
    /// `CLOCK_MONOTONIC`, the clock of V4L2 and GPIO timestamps. It stops during suspend.
    public static var monotonic: Int64 { clinux_monotonic_ns() }
    /// `CLOCK_BOOTTIME`: the time since boot, including suspend.
    public static var boot: Int64 { clinux_boottime_ns() }
    /// `CLOCK_REALTIME`: wall time since 1970. It may jump.
    public static var wall: Int64 { clinux_realtime_ns() }

    /// Whether the kernel says that the wall clock is kept right, for example by NTP (adjtimex(2)).
    public static var isSynchronized: Bool { clinux_clock_synchronized() != 0 }

    /// Whether a clock keeps running while the machine is off. That is a clock with a kernel driver
    /// (rtc(4)) whose time is not in the past, as it would be without a battery. Once true, the
    /// answer stays true.
    public static var hasHardwareClock: Bool {
        if hasSeenHardwareClock.load(ordering: .relaxed) { return true }
        let isThere = hasHardwareClock(in: "/sys/class/rtc")
        hasSeenHardwareClock.store(isThere, ordering: .relaxed)
        return isThere
    }
    private static let hasSeenHardwareClock = Atomic<Bool>(false)

    package static func hasHardwareClock(in directory: String) -> Bool {
        let names = (try? FileTree.names(in: directory)) ?? []
        return names.contains { name in
            guard name.hasPrefix("rtc") else { return false }
            // Some kernels do not report the clock's time.
            guard let text = try? readSmallFile("\(directory)/\(name)/since_epoch") else {
                return true
            }
            return (Int64(text.filter { $0 != "\n" }) ?? 0) > secondsOfThisProgram
        }
    }
    /// 2026-01-01 in seconds since 1970; Vitrine did not exist before.
    private static let secondsOfThisProgram: Int64 = 1_767_225_600

    /// Returns the seconds that local time is ahead of UTC at a wall time in nanoseconds.
    public static func utcOffset(at wall: Int64) -> Int {
        Int(clinux_utc_offset(wall / 1_000_000_000))
    }

    /// The seconds since local midnight; `nil` while the wall clock may be wrong.
    public static var secondOfDay: Int64? {
        guard isSynchronized || hasHardwareClock else { return nil }
        let wall = wall
        return (wall / 1_000_000_000 + Int64(utcOffset(at: wall))) % 86_400
    }

    /// The identity of this boot, from `/proc/sys/kernel/random/boot_id`.
    public static let bootIdentifier: String = {
        let text = (try? readSmallFile("/proc/sys/kernel/random/boot_id")) ?? ""
        return text.filter { $0 != "\n" }
    }()
}
