// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import LinuxIO

/// Opens a device that was just closed, and waits while it is busy: a program that another suite
/// starts holds a copy of the descriptor until it executes.
///
/// - Throws: `EBUSY` after five minutes; other errors of `open` at once.
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
