// SPDX-License-Identifier: GPL-3.0-or-later

internal import CommandProtocol
// `stdout` is a variable for the importer, though nobody sets it.
@preconcurrency internal import Glibc
internal import LinuxIO

/// Writes out what was printed so far.
///
/// - Throws: exit status 74 when that, or anything printed earlier, could not be written.
func flushOutput() throws(CommandError) {
    let reason: String
    if unsafe fflush(stdout) != 0 {
        reason = ": " + SystemCallError(call: "write", code: errno).reason
    } else if unsafe ferror(stdout) != 0 {
        // Noticed while printing, when nobody could be told.
        reason = ""
    } else {
        return
    }
    throw CommandError(
        "output.io", "standard output cannot be written\(reason)",
        next: "Make room where it goes, or send it elsewhere.", exit: .io)
}
