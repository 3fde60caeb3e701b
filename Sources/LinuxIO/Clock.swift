// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Synchronization

/// The kernel's clocks in nanoseconds. Read from user space without a system call (vdso(7)).
public enum Clock {
    /// `CLOCK_MONOTONIC`: the clock of V4L2 and GPIO timestamps; stands still in suspend.
    public static var monotonic: Int64 { clinux_monotonic_ns() }
    /// `CLOCK_BOOTTIME`: time since boot, suspend included.
    public static var boot: Int64 { clinux_boottime_ns() }
    /// `CLOCK_REALTIME`: wall time since 1970; may jump.
    public static var wall: Int64 { clinux_realtime_ns() }

    /// Whether something such as NTP keeps the wall clock right, as the kernel says (adjtimex(2)).
    public static var isSynchronized: Bool { clinux_clock_synchronized() != 0 }

    /// Whether a clock has run on while the machine was off: one that the kernel has a driver for (rtc(4)), and that does
    /// not stand in the past, as one without a battery does. One that was there once is not looked for again.
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
            // Some kernels do not say what it shows.
            guard let text = try? readSmallFile("\(directory)/\(name)/since_epoch") else {
                return true
            }
            return (Int64(text.filter { $0 != "\n" }) ?? 0) > secondsOfThisProgram
        }
    }
    /// 2026-01-01: before that there was no such program.
    private static let secondsOfThisProgram: Int64 = 1_767_225_600

    /// Seconds that local time is ahead of UTC at a wall time in nanoseconds.
    public static func utcOffset(at wall: Int64) -> Int {
        Int(clinux_utc_offset(wall / 1_000_000_000))
    }

    /// This boot's identity, from `/proc/sys/kernel/random/boot_id`.
    public static let bootIdentifier: String = {
        let text = (try? readSmallFile("/proc/sys/kernel/random/boot_id")) ?? ""
        return text.filter { $0 != "\n" }
    }()
}
