// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials
public import Media

/// A still that is ready to be stored.
public struct FinishedPhoto: Sendable {
    /// The identifier, chosen by the caller. Adding the same photo again with it changes nothing.
    public var id: UUID
    /// The file's bytes, in order.
    public var chunks: [[UInt8]]
    /// The file extension without a dot: letters and digits, for example "jpg".
    public var fileExtension: String
    /// Width in pixels, as stored.
    public var width: Int
    /// Height in pixels, as stored.
    public var height: Int
    /// EXIF orientation, 1 to 8.
    public var orientation: Int
    /// The shutter moment.
    public var createdAt: WallTime
    /// How far ``createdAt`` can be trusted.
    public var timeConfidence: Asset.TimeConfidence
    /// The boot to which ``boottime`` belongs.
    public var bootID: String
    /// `CLOCK_BOOTTIME` at ``createdAt``, in nanoseconds. A later correction of the time needs it.
    public var boottime: Int64
    /// The camera's number of the frame.
    public var frameSequence: Int64
    /// The time of the frame minus the shutter moment.
    public var shutterOffsetMicroseconds: Int64
    /// The moment of the frame that ``shutterOffsetMicroseconds`` refers to.
    public var shutterReference: Asset.ShutterReference
    /// The name of the camera.
    public var deviceName: String
    /// The session to which the photo belongs, if any.
    public var sessionID: String?
    /// The subtypes, such as a burst photo.
    public var mediaSubtypes: MediaSubtypes
    /// The identifier that the photos of a burst share.
    public var burstID: String?
    /// Whether the photo represents its burst. Exactly one photo of a burst does.
    public var representsBurst: Bool
    /// The place where the photo was taken, if known.
    public var location: Location?
    /// A small JPEG of the same picture, which can be made again.
    public var thumbnail: [UInt8]?
    /// The sensor's data as a DNG, which becomes the ``Asset/alternatePhoto``.
    public var raw: [UInt8]?

    /// Stores the values as they are. ``AssetLibrary/add(_:)`` checks them.
    public init(
        id: UUID = UUID(), chunks: [[UInt8]], fileExtension: String = "jpg", width: Int,
        height: Int,
        orientation: Int = 1, createdAt: WallTime, timeConfidence: Asset.TimeConfidence,
        bootID: String, boottime: Int64, frameSequence: Int64, shutterOffsetMicroseconds: Int64,
        shutterReference: Asset.ShutterReference, deviceName: String, sessionID: String? = nil,
        mediaSubtypes: MediaSubtypes = [], burstID: String? = nil, representsBurst: Bool = false,
        location: Location? = nil, thumbnail: [UInt8]? = nil, raw: [UInt8]? = nil
    ) {
        self.id = id
        self.chunks = chunks
        self.fileExtension = fileExtension
        self.width = width
        self.height = height
        self.orientation = orientation
        self.createdAt = createdAt
        self.timeConfidence = timeConfidence
        self.bootID = bootID
        self.boottime = boottime
        self.frameSequence = frameSequence
        self.shutterOffsetMicroseconds = shutterOffsetMicroseconds
        self.shutterReference = shutterReference
        self.deviceName = deviceName
        self.sessionID = sessionID
        self.mediaSubtypes = mediaSubtypes
        self.burstID = burstID
        self.representsBurst = representsBurst
        self.location = location
        self.thumbnail = thumbnail
        self.raw = raw
    }
}
