// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation

/// A folder for one test, removed with its contents when its owner ends.
public final class TemporaryFolder: Sendable {
    /// The path of the folder, which is empty at first.
    public let path: String

    /// Creates the folder.
    public init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "vitrine-\(UUID())").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Returns the path of an entry, whether or not it exists.
    public func path(of name: String) -> String { "\(path)/\(name)" }

    /// Writes a file, creates the folders above it, and returns its path.
    @discardableResult
    public func write(_ content: some Sequence<UInt8>, to name: String) throws -> String {
        let file = path(of: name)
        try FileManager.default.createDirectory(
            at: URL(filePath: file).deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(content).write(to: URL(filePath: file))
        return file
    }

    /// Returns the contents of a file.
    public func contents(of name: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: URL(filePath: path(of: name))))
    }
}
