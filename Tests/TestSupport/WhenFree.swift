// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import LinuxIO

/// Opens what was closed just now, for which it waits: a program that another suite starts still holds the
/// descriptor, as a child does until it executes.
/// - Throws: `EBUSY` after five minutes; at once what else `open` throws.
public func whenFree<Value: ~Copyable>(_ open: () throws -> Value) throws -> Value {
    let deadline = Clock.monotonic + longestWait
    while true {
        do {
            return try open()
        } catch let error as SystemCallError
            where error.code == EBUSY && Clock.monotonic < deadline
        {
            usleep(1000)
        }
    }
}
