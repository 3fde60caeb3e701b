// SPDX-License-Identifier: GPL-3.0-or-later

internal import CExif
internal import Media

/// The GPS directory (CIPA DC-008, table 15): degrees, minutes and seconds as fractions, and a
/// letter for the hemisphere.
extension ExifDocument {
    /// The parts of a second of arc in which angles are written: each is 3 mm on the ground.
    private static let secondParts = 10_000
    private static let millimetres = 1000.0

    func add(_ location: Location) throws(CodecError) {
        try add(.locationVersion, EXIF_FORMAT_BYTE, 4, [2, 3, 0, 0])
        try add(text: location.latitude < 0 ? "S" : "N", .latitudeSide)
        try add(angle: location.latitude, .latitude)
        try add(text: location.longitude < 0 ? "W" : "E", .longitudeSide)
        try add(angle: location.longitude, .longitude)
        try add(text: "WGS-84", .datum)
        guard let altitude = location.altitude else { return }
        guard let height = UInt32(exactly: (abs(altitude) * Self.millimetres).rounded()) else {
            throw CodecError(.unsupported, "EXIF altitude \(altitude)")
        }
        try add(.altitudeSide, EXIF_FORMAT_BYTE, 1, [altitude < 0 ? 1 : 0])
        try add(
            rational: ExifMetadata.Rational(height, UInt32(Self.millimetres)), .altitude,
            EXIF_IFD_GPS)
    }

    private func add(angle: Double, _ tag: ExifTagNumber) throws(CodecError) {
        let total = Int((abs(angle) * 3600 * Double(Self.secondParts)).rounded())
        let seconds = total % (60 * Self.secondParts)
        let minutes = total / (60 * Self.secondParts)
        let fractions = [(minutes / 60, 1), (minutes % 60, 1), (seconds, Self.secondParts)]
        let bytes = fractions.flatMap { numerator, denominator in
            UInt32(numerator).intelBytes + UInt32(denominator).intelBytes
        }
        try add(tag, EXIF_FORMAT_RATIONAL, fractions.count, bytes)
    }

    /// The place; `nil` unless both angles and hemispheres are stated and are on Earth.
    var location: Location? {
        guard let latitude = angle(.latitude, .latitudeSide, positive: "N", negative: "S"),
            let longitude = angle(.longitude, .longitudeSide, positive: "E", negative: "W")
        else { return nil }
        let below = value(.altitudeSide, EXIF_FORMAT_BYTE)?.first == 1
        let height = fractions(.altitude)?.first
        return Location(
            latitude: latitude, longitude: longitude,
            altitude: height.map { below ? -$0 : $0 })
    }

    private func angle(
        _ tag: ExifTagNumber, _ side: ExifTagNumber, positive: Character, negative: Character
    ) -> Double? {
        guard let parts = fractions(tag), parts.count == 3,
            let letter = text(side)?.uppercased().first(where: { !$0.isWhitespace })
        else { return nil }
        let degrees = parts[0] + parts[1] / 60 + parts[2] / 3600
        return [positive: degrees, negative: -degrees][letter]
    }

    /// Returns a tag's fractions; `nil` if a denominator is 0, as in cameras' unknown values.
    private func fractions(_ tag: ExifTagNumber) -> [Double]? {
        guard let bytes = value(tag, EXIF_FORMAT_RATIONAL) else { return nil }
        var fractions: [Double] = []
        for start in stride(from: 0, through: bytes.count - 8, by: 8) {
            let denominator = integer(bytes[start + 4..<start + 8])
            guard denominator > 0 else { return nil }
            fractions.append(Double(integer(bytes[start..<start + 4])) / Double(denominator))
        }
        return fractions
    }
}
