// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux

/// How the C library's allocator treats a process that runs for years.
public enum MemoryPolicy {
    /// Larger pieces, such as pictures, are mapped and go back to the system when they are freed.
    private static let mappedFrom: CInt = 128 * 1024
    private static let arenas: CInt = 2

    /// Keeps what is freed from staying with the process in pieces: by default each thread that comes and
    /// goes leaves an arena behind, and the first picture that is freed makes the allocator keep all
    /// later ones. To be called once, first of all. Corresponds to mallopt(3).
    public static func preferSteady() {
        mallopt(M_ARENA_MAX, arenas)
        mallopt(M_MMAP_THRESHOLD, mappedFrom)
        mallopt(M_TRIM_THRESHOLD, mappedFrom)
    }
}
