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

/// A file's name can hold anything; a line of output is one.
func oneLine(_ text: String) -> String {
    String(
        text.unicodeScalars.flatMap { scalar in
            scalar.value < 0x20 || scalar.value == 0x7F
                ? Array("\\u{\(String(scalar.value, radix: 16))}".unicodeScalars) : [scalar]
        }.map(Character.init))
}
