// SPDX-License-Identifier: GPL-3.0-or-later

internal import Imaging
public import Media

/// One of the pictures that there are of an asset; ``ImageManager/requestImage(for:options:)`` makes it. Of what was
/// turned or cut, all but the full resolution show that. ALAssetRepresentation's counterpart.
public struct AssetRepresentation: Hashable, Sendable {
    /// Which of them.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// The untouched original.
        case fullResolution
        /// The RAW beside the original: a file, of which no picture is made.
        case alternatePhoto
        /// The picture as it is to be seen, with all its pixels.
        case edited
        /// The picture as it is to be seen, no larger than a screen.
        case fullScreen
        /// A small picture as it is to be seen.
        case thumbnail
    }

    /// For whoever knows none.
    public static let usualScreen = Dimensions(width: 1920, height: 1080)

    /// What it is of.
    public let asset: Asset
    /// Which it is.
    public let kind: Kind
    /// The original's file, for reading only; `nil` for a picture that is made when it is asked for.
    public let path: String?
    let size: ImageSize

    /// Pixels of the upright picture; `nil` when not known.
    public var dimensions: Dimensions? {
        if kind == .alternatePhoto { return nil }
        return asset.uprightSize(version == .current ? asset.adjustment : nil).map(size.exact)
    }

    /// Of the file; `nil` where there is none.
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

    /// Leaves out what is not known, and the asset.
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
    /// What it is without further words: the original, or, where that was turned or cut, the picture that shows it.
    public var defaultRepresentation: AssetRepresentation {
        asset.isAdjusted ? representation(.edited) : fullResolution
    }

    /// The untouched original.
    public var fullResolution: AssetRepresentation { representation(.fullResolution) }

    /// What fits `screen`, in pixels.
    public func fullScreen(_ screen: Dimensions) -> AssetRepresentation {
        representation(.fullScreen, screen: screen)
    }

    /// The smallest.
    public var thumbnail: AssetRepresentation { representation(.thumbnail) }

    /// All that there are, from the largest to the smallest; of sounds only the original.
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

    /// The one of that kind.
    ///
    /// - Parameter screen: What `fullScreen` has to fit.
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
    /// Pixels of the picture when it is turned upright, and seen so; `nil` when not known.
    func uprightSize(_ adjustment: AssetAdjustment?) -> Dimensions? {
        guard width > 0, height > 0 else { return nil }
        let orientation = ExifOrientation(rawValue: orientation) ?? .upright
        let upright = orientation.apply(to: Dimensions(width: width, height: height))
        let adjustment = adjustment ?? AssetAdjustment()
        return adjustment.rotation.apply(to: adjustment.rect(in: upright).size)
    }
}
