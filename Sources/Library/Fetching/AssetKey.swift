// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Media

/// A property of ``Asset`` with a single value, by which assets are filtered and sorted.
///
/// Keywords are several values; see ``AssetFilter/keyword(_:)``.
public enum AssetKey: String, Hashable, Sendable, Codable, CaseIterable {
    case id, mediaType, mediaSubtypes, sequence, createdAt, timeConfidence, width, height
    case orientation, bytes, sha256, fileName, frameSequence, shutterOffsetMicroseconds
    case shutterReference, deviceName
    case sessionID = "sessionId"
    case timeCorrectionMilliseconds, recovered
    case duration = "durationSeconds"
    case addedAt, modifiedAt, latitude, longitude, altitude
    case isFavorite = "favorite"
    case isHidden = "hidden"
    case deletedAt, purgesAt
    case burstID = "burstId"
    case representsBurst, caption
    case isAdjusted = "adjusted"
    /// Whether the asset has an ``Asset/alternatePhoto``.
    case hasAlternatePhoto = "alternatePhoto"
}

extension AssetKey {
    /// Whether an index has the assets in view in the order of this property. Sorting by another
    /// property reads all of them first, which takes a second or more for a million.
    public var hasIndex: Bool {
        switch self {
        case .sequence, .createdAt, .bytes, .id: true
        default: false
        }
    }

    enum Kind { case integer, number, text }

    var kind: Kind {
        switch self {
        case .id, .mediaType, .timeConfidence, .sha256, .fileName, .shutterReference, .deviceName,
            .sessionID, .burstID, .caption:
            .text
        case .duration, .latitude, .longitude, .altitude: .number
        default: .integer
        }
    }

    /// The SQL for the value that `value(of:)` returns in Swift.
    var expression: String {
        switch self {
        case .id: "id"
        case .mediaType: "media_type"
        case .mediaSubtypes: "subtypes"
        case .sequence: "sequence"
        case .createdAt: "created_at"
        case .timeConfidence: "time_confidence"
        case .width: "width"
        case .height: "height"
        case .orientation: "orientation"
        case .bytes: "bytes"
        case .sha256: "lower(hex(sha256))"
        case .fileName: "file_name"
        case .frameSequence: "frame_sequence"
        case .shutterOffsetMicroseconds: "shutter_offset_us"
        case .shutterReference: "shutter_reference"
        case .deviceName: "device_name"
        case .sessionID: "session_id"
        case .timeCorrectionMilliseconds: "(time_correction_ns / 1000000)"
        case .recovered: "recovered"
        case .duration: "(CAST(duration_value AS REAL) / duration_timescale)"
        case .addedAt: "coalesce(added_at, created_at)"
        case .modifiedAt: "coalesce(modified_at, created_at)"
        case .latitude: "latitude"
        case .longitude: "longitude"
        case .altitude: "altitude"
        case .isFavorite: "favorite"
        case .isHidden: "hidden"
        case .deletedAt: "deleted_at"
        case .purgesAt: "purge_at"
        case .burstID: "burst_id"
        case .representsBurst: "represents_burst"
        case .caption: "caption"
        case .isAdjusted: "(adjustment IS NOT NULL)"
        case .hasAlternatePhoto:
            "EXISTS (SELECT 1 FROM alternate_photo WHERE alternate_photo.asset = sequence)"
        }
    }

    package func value(of asset: Asset) -> AssetValue? {
        switch self {
        case .id: .text(asset.id.text)
        case .mediaType: .text(asset.mediaType.rawValue)
        case .mediaSubtypes: .integer(asset.mediaSubtypes.rawValue)
        case .sequence: .integer(asset.sequence)
        case .createdAt: .integer(asset.createdAt.nanoseconds)
        case .timeConfidence: .text(asset.timeConfidence.rawValue)
        case .width: .integer(Int64(asset.width))
        case .height: .integer(Int64(asset.height))
        case .orientation: .integer(Int64(asset.orientation))
        case .bytes: .integer(asset.bytes)
        case .sha256: .text(asset.sha256)
        case .fileName: .text(asset.fileName)
        case .frameSequence: asset.frameSequence.map(AssetValue.integer)
        case .shutterOffsetMicroseconds:
            asset.shutterOffsetMicroseconds.map(AssetValue.integer)
        case .shutterReference: (asset.shutterReference?.rawValue).map(AssetValue.text)
        case .deviceName: asset.deviceName.map(AssetValue.text)
        case .sessionID: asset.sessionID.map(AssetValue.text)
        case .timeCorrectionMilliseconds: .integer(asset.timeCorrection / 1_000_000)
        case .recovered: .integer(asset.recovered ? 1 : 0)
        case .duration: (asset.duration?.seconds).map(AssetValue.number)
        case .addedAt: .integer(asset.addedAt.nanoseconds)
        case .modifiedAt: .integer(asset.modifiedAt.nanoseconds)
        case .latitude: (asset.location?.latitude).map(AssetValue.number)
        case .longitude: (asset.location?.longitude).map(AssetValue.number)
        case .altitude: (asset.location?.altitude).map(AssetValue.number)
        case .isFavorite: .integer(asset.isFavorite ? 1 : 0)
        case .isHidden: .integer(asset.isHidden ? 1 : 0)
        case .deletedAt: (asset.deletedAt?.nanoseconds).map(AssetValue.integer)
        case .purgesAt: (asset.purgesAt?.nanoseconds).map(AssetValue.integer)
        case .burstID: asset.burstID.map(AssetValue.text)
        case .representsBurst: .integer(asset.representsBurst ? 1 : 0)
        case .caption: asset.caption.map(AssetValue.text)
        case .isAdjusted: .integer(asset.isAdjusted ? 1 : 0)
        case .hasAlternatePhoto: .integer(asset.alternatePhoto == nil ? 0 : 1)
        }
    }
}
