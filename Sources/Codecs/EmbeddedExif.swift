// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// EXIF as a bare TIFF structure, as in a PNG file's eXIf chunk. Reading is safe on any input.
public struct EmbeddedExif: Sendable {
    /// EXIF orientation, 1 to 8; `nil` if not stated.
    public let orientation: Int?
    /// The place of capture; `nil` if not stated.
    public let location: Location?
    /// The metadata; `nil` without a date.
    public let metadata: ExifMetadata?
    /// EXIF's CustomRendered: 0 and 1 by the standard, other values by phones.
    public let customRendered: Int?
    /// EXIF's UserComment; `nil` unless it is ASCII.
    public let userComment: String?
    /// All tags as text; see ``JPEGBeginning/properties(of:)``.
    public let properties: [String: [String: String]]

    /// Reads a TIFF structure. Returns `nil` only without memory: other bytes give no values.
    public init?(_ tiff: [UInt8]) {
        guard let document = try? ExifDocument(parsing: ExifMetadata.identifier + tiff) else {
            return nil
        }
        orientation = document.orientation
        location = document.location
        metadata = try? document.metadata()
        customRendered = document.customRendered
        userComment = document.userComment
        properties = document.properties()
    }
}
