// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux

/// Writes out what was printed so far.
///
/// - Throws: when that, or anything printed earlier, could not be written.
public func flushStandardOutput() throws(SystemCallError) {
    try systemCall("write", "standard output") { clinux_flush_output() }
}
