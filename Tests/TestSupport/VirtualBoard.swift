// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import LinuxIO

/// Whether this is the virtual board, where the kernel tests run and a missing device is a failure.
public let isVirtualBoard =
    unsafe getenv("VITRINE_BOARD").map { unsafe String(cString: $0) } == "virt"

/// Whether tests have hours, as those of a release do.
public let isFullRun = unsafe getenv("VITRINE_FULL") != nil

/// How many of this process's descriptors are open on a file.
public func openDescriptors(of file: String) throws -> Int {
    let folder = "/proc/self/fd"
    return try FileTree.names(in: folder).count { name in
        guard let target = unsafe realpath("\(folder)/\(name)", nil) else { return false }
        defer { unsafe free(target) }
        return unsafe String(cString: target) == file
    }
}
