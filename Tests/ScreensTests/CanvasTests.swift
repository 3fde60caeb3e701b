// SPDX-License-Identifier: GPL-3.0-or-later

import Drawing
import Media
import Screens
import TestSupport
import Testing

@Suite("drawing: the canvas")
struct CanvasTests {
    private func makeCanvas(_ width: Int = 64, _ height: Int = 48) throws -> Canvas {
        try Canvas(Dimensions(width: width, height: height))
    }

    @Test("a new canvas is transparent, and clear makes it transparent again")
    func clear() throws {
        let canvas = try makeCanvas()
        #expect(Pixels(canvas).values.allSatisfy { $0 == 0 })
        canvas.fill(Color(0x123456))
        #expect(Pixels(canvas).values.allSatisfy { $0 == 0xff12_3456 })
        canvas.clear()
        #expect(Pixels(canvas).values.allSatisfy { $0 == 0 })
    }

    @Test(
        "impossible sizes throw",
        arguments: [(0, 1), (1, 0), (-4, 4), (40_000, 4), (Int.max, Int.max)])
    func sizes(width: Int, height: Int) {
        #expect(throws: CanvasError.self) {
            _ = try Canvas(Dimensions(width: width, height: height))
        }
    }

    @Test("half-opaque white is stored premultiplied")
    func premultiplied() throws {
        let canvas = try makeCanvas()
        canvas.fill(Color.white.opacity(0.5))
        #expect(Pixels(canvas)[3, 3] == 0x8080_8080)
    }

    @Test("a rectangle covers exactly its pixels; its rounded corners stay empty")
    func rectangles() throws {
        let canvas = try makeCanvas()
        canvas.fill(Rectangle(x: 8, y: 4, width: 32, height: 24), .white)
        let sharp = Pixels(canvas)
        let wrong = sharp.count { pixel, x, y in
            (pixel == 0xffff_ffff) != ((8..<40).contains(x) && (4..<28).contains(y))
        }
        #expect(wrong == 0)
        canvas.clear()
        canvas.fill(Rectangle(x: 8, y: 4, width: 32, height: 24), .white, cornerRadius: 8)
        let round = Pixels(canvas)
        #expect(round[8, 4] == 0)
        #expect(round[39, 27] == 0)
        #expect(round[24, 4] == 0xffff_ffff)
        #expect(round.count { pixel, x, y in pixel != 0 && sharp[x, y] == 0 } == 0)
    }

    @Test("an arc starts at the top and runs clockwise")
    func arcs() throws {
        let canvas = try makeCanvas(64, 64)
        canvas.strokeArc(Point(x: 32, y: 32), radius: 24, from: 0, to: 0.25, .white, width: 6)
        let drawn = Pixels(canvas)
        #expect(drawn[49, 15] == 0xffff_ffff)
        #expect(drawn[15, 15] == 0)
        #expect(drawn[49, 49] == 0)
        #expect(drawn[32, 32] == 0)
    }

    @Test("gravity crops, fits or stretches a picture", arguments: Gravity.allCases)
    func gravity(gravity: Gravity) throws {
        let canvas = try makeCanvas(100, 100)
        let picture = Picture(Dimensions(width: 80, height: 40)) { x, _ in
            x < 20 ? 0xff0000 : x < 60 ? 0x00ff00 : 0x0000ff
        }
        let target = PixelRect(x: 10, y: 10, width: 80, height: 80)
        unsafe picture.withPixels { unsafe canvas.draw($0, in: target, gravity) }
        let drawn = Pixels(canvas)
        #expect(drawn[50, 50] == 0xff00_ff00)
        #expect(drawn[9, 50] == 0)
        #expect(drawn[90, 50] == 0)
        switch gravity {
        case .resizeAspect:
            #expect(drawn[12, 50] == 0xffff_0000)
            #expect(drawn[50, 20] == 0)
        case .resizeAspectFill:
            #expect(drawn[12, 12] == 0xff00_ff00)
        case .resize:
            #expect(drawn[12, 12] == 0xffff_0000)
            #expect(drawn[87, 87] == 0xff00_00ff)
        }
    }

    @Test("an overlay is blended over a picture")
    func compose() throws {
        let overlay = try makeCanvas()
        overlay.fill(Rectangle(x: 0, y: 0, width: 32, height: 48), Color.black.opacity(0.5))
        let screen = try makeCanvas()
        let picture = Picture(screen.dimensions) { _, _ in 0xc08040 }
        let whole = PixelRect(screen.dimensions)
        unsafe picture.withPixels { unsafe screen.draw($0, in: whole, .resize) }
        unsafe overlay.withPixels { unsafe screen.draw($0, in: whole, .resize) }
        let drawn = Pixels(screen)
        #expect(drawn[40, 10] == 0xffc0_8040)
        let dark = drawn[10, 10]
        #expect(dark >> 24 == 0xff)
        #expect((0x5f...0x61).contains(dark >> 16 & 0xff))
    }

    @Test("text stays in its box, is aligned in it and is shortened to fit")
    func text() throws {
        let canvas = try makeCanvas(400, 100)
        let box = Rectangle(x: 100, y: 20, width: 200, height: 60)
        var style = TextStyle(.relative(0.24))
        for alignment in [TextStyle.Alignment.leading, .center, .trailing] {
            style.alignment = alignment
            canvas.clear()
            let lines = canvas.draw("Wonderful", style, in: box)
            let drawn = Pixels(canvas)
            let ink = drawn.count { pixel, _, _ in pixel >> 24 > 0 }
            #expect(ink > 300)
            #expect(
                drawn.count { pixel, x, y in
                    pixel >> 24 > 0 && !((98..<302).contains(x) && (20..<80).contains(y))
                } == 0)
            switch alignment {
            case .leading: #expect(abs(lines.x - 100) < 1)
            case .center: #expect(abs(lines.center.x - 200) < 1)
            case .trailing: #expect(abs(lines.x + lines.width - 300) < 1)
            }
        }
        let long = String(repeating: "Wonderful ", count: 20)
        #expect(canvas.measure(long, style, width: 200).isShortened)
        style.maximumLines = 30
        let size = canvas.measure(long, style, width: 200)
        #expect(!size.isShortened)
        #expect(size.height > 200)
        #expect(size.width <= 200)
    }

    @Test("an outline or a glow is drawn around the letters")
    func edges() throws {
        let canvas = try makeCanvas(200, 100)
        var style = TextStyle(.pixels(60), weight: .bold)
        canvas.draw("1", style, inkCenteredAt: canvas.bounds.center)
        let plain = Pixels(canvas).count { pixel, _, _ in pixel >> 24 > 0 }
        for edge in [TextStyle.Edge.outline(.black), .glow(.black)] {
            style.edge = edge
            canvas.clear()
            canvas.draw("1", style, inkCenteredAt: canvas.bounds.center)
            let drawn = Pixels(canvas)
            #expect(drawn.count { pixel, _, _ in pixel >> 24 > 0 } > plain)
            #expect(drawn.isPremultiplied)
        }
    }

    @Test("a missing font family is replaced")
    func missingFamily() throws {
        let canvas = try makeCanvas(200, 100)
        let style = TextStyle(.pixels(40), family: "No Such Family 7781")
        canvas.draw("Hello", style, in: canvas.bounds)
        #expect(Pixels(canvas).count { pixel, _, _ in pixel >> 24 > 0 } > 200)
    }

    @Test("a PNG is written, and the error of a failed write names the path")
    func png() throws {
        let canvas = try makeCanvas()
        canvas.fill(Color(0x336699))
        let bytes = try canvas.png()
        #expect(bytes.prefix(8) == [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
        let folder = try TemporaryFolder()
        try canvas.writePNG(to: folder.path(of: "canvas.png"))
        #expect(try folder.contents(of: "canvas.png") == bytes)
        let error = #expect(throws: CanvasError.self) {
            try canvas.writePNG(to: "/nowhere/at/all.png")
        }
        #expect(error?.message.contains("/nowhere/at/all.png") == true)
    }
}
