// SPDX-License-Identifier: GPL-3.0-or-later

extension Location {
    /// The location as movies store it, to a ten-millionth of a degree, with the height in metres:
    /// `+48.2082000+016.3738000+171.000/` (ISO 6709, annex H).
    public var iso6709: String {
        let degrees = [
            Self.text(latitude, whole: 2, places: 7), Self.text(longitude, whole: 3, places: 7),
        ]
        // A height that is unknown or too large is left out.
        let height = altitude.flatMap { Self.text($0, whole: 1, places: 3) }
        return (degrees + [height]).compactMap(\.self).joined() + "/"
    }

    /// Reads a location as ``iso6709`` and other cameras write it: degrees with decimals,
    /// optionally a height in metres, optionally a reference system; `nil` for anything else.
    public init?(iso6709 text: String) {
        let end = text.firstIndex { "/C".contains($0) } ?? text.endIndex
        var numbers: [Substring] = []
        var rest = text[..<end]
        while let sign = rest.first, "+-".contains(sign) {
            let digits = rest.dropFirst().prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            numbers.append(rest[..<digits.endIndex])
            rest = rest[digits.endIndex...]
        }
        guard rest.isEmpty, (2...3).contains(numbers.count),
            // More digits before the point would be minutes and seconds.
            numbers[0].prefix(while: { $0 != "." }).count <= 3,
            numbers[1].prefix(while: { $0 != "." }).count <= 4
        else { return nil }
        let values = numbers.compactMap { Double($0) }
        guard values.count == numbers.count else { return nil }
        self.init(latitude: values[0], longitude: values[1], altitude: values.dropFirst(2).first)
    }

    /// Returns a signed decimal with at least `whole` digits before the point; `nil` if too large.
    private static func text(_ value: Double, whole: Int, places: Int) -> String? {
        let unit: Int64 = (0..<places).reduce(1) { unit, _ in unit * 10 }
        guard let scaled = Int64(exactly: (abs(value) * Double(unit)).rounded()) else { return nil }
        func padded(_ number: Int64, _ digits: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(digits - text.count, 0)) + text
        }
        let (front, behind) = scaled.quotientAndRemainder(dividingBy: unit)
        return (value < 0 ? "-" : "+") + padded(front, whole) + "." + padded(behind, places)
    }
}
