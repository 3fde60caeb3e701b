// SPDX-License-Identifier: GPL-3.0-or-later

public import Codecs
public import Library
public import Media

/// The facts about a file that can be imported.
public struct InspectedMedia: Sendable {
    /// The kind of file.
    public var kind: MediaKind
    /// The size in pixels as stored.
    public var dimensions: Dimensions
    /// EXIF orientation, 1 to 8.
    public var orientation = 1
    /// The duration of a video; `nil` for photos.
    public var durationMicroseconds: Int64?
    /// The time of capture that the file states; `nil` if it states none.
    public var createdAt: WallTime?
    /// The place of capture that the file states; `nil` if it states none.
    public var location: Location?
    /// The subtypes that the file states, such as HDR.
    public var mediaSubtypes: MediaSubtypes = []
    /// The words in the file itself.
    public var words = DescriptiveMetadata()
    /// A line about something odd in an acceptable file; `nil` if there is nothing odd.
    public var remark: String?
    /// A small JPEG in the file's own orientation; `nil` if there is none.
    public var thumbnail: [UInt8]?
}
