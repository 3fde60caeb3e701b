// SPDX-License-Identifier: GPL-3.0-or-later

import Drawing
import Kiosk
import Media
import Screens
import Testing

@Suite("screens: rendered pixels")
struct SceneRendererTests {
    private func pixels(_ name: String, on screen: Dimensions) throws -> Pixels {
        let scene = try #require(scenes[name])
        return Pixels(try #require(try SceneRenderer(screen).render(scene)))
    }

    @Test("a bare preview needs no overlay")
    func bare() throws {
        let renderer = try SceneRenderer(Dimensions(width: 640, height: 480))
        #expect(renderer.render(Scene(.preview)) == nil)
        #expect(renderer.render(Scene(.black)) != nil)
    }

    @Test("no colour exceeds its alpha", arguments: screens)
    func premultiplied(screen: Dimensions) throws {
        let renderer = try SceneRenderer(screen)
        for (name, scene) in scenes {
            let drawn = Pixels(try #require(renderer.render(scene)))
            #expect(drawn.isPremultiplied, "\(name)")
            #expect(drawn.count { pixel, _, _ in pixel >> 24 > 0 } > 0, "\(name)")
        }
    }

    @Test("a scene gives the same picture, whatever was drawn before", arguments: screens)
    func repeatable(screen: Dimensions) throws {
        let (first, second) = (try SceneRenderer(screen), try SceneRenderer(screen))
        for (name, scene) in scenes.sorted(by: { $0.key < $1.key }) {
            let one = Pixels(try #require(first.render(scene)))
            for other in scenes.values.prefix(2) { _ = second.render(other) }
            let two = Pixels(try #require(second.render(scene)))
            #expect(one == two, "\(name)")
        }
    }

    @Test("different scenes look different")
    func different() throws {
        let renderer = try SceneRenderer(Dimensions(width: 800, height: 480))
        var seen: [Pixels] = []
        var all = Array(scenes.values)
        for digits in 1...5 {
            for step in [1, 2] {
                let face = Scene.Countdown(digits: digits, step: step + 4 * digits, steps: 40)
                all.append(Scene(.preview, countdown: face))
            }
        }
        for level in 0...Scene.Recording.levelSteps {
            all.append(recording(Scene.Recording(elapsed: 8, level: level)))
        }
        all.append(Scene(.preview, hint: "Press the red button"))
        for scene in all {
            let drawn = Pixels(try #require(renderer.render(scene)))
            #expect(!seen.contains(drawn), "\(scene)")
            seen.append(drawn)
        }
    }

    @Test("the hint is at the bottom and away from the edges", arguments: screens)
    func hint(screen: Dimensions) throws {
        let drawn = try pixels("live", on: screen)
        let unit = min(screen.width, screen.height)
        let margin = unit / 25
        let outside = drawn.count { pixel, x, y in
            pixel >> 24 > 0
                && (y < screen.height - unit / 5 || y >= screen.height - margin || x < margin
                    || x >= screen.width - margin)
        }
        #expect(outside == 0)
        let white = drawn.count { pixel, _, _ in pixel == 0xffff_ffff }
        #expect(white > unit * unit / 1000, "letters are visible")
    }

    @Test("the digits and the ring are in the middle, and the rest is empty", arguments: screens)
    func countdown(screen: Dimensions) throws {
        let drawn = try pixels("countdown", on: screen)
        let unit = Double(min(screen.width, screen.height))
        func distance(_ x: Int, _ y: Int) -> Double {
            let dx = Double(x) + 0.5 - Double(screen.width) / 2
            let dy = Double(y) + 0.5 - Double(screen.height) / 2
            return (dx * dx + dy * dy).squareRoot() / unit
        }
        let outside = drawn.count { pixel, x, y in pixel >> 24 > 0 && distance(x, y) > 0.47 }
        #expect(outside == 0)
        let digits = drawn.count { pixel, x, y in
            pixel == 0xffff_ffff && distance(x, y) < 0.25
        }
        #expect(Double(digits) > 0.01 * unit * unit)
        let ring = drawn.count { pixel, x, y in
            pixel == 0xffff_ffff && (0.28...0.32).contains(distance(x, y))
        }
        #expect(Double(ring) > 0.025 * unit * unit)
    }

    @Test("the ring becomes shorter with each step")
    func ring() throws {
        let renderer = try SceneRenderer(Dimensions(width: 640, height: 480))
        var last = Int.max
        for step in (1...12).reversed() {
            let face = Scene.Countdown(digits: 2, step: step, steps: 12)
            let drawn = Pixels(try #require(renderer.render(Scene(.preview, countdown: face))))
            let white = drawn.count { pixel, _, _ in pixel == 0xffff_ffff }
            #expect(white < last)
            last = white
        }
    }

    @Test("a scene without a preview covers the whole screen", arguments: screens)
    func covers(screen: Dimensions) throws {
        for name in ["starting", "no camera", "review"] {
            let drawn = try pixels(name, on: screen)
            #expect(drawn.leastAlpha == 255, "\(name)")
        }
    }

    @Test("a fault over the preview darkens it everywhere", arguments: screens)
    func scrim(screen: Dimensions) throws {
        #expect(try pixels("full", on: screen).leastAlpha >= 220)
    }

    @Test("a fault's title is bright, and no text touches the sides", arguments: screens)
    func faultTitle(screen: Dimensions) throws {
        let drawn = try pixels("no camera", on: screen)
        let white = drawn.count { pixel, x, y in pixel == 0xffff_ffff }
        #expect(white > screen.height * screen.height / 2000)
        let side = min(screen.width, screen.height) / 25
        let edge = drawn.count { pixel, x, _ in
            (x < side || x >= screen.width - side) && pixel >> 8 & 0xff > 0x50
        }
        #expect(edge == 0)
    }

    @Test("text of any length and script stays on the screen", arguments: screens)
    func longText(screen: Dimensions) throws {
        let renderer = try SceneRenderer(screen)
        let word = "Donaudampfschifffahrtsgesellschaftskapitän "
        for text in ["", " ", "\n\n", String(repeating: word, count: 20), "صورة", "\u{0}x", "🎉"] {
            let pill = Pixels(
                try #require(renderer.render(Scene(.preview, notice: .init(.failure, text)))))
            let margin = min(screen.width, screen.height) / 25
            let outside = pill.count { pixel, x, y in
                pixel >> 24 > 0
                    && (y < screen.height / 2 || y >= screen.height - margin || x < margin
                        || x >= screen.width - margin)
            }
            #expect(outside == 0, "\(text)")
            let fault = Scene.Fault(title: text, advice: text, code: text)
            #expect(renderer.render(Scene(.black, fault: fault)) != nil)
            #expect(renderer.render(Scene(.black, message: text)) != nil)
        }
    }

    @Test("a review shows the upright photo with black bars", arguments: screens)
    func review(screen: Dimensions) throws {
        let colors: [UInt32] = [0xff00_0000, 0x00ff_0000, 0x0000_ff00, 0xffff_ff00].map { $0 >> 8 }
        let size = Dimensions(width: 400, height: 300)
        let picture = Picture(size) { x, y in
            colors[(y < size.height / 2 ? 0 : 2) + (x < size.width / 2 ? 0 : 1)]
        }
        let renderer = try SceneRenderer(screen)
        let scene = Scene(.black, review: Scene.Review(assetID: "1", fileName: "1.jpg"))
        let drawn = Pixels(
            try #require(unsafe picture.withPixels { unsafe renderer.render(scene, picture: $0) }))
        let target = Gravity.resizeAspect.place(size, on: screen).target
        for (index, color) in colors.enumerated() {
            let x = target.x + target.width * (index % 2 == 0 ? 1 : 3) / 4
            let y = target.y + target.height * (index < 2 ? 1 : 3) / 4
            #expect(drawn[x, y] == 0xff00_0000 | color)
        }
        let bars = drawn.count { pixel, x, y in
            pixel == 0xff00_0000
                && (x < target.x || x >= target.x + target.width || y < target.y
                    || y >= target.y + target.height)
        }
        #expect(bars == screen.pixels - target.size.pixels)
        #expect(drawn.leastAlpha == 255)
    }

    @Test("a photo of the screen's size is shown unchanged")
    func exactReview() throws {
        let screen = Dimensions(width: 320, height: 240)
        let picture = Picture(screen) { x, y in UInt32(x * 7919 + y * 104_729) & 0xff_ffff }
        let renderer = try SceneRenderer(screen)
        let scene = Scene(.black, review: Scene.Review(assetID: "1", fileName: "1.jpg"))
        let drawn = Pixels(
            try #require(unsafe picture.withPixels { unsafe renderer.render(scene, picture: $0) }))
        let wrong = drawn.count { pixel, x, y in
            pixel != 0xff00_0000 | UInt32(x * 7919 + y * 104_729) & 0xff_ffff
        }
        #expect(wrong == 0)
    }

    @Test("the rendering times are printed")
    func times() throws {
        for screen in screens {
            let renderer = try SceneRenderer(screen)
            for (name, scene) in scenes.sorted(by: { $0.key < $1.key }) {
                let times = (0..<8).map { _ in
                    ContinuousClock().measure { _ = renderer.render(scene) }
                }
                let best = times.min() ?? .zero
                print("render \(name) at \(screen): \(best), at first \(times[0])")
            }
        }
    }
}
