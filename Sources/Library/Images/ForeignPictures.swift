// SPDX-License-Identifier: GPL-3.0-or-later

/// Reads originals that are no JPEG: PNG and HEIF files, and videos. The module `Importing` has one.
public protocol ForeignPictures: Sendable {
    /// A JPEG of the file's picture, or of one of a video's first, with all its pixels and turned no more than the
    /// original is.
    ///
    /// - Throws: ``LibraryError`` `unsupported` where none can be made here; all else counts as damage.
    func jpeg(of path: String) async throws -> [UInt8]

    /// What the file says of itself, as ``AssetResource/metadata(foreign:)``.
    ///
    /// - Throws: as ``jpeg(of:)``.
    func metadata(of path: String) async throws -> [String: [String: String]]
}

extension ForeignPictures {
    /// The same, of what is called `what` in errors.
    func jpeg(of path: String, _ what: String) async throws(LibraryError) -> [UInt8] {
        try await naming(what) { try await jpeg(of: path) }
    }

    /// The same, of what is called `what` in errors.
    func metadata(
        of path: String, _ what: String
    ) async throws(LibraryError) -> [String: [String: String]] {
        try await naming(what) { try await metadata(of: path) }
    }

    private func naming<Value>(
        _ what: String, _ body: () async throws -> Value
    ) async throws(LibraryError) -> Value {
        do {
            return try await body()
        } catch let error as LibraryError {
            throw LibraryError(error.code, "\(what): \(error)", underlying: error)
        } catch {
            throw LibraryError(.damaged, "\(what): \(error)", underlying: error)
        }
    }
}
