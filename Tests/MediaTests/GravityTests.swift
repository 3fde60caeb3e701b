// SPDX-License-Identifier: GPL-3.0-or-later

import Media
import Testing

@Suite("Gravity")
struct GravityTests {
    private let screen = Dimensions(width: 1280, height: 720)

    @Test("resizeAspect shows all of a 4:3 picture between bars")
    func fit() {
        let (source, target) = Gravity.resizeAspect.place(
            Dimensions(width: 640, height: 480), on: screen)
        #expect(source == PixelRect(x: 0, y: 0, width: 640, height: 480))
        #expect(target == PixelRect(x: 160, y: 0, width: 960, height: 720))
    }

    @Test("resizeAspectFill covers the screen and crops evenly, at even pixels")
    func fill() {
        let (source, target) = Gravity.resizeAspectFill.place(
            Dimensions(width: 640, height: 480), on: screen)
        #expect(source == PixelRect(x: 0, y: 60, width: 640, height: 360))
        #expect(target == PixelRect(screen))
    }

    @Test("resize stretches the whole picture over the whole screen")
    func stretch() {
        let (source, target) = Gravity.resize.place(Dimensions(width: 10, height: 90), on: screen)
        #expect(source == PixelRect(x: 0, y: 0, width: 10, height: 90))
        #expect(target == PixelRect(screen))
    }

    @Test(
        "source and target stay within picture and screen, whatever their shapes",
        arguments: Gravity.allCases)
    func bounds(_ gravity: Gravity) {
        for width in stride(from: 2, through: 2000, by: 166) {
            for height in stride(from: 2, through: 2000, by: 166) {
                let picture = Dimensions(width: width, height: height)
                let (source, target) = gravity.place(picture, on: screen)
                #expect(source.x >= 0 && source.y >= 0 && source.width > 0 && source.height > 0)
                #expect(source.x + source.width <= width && source.y + source.height <= height)
                #expect(target.x >= 0 && target.y >= 0 && target.width > 0 && target.height > 0)
                #expect(target.x + target.width <= 1280 && target.y + target.height <= 720)
            }
        }
    }
}
