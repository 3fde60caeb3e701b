// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux

/// Flushes standard output; throws if this or earlier output could not be written.
public func flushStandardOutput() throws(SystemCallError) {
    try systemCall("write", "standard output") { clinux_flush_output() }
}
