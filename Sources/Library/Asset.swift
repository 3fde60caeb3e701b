// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials

/// One photo or video in the library, as it was when read. Its `Codable` form is the CLI's JSON.
public struct Asset: Hashable, Sendable, Identifiable {
    /// What the original is.
    public enum MediaType: String, Sendable, Codable {
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
}

extension Asset: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, mediaType, sequence, createdAt, timeConfidence, width, height, orientation, bytes
        case sha256, fileName, frameSequence, shutterOffsetMicroseconds, shutterReference
        case deviceName
        case sessionID = "sessionId"
        case timeCorrection = "timeCorrectionMilliseconds"
        case recovered
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
        timeCorrection = correction * 1_000_000
        recovered = try values.decodeIfPresent(Bool.self, forKey: .recovered) ?? false
    }

    /// Leaves out what is not known, a correction that is none, and `recovered` unless it is so.
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
        if recovered { try values.encode(true, forKey: .recovered) }
    }
}

extension UUID {
    /// Lower case, as ids are written everywhere.
    package var text: String { uuidString.lowercased() }
}
