// SPDX-License-Identifier: GPL-3.0-or-later

/// Reads originals that are not JPEGs: PNG, HEIF, videos. `Importing` has an implementation.
public protocol ForeignPictures: Sendable {
    /// Returns a JPEG of the file's picture, or of one of a video's first pictures, in full size.
    /// It is rotated no more than the original.
    /// - Throws: ``LibraryError`` `unsupported` if none can be made here; other errors mean damage.
    func jpeg(of path: String) async throws -> [UInt8]

    /// Returns the file's metadata, like ``AssetResource/metadata(foreign:)``.
    /// - Throws: See ``jpeg(of:)``.
    func metadata(of path: String) async throws -> [String: [String: String]]
}

extension ForeignPictures {
    /// Calls ``jpeg(of:)``. Errors name the file as `what`.
    func jpeg(of path: String, _ what: String) async throws(LibraryError) -> [UInt8] {
        try await naming(what) { try await jpeg(of: path) }
    }

    /// Calls ``metadata(of:)``. Errors name the file as `what`.
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
