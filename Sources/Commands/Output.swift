// SPDX-License-Identifier: GPL-3.0-or-later

internal import CommandProtocol
internal import LinuxIO

/// Writes out what was printed so far.
///
/// - Throws: exit status 74 when that, or anything printed earlier, could not be written.
func flushOutput() throws(CommandError) {
    do throws(SystemCallError) {
        try flushStandardOutput()
    } catch {
        throw CommandError(
            "output.io", "standard output cannot be written: \(error.reason)",
            next: "Make room where it goes, or send it elsewhere.", exit: .io)
    }
}
