// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation

/// A folder of a test's own, removed with all that is in it when its owner ends.
public final class TemporaryFolder: Sendable {
    /// Where it is; nothing else is in it at first.
    public let path: String

    /// Makes it.
    public init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "vitrine-\(UUID())").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Where something of that name is, or would be.
    public func path(of name: String) -> String { "\(path)/\(name)" }

    /// Writes a file, and makes the folders above it; answers its path.
    @discardableResult
    public func write(_ content: some Sequence<UInt8>, to name: String) throws -> String {
        let file = path(of: name)
        try FileManager.default.createDirectory(
            at: URL(filePath: file).deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(content).write(to: URL(filePath: file))
        return file
    }

    /// All that is in a file.
    public func contents(of name: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: URL(filePath: path(of: name))))
    }
}
