// SPDX-License-Identifier: GPL-3.0-or-later

import Imaging
import Media
import Testing

@Suite("JPEG encoding")
struct JPEGEncoderTests {
    /// The side of a colour tile in pixels. Tiles exceed JPEG's 8x8 blocks, whose loss would hide
    /// errors.
    static let tile = 32
    static let colors: [[Double]] = {
        let levels = [0.0, 64, 128, 192, 255]
        return levels.flatMap { r in levels.flatMap { g in levels.map { [r, g, $0] } } }
    }()
    static let columns = 25

    private func tiles(_ format: PixelFormat, _ color: ColorDescription, extra: Int = 0)
        -> TestFrame
    {
        let width = Self.columns * Self.tile + extra
        let height = Self.colors.count / Self.columns * Self.tile + extra
        var frame = TestFrame(format, width, height, color: color)
        for y in 0..<height {
            for x in 0..<width {
                let rgb = Self.colors[index(x, y)]
                if format.isYUV {
                    let (luma, u, v) = Reference(color: color).yuv(rgb[0], rgb[1], rgb[2])
                    frame.set(x, y, y: luma, u: u, v: v)
                } else {
                    frame.set(x, y, rgb: rgb.map { UInt8($0) })
                }
            }
        }
        return frame
    }

    private func index(_ x: Int, _ y: Int) -> Int {
        let rows = Self.colors.count / Self.columns
        return min(y / Self.tile, rows - 1) * Self.columns + min(x / Self.tile, Self.columns - 1)
    }

    @Test(
        "djpeg decodes colours within 2 of the frame's own samples in Double",
        arguments: TestFrame.yuvFormats, Reference.all)
    func colors(_ format: PixelFormat, _ color: ColorDescription) throws {
        // 17 extra pixels: 16 make a partial tile, and 1 makes odd sides and a partial chroma step.
        for extra in [0, 17] {
            var frame = tiles(format, color, extra: extra)
            let jpeg = try unsafe frame.access { try unsafe JPEGEncoder().encode($0, quality: 100) }
            let picture = try Tool.djpeg(jpeg)
            #expect(picture.dimensions == frame.description.dimensions)
            var error = 0.0
            for y in 0..<frame.height {
                for x in 0..<frame.width {
                    // Skip edges, where neighbouring chroma mixes.
                    let (inX, inY) = (x % Self.tile, y % Self.tile)
                    let isInner = (8..<24).contains(inX) && (8..<24).contains(inY)
                    let isLast =
                        extra > 0 && (x == frame.width - 1 && isInnerOrLast(y, frame.height))
                    guard isInner || isLast else { continue }
                    let expected = Reference(color: color).rgb(
                        frame.y(x, y), frame.u(x, y), frame.v(x, y))
                    error = max(error, worst(zip(picture[x, y], expected)))
                }
            }
            #expect(error <= 2, "\(format) \(color) +\(extra)")
        }
    }

    private func isInnerOrLast(_ y: Int, _ height: Int) -> Bool {
        (8..<24).contains(y % Self.tile) && y < height - 17 || y == height - 1
    }

    @Test("djpeg decodes RGB within 2 of the original", arguments: TestFrame.rgbFormats)
    func rgb(_ format: PixelFormat) throws {
        var frame = tiles(format, .jpeg)
        let jpeg = try unsafe frame.access { try unsafe JPEGEncoder().encode($0, quality: 100) }
        let picture = try Tool.djpeg(jpeg)
        var error = 0.0
        for y in 0..<frame.height where (8..<24).contains(y % Self.tile) {
            for x in 0..<frame.width where (8..<24).contains(x % Self.tile) {
                var expected = Self.colors[index(x, y)]
                if format == .rgb565 {
                    expected = zip(expected, [5, 6, 5]).map { value, bits in
                        let high = Int(value) >> (8 - bits)
                        return Double(high << (8 - bits) | high >> (2 * bits - 8))
                    }
                }
                error = max(error, worst(zip(picture[x, y], expected)))
            }
        }
        #expect(error <= 2)
    }

    @Test(
        "a JPEG keeps the frame's chroma subsampling, and RGB gets the one asked for",
        arguments: TestFrame.yuvFormats)
    func subsampling(_ format: PixelFormat) throws {
        let expected: JPEGSubsampling =
            switch format {
            case .grey: .grey
            case .nv12, .nv21, .yuv420, .yvu420: .yuv420
            default: .yuv422
            }
        var frame = TestFrame(format, 64, 32)
        frame.randomize(4)
        let (encoder, decoder) = (try JPEGEncoder(), try JPEGDecoder())
        let jpeg = try unsafe frame.access { try unsafe encoder.encode($0, quality: 90) }
        #expect(try decoder.header(of: jpeg).subsampling == expected)
        var rgb = TestFrame(.xrgb, 64, 32)
        for wanted in [JPEGSubsampling.yuv444, .yuv422, .yuv420, .grey] {
            let jpeg = try unsafe rgb.access {
                try unsafe encoder.encode($0, quality: 90, rgbSubsampling: wanted)
            }
            #expect(try decoder.header(of: jpeg).subsampling == wanted)
        }
    }

    @Test(
        "RGB and grey equal cjpeg's output to the byte, at every size and subsampling",
        arguments: [(1, 1), (1, 9), (9, 1), (97, 63), (64, 48)])
    func asCJPEG(_ width: Int, _ height: Int) throws {
        let encoder = try JPEGEncoder()
        let scene = RGBPicture.scene(width, height)
        let samplings: [(JPEGSubsampling, [String])] = [
            (.yuv444, ["-sample", "1x1"]), (.yuv422, ["-sample", "2x1"]),
            (.yuv420, ["-sample", "2x2"]), (.yuv440, ["-sample", "1x2"]),
            (.yuv411, ["-sample", "4x1"]), (.grey, ["-grayscale"]),
        ]
        for format in [PixelFormat.rgb24, .bgr24, .xrgb] {
            var frame = TestFrame(format, width, height)
            for y in 0..<height {
                for x in 0..<width { frame.set(x, y, rgb: scene[x, y]) }
            }
            for (subsampling, options) in samplings {
                let jpeg = try unsafe frame.access {
                    try unsafe encoder.encode($0, quality: 96, rgbSubsampling: subsampling)
                }
                let expected = try Tool.cjpeg(scene, ["-quality", "96"] + options)
                #expect(jpeg == expected, "\(format) \(subsampling)")
            }
        }
        var grey = TestFrame(.grey, width, height, color: .jpeg)
        var samples: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                samples.append(scene[x, y][1])
                grey.set(x, y, y: scene[x, y][1], u: 128, v: 128)
            }
        }
        let jpeg = try unsafe grey.access { try unsafe encoder.encode($0, quality: 97) }
        let size = Dimensions(width: width, height: height)
        #expect(try jpeg == Tool.cjpeg(grey: samples, size, ["-quality", "97"]))
        #expect(try jpeg != Tool.cjpeg(grey: samples, size, ["-quality", "30"]))
    }

    @Test(
        "the same samples give the same JPEG to the byte, in any pixel layout",
        arguments: [
            (PixelFormat.yuv422, [PixelFormat.yuyv, .uyvy, .nv16]),
            (.yuv420, [.nv12, .nv21, .yvu420]),
        ], [(64, 48), (97, 63)])
    func sameSamples(
        _ formats: (planar: PixelFormat, others: [PixelFormat]), _ size: (width: Int, height: Int)
    ) throws {
        let encoder = try JPEGEncoder()
        func jpeg(_ format: PixelFormat, _ color: ColorDescription, y: Int = 7) throws -> [UInt8] {
            var frame = TestFrame(format, size.width, size.height, color: color)
            for row in 0..<size.height {
                for column in 0..<size.width {
                    // All pixels that share a chroma sample set the same value.
                    let (u, v) = (column / 2 * 5 + row / 2 * 3, column / 2 * 2 - row / 2 * 9)
                    frame.set(
                        column, row, y: UInt8(truncatingIfNeeded: column * y + row * 11),
                        u: UInt8(truncatingIfNeeded: u), v: UInt8(truncatingIfNeeded: v))
                }
            }
            return try unsafe frame.access { try unsafe encoder.encode($0, quality: 90) }
        }
        for color in Reference.all {
            let expected = try jpeg(formats.planar, color)
            for format in formats.others {
                #expect(try jpeg(format, color) == expected, "\(format) \(color)")
            }
            #expect(try jpeg(formats.planar, color, y: 8) != expected)
        }
    }

    @Test(
        "a JPEG's planes, encoded again at top quality, keep their samples within 1",
        arguments: [("2x2", PixelFormat.yuv420), ("2x1", .yuv422)])
    func roundTrip(_ sampling: String, _ format: PixelFormat) throws {
        for (width, height) in [(96, 64), (97, 63)] {
            let jpeg = try Tool.cjpeg(
                .scene(width, height), ["-sample", sampling, "-quality", "85"])
            let (encoder, decoder) = (try JPEGEncoder(), try JPEGDecoder())
            var first = TestFrame(format, width, height, color: .jpeg)
            var second = first
            try unsafe first.access { _ = try unsafe decoder.decode(jpeg, into: $0) }
            let again = try unsafe first.access { try unsafe encoder.encode($0, quality: 100) }
            try unsafe second.access { _ = try unsafe decoder.decode(again, into: $0) }
            let pairs = zip(second.memory, first.memory.map(Double.init))
            #expect(worst(pairs) <= 1.5, "\(width)x\(height)")
        }
    }

    @Test("a higher quality costs bytes, and qualities are clamped to 1 to 100")
    func quality() throws {
        let jpeg = try Tool.cjpeg(.scene(160, 120), ["-sample", "2x1", "-quality", "95"])
        let encoder = try JPEGEncoder()
        var frame = TestFrame(.yuv422, 160, 120, color: .jpeg)
        try unsafe frame.access { _ = try unsafe JPEGDecoder().decode(jpeg, into: $0) }
        let sizes = try [-5, 1, 50, 90, 100, 1000].map { quality in
            try unsafe frame.access { access in
                try unsafe encoder.withEncoded(access, quality: quality) { $0.count }
            }
        }
        #expect(sizes[0] == sizes[1] && sizes[4] == sizes[5])
        #expect(sizes[1] < sizes[2] && sizes[2] < sizes[3] && sizes[3] < sizes[4])
    }

    @Test(
        "a thumbnail fits its size and keeps proportions and colours",
        arguments: TestFrame.yuvFormats + TestFrame.rgbFormats)
    func thumbnails(_ format: PixelFormat) throws {
        let color = ColorDescription(matrix: .bt709, range: .limited)
        for (size, expected) in [
            ((640, 480), (160, 120)), ((640, 360), (160, 90)), ((300, 640), (56, 120)),
            ((64, 32), (64, 32)),
        ] {
            var frame = TestFrame(format, size.0, size.1, color: color)
            // The left half has one colour, the right half another.
            let colors = [[200.0, 60, 40], [30.0, 90, 180]]
            for y in 0..<frame.height {
                for x in 0..<frame.width {
                    let rgb = colors[x < frame.width / 2 ? 0 : 1]
                    if format.isYUV {
                        let (luma, u, v) = Reference(color: color).yuv(rgb[0], rgb[1], rgb[2])
                        frame.set(x, y, y: luma, u: u, v: v)
                    } else {
                        frame.set(x, y, rgb: rgb.map { UInt8($0) })
                    }
                }
            }
            let jpeg = try unsafe frame.access {
                try unsafe JPEGEncoder().thumbnail(of: $0, quality: 95)
            }
            let picture = try Tool.djpeg(jpeg)
            #expect(picture.dimensions == Dimensions(width: expected.0, height: expected.1))
            for (side, rgb) in colors.enumerated() {
                let x = picture.dimensions.width * (2 * side + 1) / 4
                var wanted = rgb
                if format == .grey {
                    let luma = Reference(color: color).yuv(rgb[0], rgb[1], rgb[2]).y
                    wanted = Reference(color: color).rgb(luma, 128, 128)
                }
                #expect(worst(zip(picture[x, picture.dimensions.height / 2], wanted)) <= 8)
            }
        }
    }

    @Test(
        "a thumbnail shows the whole picture, from the first row to the last",
        arguments: [PixelFormat.nv12, .xrgb, .yuyv])
    func thumbnailRows(_ format: PixelFormat) throws {
        var frame = TestFrame(format, 1280, 962, color: .jpeg)
        for y in 0..<frame.height {
            let grey = 20.0 + 200 * Double(y) / Double(frame.height)
            for x in 0..<frame.width {
                if format.isYUV {
                    frame.set(x, y, y: UInt8(grey), u: 128, v: 128)
                } else {
                    frame.set(x, y, rgb: [UInt8](repeating: UInt8(grey), count: 3))
                }
            }
        }
        let jpeg = try unsafe frame.access {
            try unsafe JPEGEncoder().thumbnail(of: $0, quality: 95)
        }
        let picture = try Tool.djpeg(jpeg)
        let height = picture.dimensions.height
        for y in 0..<height {
            let wanted = 20 + 200 * (Double(y) + 0.5) / Double(height)
            #expect(worst(zip(picture[80, y], [wanted, wanted, wanted])) <= 4, "row \(y)")
        }
    }

    @Test("a JPEG's thumbnail is made from its scaled decoding")
    func thumbnailOfJPEG() throws {
        let jpeg = try Tool.cjpeg(.scene(1280, 720), ["-sample", "2x1"])
        let thumbnail = try JPEGEncoder().thumbnail(of: jpeg, decoder: JPEGDecoder())
        let picture = try Tool.djpeg(thumbnail)
        #expect(picture.dimensions == Dimensions(width: 160, height: 90))
        let eighth = try Tool.djpeg(jpeg, ["-scale", "1/8"])
        let sum = zip(picture.bytes, eighth.bytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        #expect(Double(sum) / Double(picture.bytes.count) < 4)
        #expect(throws: ImagingError.self) {
            try JPEGEncoder().thumbnail(of: [1, 2, 3], decoder: JPEGDecoder())
        }
    }

    @Test("an overlay format is refused, and the encoder still works afterwards")
    func refusals() throws {
        let encoder = try JPEGEncoder()
        var overlay = TestFrame(.argb, 16, 16)
        #expect(throws: ImagingError.self) {
            _ = try unsafe overlay.access { try unsafe encoder.encode($0, quality: 90) }
        }
        var grey = TestFrame(.grey, 16, 16)
        let jpeg = try unsafe grey.access { try unsafe encoder.encode($0, quality: 90) }
        #expect(try Tool.djpeg(jpeg).dimensions == Dimensions(width: 16, height: 16))
    }
}
