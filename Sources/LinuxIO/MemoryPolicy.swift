// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux

/// Settings of the C library's allocator for a process that runs for years.
public enum MemoryPolicy {
    /// The size in bytes from which an allocation, such as a picture, is mapped. Freeing it returns
    /// the memory to the system.
    private static let mappedFrom: CInt = 128 * 1024
    private static let arenas: CInt = 2

    /// Keeps freed memory from staying in the process. The default allocator leaves an arena behind
    /// for each thread that ends, and once the first picture is freed it keeps all later ones.
    ///
    /// Call this once, before anything else. Corresponds to mallopt(3).
    public static func preferSteady() {
        mallopt(M_ARENA_MAX, arenas)
        mallopt(M_MMAP_THRESHOLD, mappedFrom)
        mallopt(M_TRIM_THRESHOLD, mappedFrom)
    }
}
