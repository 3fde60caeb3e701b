// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials

/// A RAW in the ``StagingFolder``, ready to be put beside a photo.
public struct StagedAlternate: Hashable, Sendable, Codable {
    /// Of the copy in the folder.
    public internal(set) var id: UUID
    /// Of the bytes that were copied, lower-case hexadecimal.
    public let sha256: String
    /// What it is.
    public let fileExtension: String

    /// Of a file whose beginning is right.
    public init(id: UUID, sha256: String, format: RawFormat) {
        self.id = id
        self.sha256 = sha256
        fileExtension = format.rawValue
    }
}
