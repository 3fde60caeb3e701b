// SPDX-License-Identifier: GPL-3.0-or-later

import Imaging
import Media
import Testing

@Suite("turned pictures")
struct TurnedPictureTests {
    private let size = Dimensions(width: 13, height: 6)

    private func color(_ x: Int, _ y: Int) -> [UInt8] {
        [UInt8(x * 7), UInt8(y * 11), UInt8(x ^ y)]
    }

    @Test(
        "every pixel lands where the rotation puts it, whatever the strides",
        arguments: Rotation.allCases)
    func pixels(_ rotation: Rotation) throws {
        var source = TestFrame(.xrgb, size.width, size.height)
        for y in 0..<size.height {
            for x in 0..<size.width { source.set(x, y, rgb: color(x, y)) }
        }
        let turned = rotation.apply(to: size)
        var target = TestFrame(.xrgb, turned.width, turned.height)
        try unsafe source.access { from in
            try unsafe target.access { try unsafe from.write(turned: rotation, into: $0) }
        }
        for y in 0..<size.height {
            for x in 0..<size.width {
                let pixel = PixelRect(x: x, y: y, width: 1, height: 1)
                let place = rotation.apply(to: pixel, of: size)
                #expect(target.rgb(place.x, place.y) == color(x, y))
            }
        }
        #expect(target.isPaddingUntouched)
    }

    @Test("other formats and sizes are refused")
    func refusals() throws {
        var source = TestFrame(.xrgb, size.width, size.height)
        var wrong = TestFrame(.xrgb, size.width, size.height)
        var planar = TestFrame(.nv12, 16, 16)
        #expect(throws: ImagingError.self) {
            try unsafe source.access { from in
                try unsafe wrong.access { try unsafe from.write(turned: .quarter, into: $0) }
            }
        }
        #expect(throws: ImagingError.self) {
            try unsafe planar.access { from in
                try unsafe wrong.access { try unsafe from.write(turned: .half, into: $0) }
            }
        }
    }
}
