// SPDX-License-Identifier: GPL-3.0-or-later

/// What a photo or video is besides (PHAssetMediaSubtype's counterpart). As JSON a list of names.
public struct MediaSubtypes: OptionSet, Hashable, Sendable {
    /// Stored in the database: a bit never gets another meaning.
    public let rawValue: Int64

    /// Of any bits; JSON leaves out those that have no name.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// One of several photos taken in quick succession.
    public static let burst = MediaSubtypes(rawValue: 1)
    /// A video of photos taken at intervals.
    public static let timelapse = MediaSubtypes(rawValue: 1 << 1)
    /// A video that came with a photo.
    public static let liveClip = MediaSubtypes(rawValue: 1 << 2)
    /// A picture of the screen.
    public static let screenshot = MediaSubtypes(rawValue: 1 << 3)
    /// A photo made of several exposures.
    public static let hdr = MediaSubtypes(rawValue: 1 << 4)
    /// A photo put together of several.
    public static let panorama = MediaSubtypes(rawValue: 1 << 5)

    /// A video that begins where it ends: forward and backward, to be shown again and again.
    public static let loop = MediaSubtypes(rawValue: 1 << 6)

    /// All names, as JSON writes them.
    public static var names: [String] { named.map(\.name) }

    static let named: [(name: String, subtype: MediaSubtypes)] = [
        ("burst", .burst), ("timelapse", .timelapse), ("liveClip", .liveClip),
        ("screenshot", .screenshot), ("hdr", .hdr), ("panorama", .panorama), ("loop", .loop),
    ]

    /// The one with this name as JSON writes it; `nil` when there is none.
    public init?(name: String) {
        guard let found = Self.named.first(where: { $0.name == name }) else { return nil }
        self = found.subtype
    }
}

extension MediaSubtypes: Codable {
    /// Reads what ``encode(to:)`` writes; throws for a name that is none.
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
