// SPDX-License-Identifier: GPL-3.0-or-later

internal import Imaging
public import Media

/// A picture or file of an asset (ALAssetRepresentation's counterpart).
/// ``ImageManager/requestImage(for:options:)`` makes the pictures. All of them but the full
/// resolution show the asset's adjustment.
public struct AssetRepresentation: Hashable, Sendable {
    /// The kind of a representation.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// The untouched original.
        case fullResolution
        /// The RAW beside the original: a file, of which no picture is made.
        case alternatePhoto
        /// The picture with its edits, in full size.
        case edited
        /// The picture with its edits, no larger than a screen.
        case fullScreen
        /// A small picture with its edits.
        case thumbnail
    }

    /// The screen size for callers that know none.
    public static let usualScreen = Dimensions(width: 1920, height: 1080)

    /// The asset.
    public let asset: Asset
    /// The kind of the representation.
    public let kind: Kind
    /// The original's or RAW's file, for reading only; `nil` for a picture made on request.
    public let path: String?
    let size: ImageSize

    /// The size of the upright picture in pixels; `nil` if unknown.
    public var dimensions: Dimensions? {
        if kind == .alternatePhoto { return nil }
        return asset.uprightSize(version == .current ? asset.adjustment : nil).map(size.exact)
    }

    /// The size of the file; `nil` if there is none.
    public var bytes: Int64? {
        switch kind {
        case .fullResolution: asset.bytes
        case .alternatePhoto: asset.alternatePhoto?.bytes
        case .edited, .fullScreen, .thumbnail: nil
        }
    }

    var version: ExportVersion { kind == .fullResolution ? .original : .current }
}

extension AssetRepresentation: Encodable {
    private enum CodingKeys: CodingKey { case kind, width, height, bytes, path }

    /// Writes an object without the asset and unknown values.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(kind, forKey: .kind)
        try values.encodeIfPresent(dimensions?.width, forKey: .width)
        try values.encodeIfPresent(dimensions?.height, forKey: .height)
        try values.encodeIfPresent(bytes, forKey: .bytes)
        try values.encodeIfPresent(path, forKey: .path)
    }
}

extension AssetResource {
    /// The edited picture if the asset is adjusted, otherwise the original.
    public var defaultRepresentation: AssetRepresentation {
        asset.isAdjusted ? representation(.edited) : fullResolution
    }

    /// The untouched original.
    public var fullResolution: AssetRepresentation { representation(.fullResolution) }

    /// Returns the picture that fits a screen, whose size is in pixels.
    public func fullScreen(_ screen: Dimensions) -> AssetRepresentation {
        representation(.fullScreen, screen: screen)
    }

    /// The smallest picture.
    public var thumbnail: AssetRepresentation { representation(.thumbnail) }

    /// Returns all representations, the largest first; for a sound only the original.
    public func representations(
        screen: Dimensions = AssetRepresentation.usualScreen
    ) -> [AssetRepresentation] {
        if asset.mediaType == .audio { return [fullResolution] }
        return AssetRepresentation.Kind.allCases.filter { kind in
            switch kind {
            case .edited: asset.isAdjusted
            case .alternatePhoto: asset.alternatePhoto != nil
            case .fullResolution, .fullScreen, .thumbnail: true
            }
        }.map { representation($0, screen: screen) }
    }

    /// Returns the representation of a kind. `fullScreen` has to fit `screen`, in pixels.
    public func representation(
        _ kind: AssetRepresentation.Kind, screen: Dimensions = AssetRepresentation.usualScreen
    ) -> AssetRepresentation {
        let size: ImageSize =
            switch kind {
            case .fullResolution, .alternatePhoto, .edited: .full
            case .fullScreen: .fitting(screen)
            case .thumbnail: .fitting(Thumbnail.size)
            }
        let file: String? =
            switch kind {
            case .fullResolution: path
            case .alternatePhoto: alternatePath
            case .edited, .fullScreen, .thumbnail: nil
            }
        return AssetRepresentation(asset: asset, kind: kind, path: file, size: size)
    }
}

extension Asset {
    /// Returns the size of the upright, adjusted picture in pixels; `nil` if unknown.
    func uprightSize(_ adjustment: AssetAdjustment?) -> Dimensions? {
        guard width > 0, height > 0 else { return nil }
        let orientation = ExifOrientation(rawValue: orientation) ?? .upright
        let upright = orientation.apply(to: Dimensions(width: width, height: height))
        let adjustment = adjustment ?? AssetAdjustment()
        return adjustment.rotation.apply(to: adjustment.rect(in: upright).size)
    }
}
