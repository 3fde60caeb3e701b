// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux

/// Both ends of a pipe. See pipe(2).
public final class Pipe: Sendable {
    public let reading: OwnedDescriptor
    public let writing: OwnedDescriptor

    public init() throws(SystemCallError) {
        var ends: [CInt] = [-1, -1]
        try systemCall("pipe2") { unsafe clinux_pipe(&ends) }
        reading = OwnedDescriptor(adopting: ends[0])
        writing = OwnedDescriptor(adopting: ends[1])
    }
}
