// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials
public import Media

/// A still that is ready to be stored.
public struct FinishedPhoto: Sendable {
    /// Chosen by the caller; adding the same photo again with the same id changes nothing.
    public var id: UUID
    /// The file's bytes, in order.
    public var chunks: [[UInt8]]
    /// Without dot: letters and digits, for example "jpg".
    public var fileExtension: String
    /// Pixels, as stored.
    public var width: Int
    /// Pixels, as stored.
    public var height: Int
    /// EXIF orientation, 1 to 8.
    public var orientation: Int
    /// When the shutter moment was.
    public var createdAt: WallTime
    /// How far ``createdAt`` can be trusted.
    public var timeConfidence: Asset.TimeConfidence
    /// The boot that ``boottime`` belongs to.
    public var bootID: String
    /// `CLOCK_BOOTTIME` nanoseconds at ``createdAt``: lets the time be corrected later.
    public var boottime: Int64
    /// The camera's number for the frame.
    public var frameSequence: Int64
    /// Frame minus shutter moment.
    public var shutterOffsetMicroseconds: Int64
    /// What ``shutterOffsetMicroseconds`` is measured at.
    public var shutterReference: Asset.ShutterReference
    /// The camera.
    public var deviceName: String
    /// The session it belongs to, if any.
    public var sessionID: String?
    /// What it is besides a photo.
    public var mediaSubtypes: MediaSubtypes
    /// What the photos of one burst share.
    public var burstID: String?
    /// Whether it stands for its burst; of each burst one does.
    public var representsBurst: Bool
    /// Where it was taken, if that is known.
    public var location: Location?
    /// A small JPEG of the same picture; can be made again.
    public var thumbnail: [UInt8]?
    /// What the sensor measured, a DNG: its ``Asset/alternatePhoto``.
    public var raw: [UInt8]?

    /// Takes the values as they are; nothing is copied or checked before it is added.
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
