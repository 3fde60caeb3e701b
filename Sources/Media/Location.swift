// SPDX-License-Identifier: GPL-3.0-or-later

/// A place on Earth, in WGS 84.
public struct Location: Hashable, Sendable, Codable {
    /// Degrees north, -90 to 90.
    public let latitude: Double
    /// Degrees east, -180 to 180.
    public let longitude: Double
    /// Metres above the ellipsoid; `nil` if unknown.
    public let altitude: Double?

    /// Creates a location; `nil` if a value is out of range or not a number.
    public init?(latitude: Double, longitude: Double, altitude: Double? = nil) {
        guard abs(latitude) <= 90, abs(longitude) <= 180, altitude?.isFinite ?? true else {
            return nil
        }
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
    }

    /// Decodes a location; throws `DecodingError`, also if a value is out of range.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        guard
            let location = Location(
                latitude: try values.decode(Double.self, forKey: .latitude),
                longitude: try values.decode(Double.self, forKey: .longitude),
                altitude: try values.decodeIfPresent(Double.self, forKey: .altitude))
        else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: "no place on Earth"))
        }
        self = location
    }
}
