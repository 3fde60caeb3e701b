// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials
public import Media

/// An ``AssetKey`` that knows its type; its comparisons make an ``AssetFilter``.
///
///     let filter: AssetFilter = AssetFilter.mediaType == .video && AssetFilter.createdAt >= monday
public struct AssetProperty<Value: AssetValueConvertible>: Sendable {
    /// The property.
    public let key: AssetKey

    /// Those that have this value; with `nil` those that have none.
    public static func == (property: Self, value: Value?) -> AssetFilter {
        .comparison(property.key, .equal, value?.assetValue)
    }

    /// Those that have another value or none; with `nil` those that have one.
    public static func != (property: Self, value: Value?) -> AssetFilter {
        .not(property == value)
    }

    /// Those that have a lower value.
    public static func < (property: Self, value: Value) -> AssetFilter {
        .comparison(property.key, .less, value.assetValue)
    }

    /// Those that have this value or a lower one.
    public static func <= (property: Self, value: Value) -> AssetFilter {
        .comparison(property.key, .lessOrEqual, value.assetValue)
    }

    /// Those that have a higher value.
    public static func > (property: Self, value: Value) -> AssetFilter {
        .comparison(property.key, .greater, value.assetValue)
    }

    /// Those that have this value or a higher one.
    public static func >= (property: Self, value: Value) -> AssetFilter {
        .comparison(property.key, .greaterOrEqual, value.assetValue)
    }

    /// Those that have one of these values.
    public func isIn(_ values: [Value]) -> AssetFilter {
        .membership(key, values.map(\.assetValue))
    }
}

extension AssetProperty where Value == String {
    /// Those in whose text this occurs, in upper or lower case.
    public func contains(_ part: String) -> AssetFilter {
        .comparison(key, .contains, .text(part))
    }
}

extension AssetFilter {
    /// ``Asset/id``.
    public static let id = AssetProperty<UUID>(key: .id)
    /// ``Asset/mediaType``.
    public static let mediaType = AssetProperty<Asset.MediaType>(key: .mediaType)
    /// All bits at once; for one of them ``subtypes(_:)``.
    public static let mediaSubtypes = AssetProperty<MediaSubtypes>(key: .mediaSubtypes)
    /// ``Asset/sequence``.
    public static let sequence = AssetProperty<Int64>(key: .sequence)
    /// ``Asset/createdAt``.
    public static let createdAt = AssetProperty<WallTime>(key: .createdAt)
    /// ``Asset/timeConfidence``.
    public static let timeConfidence = AssetProperty<Asset.TimeConfidence>(key: .timeConfidence)
    /// ``Asset/width``.
    public static let width = AssetProperty<Int>(key: .width)
    /// ``Asset/height``.
    public static let height = AssetProperty<Int>(key: .height)
    /// ``Asset/orientation``.
    public static let orientation = AssetProperty<Int>(key: .orientation)
    /// ``Asset/bytes``.
    public static let bytes = AssetProperty<Int64>(key: .bytes)
    /// ``Asset/sha256``.
    public static let sha256 = AssetProperty<String>(key: .sha256)
    /// ``Asset/fileName``.
    public static let fileName = AssetProperty<String>(key: .fileName)
    /// ``Asset/frameSequence``.
    public static let frameSequence = AssetProperty<Int64>(key: .frameSequence)
    /// ``Asset/shutterOffsetMicroseconds``.
    public static let shutterOffsetMicroseconds = AssetProperty<Int64>(
        key: .shutterOffsetMicroseconds)
    /// ``Asset/shutterReference``.
    public static let shutterReference = AssetProperty<Asset.ShutterReference>(
        key: .shutterReference)
    /// ``Asset/deviceName``.
    public static let deviceName = AssetProperty<String>(key: .deviceName)
    /// ``Asset/sessionID``.
    public static let sessionID = AssetProperty<String>(key: .sessionID)
    /// ``Asset/timeCorrection`` in whole milliseconds.
    public static let timeCorrectionMilliseconds = AssetProperty<Int64>(
        key: .timeCorrectionMilliseconds)
    /// ``Asset/recovered``.
    public static let recovered = AssetProperty<Bool>(key: .recovered)
    /// ``Asset/duration``, compared in seconds.
    public static let duration = AssetProperty<MediaTime>(key: .duration)
    /// ``Asset/addedAt``.
    public static let addedAt = AssetProperty<WallTime>(key: .addedAt)
    /// ``Asset/modifiedAt``.
    public static let modifiedAt = AssetProperty<WallTime>(key: .modifiedAt)
    /// The latitude of ``Asset/location``; none where the place is not known.
    public static let latitude = AssetProperty<Double>(key: .latitude)
    /// The longitude of ``Asset/location``; none where the place is not known.
    public static let longitude = AssetProperty<Double>(key: .longitude)
    /// The altitude of ``Asset/location``; none where it is not known.
    public static let altitude = AssetProperty<Double>(key: .altitude)
    /// ``Asset/isFavorite``.
    public static let isFavorite = AssetProperty<Bool>(key: .isFavorite)
    /// ``Asset/isHidden``; true ones are found only by fetches that include them.
    public static let isHidden = AssetProperty<Bool>(key: .isHidden)
    /// ``Asset/deletedAt``; found only by fetches that include what is deleted.
    public static let deletedAt = AssetProperty<WallTime>(key: .deletedAt)
    /// ``Asset/purgesAt``; found only by fetches that include what is deleted.
    public static let purgesAt = AssetProperty<WallTime>(key: .purgesAt)
    /// ``Asset/burstID``.
    public static let burstID = AssetProperty<String>(key: .burstID)
    /// ``Asset/representsBurst``.
    public static let representsBurst = AssetProperty<Bool>(key: .representsBurst)
    /// ``Asset/caption``.
    public static let caption = AssetProperty<String>(key: .caption)
    /// ``Asset/isAdjusted``.
    public static let isAdjusted = AssetProperty<Bool>(key: .isAdjusted)
    /// Whether there is an ``Asset/alternatePhoto``.
    public static let hasAlternatePhoto = AssetProperty<Bool>(key: .hasAlternatePhoto)
}
