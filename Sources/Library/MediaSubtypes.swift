// SPDX-License-Identifier: GPL-3.0-or-later

/// The subtypes of a photo or video (PHAssetMediaSubtype). Their JSON is a list of names.
public struct MediaSubtypes: OptionSet, Hashable, Sendable {
    /// The bits, which the database stores: a bit never changes its meaning.
    public let rawValue: Int64

    /// Creates a set of any bits. JSON omits those without a name.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// A photo of a burst.
    public static let burst = MediaSubtypes(rawValue: 1)
    /// A video made of photos taken at intervals.
    public static let timelapse = MediaSubtypes(rawValue: 1 << 1)
    /// A video that belongs to a photo.
    public static let liveClip = MediaSubtypes(rawValue: 1 << 2)
    /// A picture of the screen.
    public static let screenshot = MediaSubtypes(rawValue: 1 << 3)
    /// A photo made of several exposures.
    public static let hdr = MediaSubtypes(rawValue: 1 << 4)
    /// A photo stitched from several.
    public static let panorama = MediaSubtypes(rawValue: 1 << 5)

    /// A video that plays forward and backward and ends where it began, to be repeated.
    public static let loop = MediaSubtypes(rawValue: 1 << 6)

    /// All names in JSON.
    public static var names: [String] { named.map(\.name) }

    static let named: [(name: String, subtype: MediaSubtypes)] = [
        ("burst", .burst), ("timelapse", .timelapse), ("liveClip", .liveClip),
        ("screenshot", .screenshot), ("hdr", .hdr), ("panorama", .panorama), ("loop", .loop),
    ]

    /// Creates the subtype with this JSON name; `nil` if there is none.
    public init?(name: String) {
        guard let found = Self.named.first(where: { $0.name == name }) else { return nil }
        self = found.subtype
    }
}

extension MediaSubtypes: Codable {
    /// Reads what ``encode(to:)`` writes; throws for an unknown name.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self = []
        for name in try container.decode([String].self) {
            guard let subtype = MediaSubtypes(name: name) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "\(name) is not a media subtype")
            }
            insert(subtype)
        }
    }

    /// Writes the names.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Self.named.filter { contains($0.subtype) }.map(\.name))
    }
}
