// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials
public import Media

/// Where an asset was taken.
public typealias AssetLocation = Location

/// One photo or video in the library, as it was when read. Its `Codable` form is the CLI's JSON.
public struct Asset: Hashable, Sendable, Identifiable {
    /// What the original is.
    public enum MediaType: String, Sendable, Codable, CaseIterable {
        case photo, video, audio
    }

    /// How far ``createdAt`` can be trusted.
    public enum TimeConfidence: String, Sendable, Codable {
        /// The clock was synchronized with the network.
        case synchronized
        /// From a clock that keeps running without power.
        case estimated
        /// Worked out when the clock became right, by what a clock that never jumps had counted since.
        case corrected
        case unknown

        /// Of a time that was read off the machine's clock just now.
        public init(isSynchronized: Bool, hasHardwareClock: Bool) {
            self = isSynchronized ? .synchronized : hasHardwareClock ? .estimated : .unknown
        }
    }

    /// Which moment of the frame its offset from the shutter moment is measured at.
    public enum ShutterReference: String, Sendable, Codable {
        case frameTimestamp, exposureMiddle
    }

    /// Never changes, never used again.
    public let id: UUID
    /// What the original is.
    public let mediaType: MediaType
    /// Place in the library's order: grows with every asset and is never used twice.
    public let sequence: Int64
    /// When the shutter moment was, by the clock as it stood or was corrected since.
    public let createdAt: WallTime
    /// How far ``createdAt`` can be trusted.
    public let timeConfidence: TimeConfidence
    /// Pixels; 0 when not known.
    public let width: Int
    /// Pixels; 0 when not known.
    public let height: Int
    /// EXIF orientation, 1 to 8.
    public let orientation: Int
    /// Size of the original.
    public let bytes: Int64
    /// SHA-256 of the original, lower-case hexadecimal.
    public let sha256: String
    /// The name it gets when exported: readable, and no other asset's.
    public let fileName: String
    /// The camera's number for the frame; `nil` when not known.
    public let frameSequence: Int64?
    /// Frame minus shutter moment; `nil` when not known.
    public let shutterOffsetMicroseconds: Int64?
    /// What ``shutterOffsetMicroseconds`` is measured at; `nil` when not known.
    public let shutterReference: ShutterReference?
    /// The camera; `nil` when not known.
    public let deviceName: String?
    /// The session it was taken in, if any.
    public let sessionID: String?
    /// Nanoseconds by which ``createdAt`` differs from the date in the original's EXIF.
    public let timeCorrection: Int64
    /// Found after a crash: the file is as it was stored, what else is here was read off it.
    public let recovered: Bool
    /// What it is besides ``mediaType``.
    public let mediaSubtypes: MediaSubtypes
    /// How long it plays; `nil` for photos and where it is not known.
    public let duration: MediaTime?
    /// When it came into the library.
    public let addedAt: WallTime
    /// When what is here, or the picture's edit, last changed; ``createdAt`` until then.
    public let modifiedAt: WallTime
    /// Where it was taken; `nil` when not known.
    public let location: AssetLocation?
    /// Marked by a person.
    public let isFavorite: Bool
    /// Left out of fetches that do not ask for it.
    public let isHidden: Bool
    /// Since when it is in "recently deleted"; `nil` when it is not.
    public let deletedAt: WallTime?
    /// When it goes for good, of itself; `nil` when it is not deleted, that is not known yet, or never.
    public let purgesAt: WallTime?
    /// What the photos of one burst share; `nil` for all others.
    public let burstID: String?
    /// Whether it stands for its burst in fetches that do not ask for all members.
    public let representsBurst: Bool
    /// A person's words for it; never empty.
    public let caption: String?
    /// How the picture is to be seen; `nil`: as it is.
    public let adjustment: AssetAdjustment?
    /// A person's words to find it by, in the order of their code points; none twice.
    public let keywords: [String]
    /// The RAW beside it; `nil` where there is none.
    public let alternatePhoto: AlternatePhoto?

    /// Whether it is to be seen otherwise than its original is.
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
    }

    /// Leaves out what is not known, is not so, or is as usual: a correction of 0, no change since it
    /// was made. The duration is in seconds, to what a `Double` holds.
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
            (.representsBurst, representsBurst),
        ]
        for (key, isSo) in flags where isSo { try values.encode(true, forKey: key) }
    }
}

extension UUID {
    /// Lower case, as ids are written everywhere.
    package var text: String { uuidString.lowercased() }
}
