// SPDX-License-Identifier: GPL-3.0-or-later

import Media
import Testing

@Suite("Location: ISO 6709")
struct LocationTests {
    @Test(
        "a location is written as movies have it, and read back",
        arguments: [
            (48.25, -16.5, 171.5, "+48.2500000-016.5000000+171.500/"),
            (-0.5, 0.0, nil, "-00.5000000+000.0000000/"),
            (-90, 180, -430.25, "-90.0000000+180.0000000-430.250/"),
            (1.23456789, 9.99999996, 8849, "+01.2345679+010.0000000+8849.000/"),
        ] as [(Double, Double, Double?, String)])
    func written(latitude: Double, longitude: Double, altitude: Double?, text: String) throws {
        let place = try #require(
            Location(latitude: latitude, longitude: longitude, altitude: altitude))
        #expect(place.iso6709 == text)
        let read = try #require(Location(iso6709: text))
        #expect(abs(read.latitude - latitude) < 1e-7 && abs(read.longitude - longitude) < 1e-7)
        #expect(read.altitude == altitude)
    }

    @Test("an absurd altitude is left out")
    func height() {
        let place = Location(latitude: 1, longitude: 2, altitude: 1e300)
        #expect(place?.iso6709 == "+01.0000000+002.0000000/")
    }

    @Test(
        "notations of other cameras are read",
        arguments: ["+48.2500-016.5000/", "+48.25-16.5", "+48.2500-016.5000+171.500CRSWGS_84/"])
    func others(text: String) {
        let place = Location(iso6709: text)
        #expect(place?.latitude == 48.25 && place?.longitude == -16.5)
    }

    @Test(
        "an invalid location is refused",
        arguments: [
            "", "/", "48.25-016.5/", "+48.25/", "+95.0+000.0/", "+48.25-016.5+1+2/",
            "+4815-01630/", "+48.2.5-016.5/", "+-/", "Vienna",
        ])
    func none(text: String) {
        #expect(Location(iso6709: text) == nil)
    }
}
