// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// Memory mapped from a descriptor; unmapped when the owner ends. See mmap(2).
@safe
public struct Mapping: ~Copyable, @unchecked Sendable {
    // Sendable: the mapping never changes, and the owner decides which thread uses the bytes.

    /// The first byte; valid as long as the mapping lives.
    @unsafe public let start: UnsafeMutableRawPointer
    /// The number of bytes mapped.
    public let count: Int

    /// Maps `count` bytes of `descriptor` from `offset` on. The mapping is shared and, unless
    /// `readOnly`, writable.
    public init(
        of descriptor: CInt, count: Int, offset: Int = 0, readOnly: Bool = false
    ) throws(SystemCallError) {
        let protection = readOnly ? PROT_READ : PROT_READ | PROT_WRITE
        let address = unsafe mmap(nil, count, protection, MAP_SHARED, descriptor, offset)
        guard let address = unsafe address, unsafe address != MAP_FAILED else {
            throw SystemCallError(call: "mmap", code: errno)
        }
        unsafe start = address
        self.count = count
    }

    deinit {
        _ = unsafe munmap(start, count)
    }
}
