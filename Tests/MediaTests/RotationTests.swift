// SPDX-License-Identifier: GPL-3.0-or-later

import Media
import Testing

@Suite("Rotation")
struct RotationTests {
    private let size = Dimensions(width: 40, height: 30)

    @Test("a rotation moves the picture's upper left corner clockwise")
    func corner() {
        let corner = PixelRect(x: 0, y: 0, width: 4, height: 2)
        #expect(Rotation.none.apply(to: corner, of: size) == corner)
        #expect(
            Rotation.quarter.apply(to: corner, of: size)
                == PixelRect(x: 28, y: 0, width: 2, height: 4))
        #expect(
            Rotation.half.apply(to: corner, of: size)
                == PixelRect(x: 36, y: 28, width: 4, height: 2))
        #expect(
            Rotation.threeQuarters.apply(to: corner, of: size)
                == PixelRect(x: 0, y: 36, width: 2, height: 4))
    }

    @Test("the inverse rotation restores size and rectangle", arguments: Rotation.allCases)
    func inverse(_ rotation: Rotation) {
        let rect = PixelRect(x: 3, y: 7, width: 11, height: 5)
        let turned = rotation.apply(to: size)
        #expect(rotation.inverse.apply(to: turned) == size)
        #expect(rotation.inverse.apply(to: rotation.apply(to: rect, of: size), of: turned) == rect)
        #expect(rotation.apply(to: PixelRect(size), of: size) == PixelRect(turned))
    }
}
