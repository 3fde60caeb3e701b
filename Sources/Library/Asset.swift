// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials
public import Media

/// The place where an asset was taken.
public typealias AssetLocation = Location

/// A photo or video as it was when read. Its `Codable` form is the command line's JSON.
public struct Asset: Hashable, Sendable, Identifiable {
    /// The media type of an original.
    public enum MediaType: String, Sendable, Codable, CaseIterable {
        case photo, video, audio
    }

    /// How far ``createdAt`` can be trusted.
    public enum TimeConfidence: String, Sendable, Codable {
        /// The clock was synchronized with the network.
        case synchronized
        /// The time comes from a hardware clock, which keeps running without power.
        case estimated
        /// The time was computed once the clock was right, from a clock that never jumps.
        case corrected
        case unknown

        /// Returns the confidence of a time that was just read from the system clock.
        public init(isSynchronized: Bool, hasHardwareClock: Bool) {
            self = isSynchronized ? .synchronized : hasHardwareClock ? .estimated : .unknown
        }
    }

    /// The moment of a frame from which its offset to the shutter moment is measured.
    public enum ShutterReference: String, Sendable, Codable {
        case frameTimestamp, exposureMiddle
    }

    /// The asset's identifier. It never changes and is never used again.
    public let id: UUID
    /// The media type of the original.
    public let mediaType: MediaType
    /// The position in the library's order. It grows with every asset and is never used again.
    public let sequence: Int64
    /// The shutter moment, by the clock as it was or as it was corrected later.
    public let createdAt: WallTime
    /// How far ``createdAt`` can be trusted.
    public let timeConfidence: TimeConfidence
    /// Width in pixels; 0 if unknown.
    public let width: Int
    /// Height in pixels; 0 if unknown.
    public let height: Int
    /// EXIF orientation, 1 to 8.
    public let orientation: Int
    /// The size of the original.
    public let bytes: Int64
    /// The SHA-256 of the original, lower-case hexadecimal.
    public let sha256: String
    /// The name of an exported copy. It is readable and unique in the library.
    public let fileName: String
    /// The camera's number of the frame; `nil` if unknown.
    public let frameSequence: Int64?
    /// The time of the frame minus the shutter moment; `nil` if unknown.
    public let shutterOffsetMicroseconds: Int64?
    /// The moment of the frame that ``shutterOffsetMicroseconds`` refers to; `nil` if unknown.
    public let shutterReference: ShutterReference?
    /// The name of the camera; `nil` if unknown.
    public let deviceName: String?
    /// The session in which the asset was taken, if any.
    public let sessionID: String?
    /// Nanoseconds that were later added to ``createdAt``; the original's EXIF keeps the old date.
    public let timeCorrection: Int64
    /// Whether the asset was adopted after a crash, with properties read from its file.
    public let recovered: Bool
    /// The subtypes, such as a burst photo or a time-lapse.
    public let mediaSubtypes: MediaSubtypes
    /// The playing time; `nil` for photos and if unknown.
    public let duration: MediaTime?
    /// The time when the asset was added to the library.
    public let addedAt: WallTime
    /// The time of the last change to a property or to the edit; ``createdAt`` if there was none.
    public let modifiedAt: WallTime
    /// The place where the asset was taken; `nil` if unknown.
    public let location: AssetLocation?
    /// Whether a person marked the asset as a favourite.
    public let isFavorite: Bool
    /// Whether fetches omit the asset unless they ask for hidden ones.
    public let isHidden: Bool
    /// The time when the asset was moved to "recently deleted"; `nil` if it is not there.
    public let deletedAt: WallTime?
    /// The time when a deleted asset is purged automatically; `nil` if it is not deleted, if the
    /// time is not known yet, or if it is never purged.
    public let purgesAt: WallTime?
    /// The identifier that the photos of a burst share; `nil` for all others.
    public let burstID: String?
    /// Whether fetches show this photo for its burst unless they ask for all its photos.
    public let representsBurst: Bool
    /// A person's description; never empty.
    public let caption: String?
    /// The edit with which the picture is shown; `nil` if there is none.
    public let adjustment: AssetAdjustment?
    /// A person's search words, without duplicates and in code point order.
    public let keywords: [String]
    /// The RAW beside the original; `nil` if there is none.
    public let alternatePhoto: AlternatePhoto?
    /// Whether only a remote has the original and its RAW; here is a picture for the screen.
    public let isRemoteOnly: Bool

    /// Whether the picture is shown with an edit.
    public var isAdjusted: Bool { adjustment != nil }
}

extension Asset: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, mediaType, sequence, createdAt, timeConfidence, width, height, orientation, bytes
        case sha256, fileName, frameSequence, shutterOffsetMicroseconds, shutterReference
        case deviceName
        case sessionID = "sessionId"
        case timeCorrection = "timeCorrectionMilliseconds"
        case recovered, mediaSubtypes
        case duration = "durationSeconds"
        case addedAt, modifiedAt, location
        case isFavorite = "favorite"
        case isHidden = "hidden"
        case deletedAt, purgesAt
        case burstID = "burstId"
        case representsBurst, caption, keywords, adjustment, alternatePhoto
        case isRemoteOnly = "remoteOnly"
    }

    /// Reads what ``encode(to:)`` writes; throws for anything else.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        id = try values.decode(UUID.self, forKey: .id)
        mediaType = try values.decode(MediaType.self, forKey: .mediaType)
        sequence = try values.decode(Int64.self, forKey: .sequence)
        createdAt = try values.decode(WallTime.self, forKey: .createdAt)
        timeConfidence = try values.decode(TimeConfidence.self, forKey: .timeConfidence)
        width = try values.decode(Int.self, forKey: .width)
        height = try values.decode(Int.self, forKey: .height)
        orientation = try values.decode(Int.self, forKey: .orientation)
        bytes = try values.decode(Int64.self, forKey: .bytes)
        sha256 = try values.decode(String.self, forKey: .sha256)
        fileName = try values.decode(String.self, forKey: .fileName)
        frameSequence = try values.decodeIfPresent(Int64.self, forKey: .frameSequence)
        shutterOffsetMicroseconds = try values.decodeIfPresent(
            Int64.self, forKey: .shutterOffsetMicroseconds)
        shutterReference = try values.decodeIfPresent(
            ShutterReference.self, forKey: .shutterReference)
        deviceName = try values.decodeIfPresent(String.self, forKey: .deviceName)
        sessionID = try values.decodeIfPresent(String.self, forKey: .sessionID)
        let correction = try values.decodeIfPresent(Int64.self, forKey: .timeCorrection) ?? 0
        timeCorrection = correction.multipliedReportingOverflow(by: 1_000_000).partialValue
        func flag(_ key: CodingKeys) throws -> Bool {
            try values.decodeIfPresent(Bool.self, forKey: key) ?? false
        }
        recovered = try flag(.recovered)
        mediaSubtypes =
            try values.decodeIfPresent(MediaSubtypes.self, forKey: .mediaSubtypes) ?? []
        duration = try values.decodeIfPresent(Double.self, forKey: .duration)
            .flatMap { Int64(exactly: ($0 * 1e9).rounded()) }.map(MediaTime.init(nanoseconds:))
        addedAt = try values.decodeIfPresent(WallTime.self, forKey: .addedAt) ?? createdAt
        modifiedAt = try values.decodeIfPresent(WallTime.self, forKey: .modifiedAt) ?? createdAt
        location = try values.decodeIfPresent(AssetLocation.self, forKey: .location)
        isFavorite = try flag(.isFavorite)
        isHidden = try flag(.isHidden)
        deletedAt = try values.decodeIfPresent(WallTime.self, forKey: .deletedAt)
        purgesAt = try values.decodeIfPresent(WallTime.self, forKey: .purgesAt)
        burstID = try values.decodeIfPresent(String.self, forKey: .burstID)
        representsBurst = try flag(.representsBurst)
        caption = try values.decodeIfPresent(String.self, forKey: .caption)
        keywords = try values.decodeIfPresent([String].self, forKey: .keywords) ?? []
        adjustment = try values.decodeIfPresent(AssetAdjustment.self, forKey: .adjustment)
        alternatePhoto = try values.decodeIfPresent(AlternatePhoto.self, forKey: .alternatePhoto)
        isRemoteOnly = try flag(.isRemoteOnly)
    }

    /// Omits unknown, false and default values, such as a correction of 0 or an unchanged asset's
    /// ``modifiedAt``. The duration is in seconds, with the precision of a `Double`.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(id.text, forKey: .id)
        try values.encode(mediaType, forKey: .mediaType)
        try values.encode(sequence, forKey: .sequence)
        try values.encode(createdAt, forKey: .createdAt)
        try values.encode(timeConfidence, forKey: .timeConfidence)
        try values.encode(width, forKey: .width)
        try values.encode(height, forKey: .height)
        try values.encode(orientation, forKey: .orientation)
        try values.encode(bytes, forKey: .bytes)
        try values.encode(sha256, forKey: .sha256)
        try values.encode(fileName, forKey: .fileName)
        try values.encodeIfPresent(frameSequence, forKey: .frameSequence)
        try values.encodeIfPresent(
            shutterOffsetMicroseconds, forKey: .shutterOffsetMicroseconds)
        try values.encodeIfPresent(shutterReference, forKey: .shutterReference)
        try values.encodeIfPresent(deviceName, forKey: .deviceName)
        try values.encodeIfPresent(sessionID, forKey: .sessionID)
        if timeCorrection != 0 {
            try values.encode(timeCorrection / 1_000_000, forKey: .timeCorrection)
        }
        if !mediaSubtypes.isEmpty { try values.encode(mediaSubtypes, forKey: .mediaSubtypes) }
        try values.encodeIfPresent(duration?.seconds, forKey: .duration)
        try values.encode(addedAt, forKey: .addedAt)
        if modifiedAt != createdAt { try values.encode(modifiedAt, forKey: .modifiedAt) }
        try values.encodeIfPresent(location, forKey: .location)
        try values.encodeIfPresent(deletedAt, forKey: .deletedAt)
        try values.encodeIfPresent(purgesAt, forKey: .purgesAt)
        try values.encodeIfPresent(burstID, forKey: .burstID)
        try values.encodeIfPresent(caption, forKey: .caption)
        if !keywords.isEmpty { try values.encode(keywords, forKey: .keywords) }
        try values.encodeIfPresent(adjustment, forKey: .adjustment)
        try values.encodeIfPresent(alternatePhoto, forKey: .alternatePhoto)
        let flags: [(CodingKeys, Bool)] = [
            (.recovered, recovered), (.isFavorite, isFavorite), (.isHidden, isHidden),
            (.representsBurst, representsBurst), (.isRemoteOnly, isRemoteOnly),
        ]
        for (key, isSo) in flags where isSo { try values.encode(true, forKey: key) }
    }
}

extension UUID {
    /// The lower-case form, in which ids are written everywhere.
    package var text: String { uuidString.lowercased() }
}
