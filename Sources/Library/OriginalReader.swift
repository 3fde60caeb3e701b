// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import LinuxIO

/// Reads a library's originals, and files that are to become some, however long they are, on a thread of its own:
/// photos are stored meanwhile. A medium that does not answer holds up no other library.
package actor OriginalReader {
    private let executor = ThreadExecutor("library-read")
    private let didRead: @Sendable (_ path: String) -> Void

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// - Parameter didRead: Called on the thread when a file has been read or looked at, before anything comes of it; only a test
    ///   waits there.
    package init(didRead: @escaping @Sendable (_ path: String) -> Void = { _ in }) {
        self.didRead = didRead
    }

    func scan(_ path: String) throws(SystemCallError) -> OriginalFile {
        defer { didRead(path) }
        return try OriginalFile.scan(path)
    }

    func entry(_ path: String) throws(SystemCallError) -> FileTree.Entry? {
        defer { didRead(path) }
        return try FileTree.entry(path)
    }

    /// Finishes a recording that was cut off, see `MovieFile.mend(_:)`.
    func mend(_ path: String) throws(SystemCallError) -> MovieFacts? {
        defer { didRead(path) }
        return try MovieFile.mend(path)
    }

    /// Has `body` look at a finding's file, if it is about one.
    func look<Value: Sendable>(
        at path: String?, _ body: @Sendable () throws -> Value
    ) throws -> Value {
        defer { if let path { didRead(path) } }
        return try body()
    }
}
