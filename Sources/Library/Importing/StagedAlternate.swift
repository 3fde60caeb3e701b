// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials

/// A RAW in the ``StagingFolder`` that is ready to be put beside a photo.
public struct StagedAlternate: Hashable, Sendable, Codable {
    /// The id of the copy in the folder.
    public internal(set) var id: UUID
    /// The SHA-256 of the copied bytes, lower-case hexadecimal.
    public let sha256: String
    /// The extension of the RAW's format.
    public let fileExtension: String

    /// Describes a copy that begins like a file of this format.
    public init(id: UUID, sha256: String, format: RawFormat) {
        self.id = id
        self.sha256 = sha256
        fileExtension = format.rawValue
    }
}
