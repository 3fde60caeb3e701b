// SPDX-License-Identifier: GPL-3.0-or-later

import Imaging
import Media
import TestSupport
import Testing

@Suite("composition")
struct CompositorTests {
    /// Returns a frame whose pixels all differ.
    private func pattern(_ format: PixelFormat, _ width: Int, _ height: Int) -> TestFrame {
        var frame = TestFrame(format, width, height)
        for row in 0..<height {
            for x in 0..<width {
                frame.set(x, row, rgb: [UInt8(x % 256), UInt8(row % 256), UInt8((x ^ row) % 256)])
            }
        }
        return frame
    }

    private func render(
        _ frame: TestFrame?, _ placement: Compositor.Placement? = nil, overlay: TestFrame? = nil,
        width: Int, height: Int
    ) throws -> TestFrame {
        var (frame, overlay, screen) = (frame, overlay, TestFrame(.xrgb, width, height))
        let compositor = Compositor()
        func draw(_ above: PixelAccess?) throws {
            try unsafe screen.access { target in
                guard var shown = frame, let placement else {
                    try unsafe compositor.render(nil, overlay: above, into: target)
                    return
                }
                try unsafe shown.access {
                    try unsafe compositor.render(($0, placement), overlay: above, into: target)
                }
                frame = shown
            }
        }
        if var above = overlay {
            try unsafe above.access { try unsafe draw($0) }
            overlay = above
        } else {
            try draw(nil)
        }
        #expect(screen.isPaddingUntouched)
        return screen
    }

    @Test(
        "unscaled pictures keep every pixel between black bars, mirrored or not",
        arguments: [false, true])
    func unscaled(_ mirrored: Bool) throws {
        let source = PixelRect(x: 3, y: 5, width: 21, height: 10)
        let target = PixelRect(x: 7, y: 2, width: 21, height: 10)
        for format in [PixelFormat.xrgb, .rgb24] {
            let frame = pattern(format, 40, 20)
            let exact = pattern(.xrgb, 40, 20)
            let screen = try render(
                frame,
                Compositor.Placement(
                    source: source, target: target, orientation: mirrored ? .mirrored : .upright),
                width: 50, height: 17)
            for row in 0..<17 {
                for x in 0..<50 {
                    let (column, line) = (x - target.x, row - target.y)
                    let inside = (0..<21).contains(column) && (0..<10).contains(line)
                    let from = mirrored ? 20 - column : column
                    #expect(
                        screen.rgb(x, row)
                            == (inside ? exact.rgb(source.x + from, source.y + line) : [0, 0, 0]))
                }
            }
        }
    }

    @Test(
        "a part with odd edges keeps every pixel's own chroma in subsampled frames",
        arguments: [PixelFormat.yuyv, .uyvy, .nv12, .nv21, .nv16, .yuv420, .yvu420, .yuv422, .grey])
    func oddEdges(_ format: PixelFormat) throws {
        var frame = TestFrame(format, 32, 16)
        frame.randomize(5)
        let whole = try render(
            frame,
            Compositor.Placement(
                source: PixelRect(x: 0, y: 0, width: 32, height: 16),
                target: PixelRect(x: 0, y: 0, width: 32, height: 16)), width: 32, height: 16)
        for (x, y) in [(0, 0), (1, 0), (0, 1), (5, 3), (6, 4)] {
            let part = try render(
                frame,
                Compositor.Placement(
                    source: PixelRect(x: x, y: y, width: 11, height: 9),
                    target: PixelRect(x: 0, y: 0, width: 11, height: 9)), width: 11, height: 9)
            let same = (0..<9).allSatisfy { row in
                (0..<11).allSatisfy { part.rgb($0, row) == whole.rgb($0 + x, row + y) }
            }
            #expect(same, "\(format) from \(x),\(y)")
        }
    }

    @Test("a picture at half size is the mean of 2x2 pixels, within 1")
    func halved() throws {
        var frame = TestFrame(.xrgb, 64, 32)
        frame.randomize(11)
        let screen = try render(
            frame,
            Compositor.Placement(
                Dimensions(width: 64, height: 32), on: Dimensions(width: 32, height: 16), .resize),
            width: 32, height: 16)
        for row in 0..<16 {
            for x in 0..<32 {
                let four = [(0, 0), (1, 0), (0, 1), (1, 1)].map {
                    frame.rgb(2 * x + $0.0, 2 * row + $0.1)
                }
                let mean = (0..<3).map { channel in
                    four.reduce(0.0) { $0 + Double($1[channel]) } / 4
                }
                #expect(worst(zip(screen.rgb(x, row), mean)) <= 1)
            }
        }
    }

    @Test(
        "each gravity fills its area, and mirroring only mirrors the picture",
        arguments: Gravity.allCases)
    func gravities(_ gravity: Gravity) throws {
        // The left half is red, the right half green.
        var frame = TestFrame(.xrgb, 80, 40)
        for row in 0..<40 {
            for x in 0..<80 { frame.set(x, row, rgb: x < 40 ? [255, 0, 0] : [0, 255, 0]) }
        }
        let screenSize = Dimensions(width: 60, height: 60)
        var placement = Compositor.Placement(
            frame.description.dimensions, on: screenSize, gravity)
        let plain = try render(frame, placement, width: 60, height: 60)
        placement.orientation = .mirrored
        let mirrored = try render(frame, placement, width: 60, height: 60)
        for row in 0..<60 {
            let isBar = gravity == .resizeAspect && !(15..<45).contains(row)
            let (left, right) = isBar ? ([0, 0, 0], [0, 0, 0]) : ([255.0, 0, 0], [0, 255.0, 0])
            #expect(worst(zip(plain.rgb(2, row), left)) <= 2)
            #expect(worst(zip(plain.rgb(57, row), right)) <= 2)
            #expect((0..<60).allSatisfy { plain.rgb($0, row) == mirrored.rgb(59 - $0, row) })
        }
    }

    @Test("a picture is turned and then mirrored, scaled or not", arguments: 1...8)
    func turned(number: Int) throws {
        let orientation = try #require(ExifOrientation(rawValue: number))
        // Red, green, blue and white, clockwise from the upper left.
        let colors: [[UInt8]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]]
        var frame = TestFrame(.xrgb, 80, 40)
        for row in 0..<40 {
            for x in 0..<80 {
                frame.set(x, row, rgb: colors[row < 20 ? (x < 40 ? 0 : 1) : (x < 40 ? 3 : 2)])
            }
        }
        // Each quarter turn moves every corner to the next place clockwise.
        let turns = orientation.rotation.rawValue / 90
        var corners = (0..<4).map { colors[($0 + 4 - turns) % 4] }
        if orientation.isMirrored {
            corners.swapAt(0, 1)
            corners.swapAt(2, 3)
        }
        for size in [
            orientation.apply(to: Dimensions(width: 80, height: 40)),
            Dimensions(width: 64, height: 64),
        ] {
            let placement = Compositor.Placement(
                frame.description.dimensions, on: size, .resize, orientation)
            let screen = try render(frame, placement, width: size.width, height: size.height)
            let (right, bottom) = (size.width - 3, size.height - 3)
            for (corner, (x, row)) in [(2, 2), (right, 2), (right, bottom), (2, bottom)]
                .enumerated()
            {
                #expect(
                    worst(zip(screen.rgb(x, row), corners[corner].map(Double.init))) <= 2)
            }
        }
    }

    @Test("a premultiplied overlay is blended within 1 over pictures, bars and black")
    func overlays() throws {
        var random = Seeded(21)
        var overlay = TestFrame(.argb, 40, 20)
        var alphas: [UInt8] = []
        for row in 0..<20 {
            for x in 0..<40 {
                let alpha = x < 4 ? 0 : x < 8 ? 255 : UInt8.random(in: 0...255, using: &random)
                alphas.append(alpha)
                for channel in 0..<3 {
                    overlay[0, row, 4 * x + channel] = UInt8.random(in: 0...alpha, using: &random)
                }
                overlay[0, row, 4 * x + 3] = alpha
            }
        }
        let frame = pattern(.xrgb, 30, 20)
        let placement = Compositor.Placement(
            source: PixelRect(x: 0, y: 0, width: 30, height: 20),
            target: PixelRect(x: 5, y: 0, width: 30, height: 20))
        for (frame, placement) in [(frame, placement), (nil, nil)]
            as [(TestFrame?, Compositor.Placement?)]
        {
            let below = try render(frame, placement, width: 40, height: 20)
            let screen = try render(frame, placement, overlay: overlay, width: 40, height: 20)
            for row in 0..<20 {
                for x in 0..<40 {
                    let rest = 1 - Double(alphas[row * 40 + x]) / 255
                    let expected = zip(overlay.rgb(x, row), below.rgb(x, row)).map {
                        Double($0) + Double($1) * rest
                    }
                    #expect(worst(zip(screen.rgb(x, row), expected)) <= 1)
                }
            }
        }
    }

    @Test("rectangles outside their pictures and wrong formats are refused")
    func refusals() throws {
        let frame = pattern(.xrgb, 16, 16)
        let whole = PixelRect(x: 0, y: 0, width: 16, height: 16)
        for bad in [
            PixelRect(x: 1, y: 0, width: 16, height: 16),
            PixelRect(x: 0, y: -1, width: 4, height: 4),
            PixelRect(x: 0, y: 0, width: 0, height: 4),
            PixelRect(x: Int.max, y: 0, width: 4, height: 4),
        ] {
            #expect(throws: ImagingError.self) {
                try render(
                    frame, Compositor.Placement(source: bad, target: whole), width: 16, height: 16)
            }
            #expect(throws: ImagingError.self) {
                try render(
                    frame, Compositor.Placement(source: whole, target: bad), width: 16, height: 16)
            }
        }
        #expect(throws: ImagingError.self) {
            try render(nil, overlay: TestFrame(.argb, 15, 16), width: 16, height: 16)
        }
        #expect(throws: ImagingError.self) {
            try render(nil, overlay: TestFrame(.xrgb, 16, 16), width: 16, height: 16)
        }
    }
}
