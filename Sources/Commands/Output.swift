// SPDX-License-Identifier: GPL-3.0-or-later

internal import CommandProtocol
internal import LinuxIO

/// Flushes standard output. Throws exit status 74 if this or any earlier output was not written.
func flushOutput() throws(CommandError) {
    do throws(SystemCallError) {
        try flushStandardOutput()
    } catch {
        throw CommandError(
            "output.io", "standard output cannot be written: \(error.reason)",
            next: "Free some space at its destination, or redirect it elsewhere.", exit: .io)
    }
}

/// Escapes control characters, so that any file name fits on one line.
func oneLine(_ text: String) -> String {
    String(
        text.unicodeScalars.flatMap { scalar in
            scalar.value < 0x20 || scalar.value == 0x7F
                ? Array("\\u{\(String(scalar.value, radix: 16))}".unicodeScalars) : [scalar]
        }.map(Character.init))
}
