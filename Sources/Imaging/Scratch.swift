// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// Heap memory aligned for SIMD.
@unsafe
enum Memory {
    static func allocate(_ bytes: Int) -> UnsafeMutableRawPointer? {
        var memory: UnsafeMutableRawPointer?
        guard unsafe posix_memalign(&memory, 64, max(bytes, 64)) == 0 else { return nil }
        return unsafe memory
    }

    static func free(_ memory: UnsafeMutableRawPointer) { unsafe Glibc.free(memory) }
}

/// Working memory that is kept between calls and replaced when a call needs more.
@safe
struct Scratch: ~Copyable {
    private var start: UnsafeMutableRawPointer?
    private(set) var capacity = 0

    init() { unsafe start = nil }

    deinit {
        if let start = unsafe start { unsafe Memory.free(start) }
    }

    /// Returns at least `bytes` undefined bytes, 64-byte aligned, valid until the next call.
    @unsafe
    mutating func reserve(_ bytes: Int) throws(ImagingError) -> UnsafeMutablePointer<UInt8> {
        if let start = unsafe start {
            if capacity >= bytes { return unsafe start.assumingMemoryBound(to: UInt8.self) }
            unsafe Memory.free(start)
            unsafe self.start = nil
            capacity = 0
        }
        guard let fresh = unsafe Memory.allocate(bytes) else {
            throw ImagingError(.exhausted, "no memory for \(bytes) working bytes")
        }
        unsafe start = fresh
        capacity = bytes
        return unsafe fresh.assumingMemoryBound(to: UInt8.self)
    }
}
