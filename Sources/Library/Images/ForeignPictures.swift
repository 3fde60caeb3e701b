// SPDX-License-Identifier: GPL-3.0-or-later

/// Makes pictures of originals that are no JPEG: of PNG and HEIF files, and of videos. The module `Importing` has one.
public protocol ForeignPictures: Sendable {
    /// A JPEG of the file's picture, or of one of a video's first, with all its pixels and turned no more than the
    /// original is.
    ///
    /// - Throws: ``LibraryError`` `unsupported` where none can be made here; all else counts as damage.
    func jpeg(of path: String) async throws -> [UInt8]
}

extension ForeignPictures {
    /// The same, of what is called `what` in errors.
    func jpeg(of path: String, _ what: String) async throws(LibraryError) -> [UInt8] {
        do {
            return try await jpeg(of: path)
        } catch let error as LibraryError {
            throw LibraryError(error.code, "\(what): \(error)", underlying: error)
        } catch {
            throw LibraryError(.damaged, "\(what): \(error)", underlying: error)
        }
    }
}
