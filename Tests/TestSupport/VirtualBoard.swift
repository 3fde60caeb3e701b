// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import LinuxIO

/// Whether this is the virtual board, where the kernel tests run and a missing device is a failure.
public let isVirtualBoard =
    unsafe getenv("VITRINE_BOARD").map { unsafe String(cString: $0) } == "virt"

/// Returns the value for this run's tier, which VITRINE_TIER names: board/host/test, --day or
/// --full.
public func byTier<Value>(usual: Value, day: Value, full: Value) -> Value {
    switch unsafe getenv("VITRINE_TIER").map({ unsafe String(cString: $0) }) {
    case "day": day
    case "full": full
    default: usual
    }
}

/// Returns how many of this process's descriptors are open on a file.
public func openDescriptors(of file: String) throws -> Int {
    let folder = "/proc/self/fd"
    return try FileTree.names(in: folder).count { name in
        guard let target = unsafe realpath("\(folder)/\(name)", nil) else { return false }
        defer { unsafe free(target) }
        return unsafe String(cString: target) == file
    }
}
