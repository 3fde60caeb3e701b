// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux

/// Both ends of a pipe. See pipe(2).
public final class Pipe: Sendable {
    /// Reading blocks while the pipe is empty, and ends when every copy of `writing` is closed.
    public let reading: OwnedDescriptor
    /// The end to write to. Writing blocks while the pipe is full.
    public let writing: OwnedDescriptor

    /// Creates a pipe, closed on exec. Throws `EMFILE` or `ENFILE` when there are no descriptors.
    public init() throws(SystemCallError) {
        var ends: [CInt] = [-1, -1]
        try systemCall("pipe2") { unsafe clinux_pipe(&ends) }
        reading = OwnedDescriptor(adopting: ends[0])
        writing = OwnedDescriptor(adopting: ends[1])
    }
}
