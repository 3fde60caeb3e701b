// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// Reads originals, however long they are, on a thread of its own: photos are stored meanwhile.
package actor OriginalReader {
    /// Every library's.
    package static let shared = OriginalReader()
    private static let executor = ThreadExecutor("library-read")
    private let didRead: @Sendable (_ path: String) -> Void

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe Self.executor.asUnownedSerialExecutor()
    }

    /// - Parameter didRead: Called on the thread when a file has been read, before anything comes of it; only a test
    ///   waits there.
    package init(didRead: @escaping @Sendable (_ path: String) -> Void = { _ in }) {
        self.didRead = didRead
    }

    func scan(_ path: String) throws(SystemCallError) -> OriginalFile {
        defer { didRead(path) }
        return try OriginalFile.scan(path)
    }

    /// Has `body` look at a finding's file, if it is about one.
    func look<Value: Sendable>(
        at path: String?, _ body: @Sendable () throws -> Value
    ) throws -> Value {
        defer { if let path { didRead(path) } }
        return try body()
    }
}
