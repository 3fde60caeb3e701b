// SPDX-License-Identifier: GPL-3.0-or-later

public import Codecs
public import Library
public import Media

/// What a file that can be imported holds.
public struct InspectedMedia: Sendable {
    /// What it is.
    public var kind: MediaKind
    /// Pixels, as stored.
    public var dimensions: Dimensions
    /// EXIF orientation, 1 to 8.
    public var orientation = 1
    /// Of a video.
    public var durationMicroseconds: Int64?
    /// When it says that it was taken; `nil` when it does not.
    public var createdAt: WallTime?
    /// Where it says that it was taken; `nil` when it does not.
    public var location: Location?
    /// What it is besides, as far as it says so.
    public var mediaSubtypes: MediaSubtypes = []
    /// The words in the file itself.
    public var words = DescriptiveMetadata()
    /// A line about something odd in a file that is good enough to be taken in; `nil` without.
    public var remark: String?
    /// A small JPEG of it, turned no more than the file; `nil` when there is none.
    public var thumbnail: [UInt8]?
}
