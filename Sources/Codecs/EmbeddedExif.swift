// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// EXIF as other files than JPEG hold it: its TIFF structure alone (the PNG chunk eXIf). Safe on any input.
public struct EmbeddedExif: Sendable {
    /// 1 to 8; `nil` when it does not say so.
    public let orientation: Int?
    /// Where the picture was taken; `nil` when it does not say so.
    public let location: Location?
    /// `nil` without a date in it.
    public let metadata: ExifMetadata?
    /// EXIF's CustomRendered: 0 and 1 in the standard, and what phones add.
    public let customRendered: Int?
    /// EXIF's UserComment, where it is ASCII.
    public let userComment: String?
    /// All that it says, as ``JPEGBeginning/properties(of:)``.
    public let properties: [String: [String: String]]

    /// `nil` for bytes that are none.
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
