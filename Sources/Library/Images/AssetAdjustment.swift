// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
public import Media

/// An edit of a photo: a crop, then a rotation. The original stays as it is.
public struct AssetAdjustment: Hashable, Sendable {
    /// A part of the upright picture, from its top left corner. The picture's sides are 1.
    public struct Crop: Hashable, Sendable, Codable {
        /// The distance from the left side, 0 to 1.
        public var x: Double
        /// The distance from the top, 0 to 1.
        public var y: Double
        /// The width, above 0 and within the picture.
        public var width: Double
        /// The height, above 0 and within the picture.
        public var height: Double

        /// Creates a crop. It is checked when it is used.
        public init(x: Double, y: Double, width: Double, height: Double) {
            self.x = x
            self.y = y
            self.width = width
            self.height = height
        }

        /// The whole picture.
        public static let all = Crop(x: 0, y: 0, width: 1, height: 1)
    }

    /// The visible part.
    public var crop: Crop
    /// The clockwise rotation, after cropping.
    public var rotation: Rotation

    /// Creates an adjustment; the default changes nothing.
    public init(crop: Crop = .all, rotation: Rotation = .none) {
        self.crop = crop
        self.rotation = rotation
    }

    /// Whether the adjustment changes nothing.
    public var isIdentity: Bool { crop == .all && rotation == .none }

    /// The minimum side of a cropped picture, relative to the upright one's.
    private static let smallestSide = 0.01

    func check() throws(LibraryError) {
        let isPossible =
            crop.x >= 0 && crop.y >= 0 && crop.width >= Self.smallestSide
            && crop.height >= Self.smallestSide && crop.x + crop.width <= 1
            && crop.y + crop.height <= 1
        guard isPossible else {
            throw LibraryError(
                .invalidValue,
                "crop \(crop.x),\(crop.y),\(crop.width),\(crop.height), allowed: a part of the "
                    + "picture, whose sides are 1, of at least \(Self.smallestSide) by "
                    + "\(Self.smallestSide)")
        }
    }

    /// The JSON for the database, equal for equal adjustments; `nil` if nothing changes.
    var stored: String? {
        if isIdentity { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the crop in an upright picture of this size: at least one pixel.
    func rect(in size: Dimensions) -> PixelRect {
        let left = min(Int((crop.x * Double(size.width)).rounded()), size.width - 1)
        let top = min(Int((crop.y * Double(size.height)).rounded()), size.height - 1)
        let right = Int(((crop.x + crop.width) * Double(size.width)).rounded())
        let bottom = Int(((crop.y + crop.height) * Double(size.height)).rounded())
        return PixelRect(
            x: left, y: top, width: max(min(right, size.width) - left, 1),
            height: max(min(bottom, size.height) - top, 1))
    }
}

extension AssetAdjustment: Codable {
    private enum CodingKeys: String, CodingKey {
        case crop
        case rotation = "rotationDegrees"
    }

    /// Reads what ``encode(to:)`` writes; throws for anything else.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        crop = try values.decodeIfPresent(Crop.self, forKey: .crop) ?? .all
        let degrees = try values.decodeIfPresent(Int.self, forKey: .rotation) ?? 0
        guard let rotation = Rotation(rawValue: degrees) else {
            throw DecodingError.dataCorruptedError(
                forKey: .rotation, in: values, debugDescription: "\(degrees) is not a quarter turn")
        }
        self.rotation = rotation
    }

    /// Writes an object without default values.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        if crop != .all { try values.encode(crop, forKey: .crop) }
        if rotation != .none { try values.encode(rotation.rawValue, forKey: .rotation) }
    }
}
