// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import LinuxIO

/// Reads originals, and files that are to become originals, on its own thread. Photos can be stored
/// meanwhile, and a medium that does not answer delays no other library.
package actor OriginalReader {
    private let executor = ThreadExecutor("library-read")
    private let didRead: @Sendable (_ path: String) -> Void

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// - Parameter didRead: Called on the thread after each read or lookup, before its result is
    ///   used. Only tests wait there.
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

    /// Finishes a recording that was cut off. See `MovieFile.mend(_:)`.
    func mend(_ path: String) throws(SystemCallError) -> MovieFacts? {
        defer { didRead(path) }
        return try MovieFile.mend(path)
    }

    /// Runs `body`, which examines a finding's file, if it has one.
    func look<Value: Sendable>(
        at path: String?, _ body: @Sendable () throws -> Value
    ) throws -> Value {
        defer { if let path { didRead(path) } }
        return try body()
    }
}
