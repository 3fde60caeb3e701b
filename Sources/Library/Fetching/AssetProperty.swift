// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials
public import Media

/// An ``AssetKey`` with its type. Its comparisons create an ``AssetFilter``:
///
///     let filter: AssetFilter = AssetFilter.mediaType == .video && AssetFilter.createdAt >= monday
public struct AssetProperty<Value: AssetValueConvertible>: Sendable {
    /// The property.
    public let key: AssetKey

    /// Finds assets with this value; with `nil`, those without a value.
    public static func == (property: Self, value: Value?) -> AssetFilter {
        .comparison(property.key, .equal, value?.assetValue)
    }

    /// Finds assets with another value or none; with `nil`, those with a value.
    public static func != (property: Self, value: Value?) -> AssetFilter {
        .not(property == value)
    }

    /// Finds assets with a lower value.
    public static func < (property: Self, value: Value) -> AssetFilter {
        .comparison(property.key, .less, value.assetValue)
    }

    /// Finds assets with this value or a lower one.
    public static func <= (property: Self, value: Value) -> AssetFilter {
        .comparison(property.key, .lessOrEqual, value.assetValue)
    }

    /// Finds assets with a higher value.
    public static func > (property: Self, value: Value) -> AssetFilter {
        .comparison(property.key, .greater, value.assetValue)
    }

    /// Finds assets with this value or a higher one.
    public static func >= (property: Self, value: Value) -> AssetFilter {
        .comparison(property.key, .greaterOrEqual, value.assetValue)
    }

    /// Finds assets with one of these values.
    public func isIn(_ values: [Value]) -> AssetFilter {
        .membership(key, values.map(\.assetValue))
    }
}

extension AssetProperty where Value == String {
    /// Finds assets whose text contains this one, regardless of case and accents.
    public func contains(_ part: String) -> AssetFilter {
        .comparison(key, .contains, .text(part))
    }
}

extension AssetFilter {
    /// ``Asset/id``.
    public static let id = AssetProperty<UUID>(key: .id)
    /// ``Asset/mediaType``.
    public static let mediaType = AssetProperty<Asset.MediaType>(key: .mediaType)
    /// All bits of ``Asset/mediaSubtypes``; see ``subtypes(_:)`` for single ones.
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
    /// The latitude of ``Asset/location``, if known.
    public static let latitude = AssetProperty<Double>(key: .latitude)
    /// The longitude of ``Asset/location``, if known.
    public static let longitude = AssetProperty<Double>(key: .longitude)
    /// The altitude of ``Asset/location``, if known.
    public static let altitude = AssetProperty<Double>(key: .altitude)
    /// ``Asset/isFavorite``.
    public static let isFavorite = AssetProperty<Bool>(key: .isFavorite)
    /// ``Asset/isHidden``. Only fetches that include hidden assets find those with `true`.
    public static let isHidden = AssetProperty<Bool>(key: .isHidden)
    /// ``Asset/deletedAt``. Only fetches that include deleted assets find a value.
    public static let deletedAt = AssetProperty<WallTime>(key: .deletedAt)
    /// ``Asset/purgesAt``. Only fetches that include deleted assets find a value.
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
