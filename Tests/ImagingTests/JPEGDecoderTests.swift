// SPDX-License-Identifier: GPL-3.0-or-later

import Imaging
import Media
import TestSupport
import Testing

@Suite("JPEG decoding")
struct JPEGDecoderTests {
    static let samplings: [(name: String, option: String, kind: JPEGSubsampling)] = [
        ("4:2:0", "2x2", .yuv420), ("4:2:2", "2x1", .yuv422), ("4:4:4", "1x1", .yuv444),
        ("4:4:0", "1x2", .yuv440),
    ]

    @Test(
        "XRGB output equals djpeg's to the byte, at every scale",
        arguments: samplings.map(\.option), JPEGScale.allCases)
    func xrgb(_ sampling: String, _ scale: JPEGScale) throws {
        let jpeg = try Tool.cjpeg(.scene(163, 121), ["-sample", sampling, "-quality", "90"])
        let expected = try Tool.djpeg(jpeg, ["-scale", "1/\(scale.rawValue)"])
        let decoder = try JPEGDecoder()
        let size = scale.apply(to: try decoder.header(of: jpeg).dimensions)
        #expect(size == expected.dimensions)
        var frame = TestFrame(.xrgb, size.width, size.height)
        let condition = try unsafe frame.access {
            try unsafe decoder.decode(jpeg, into: $0, scale: scale)
        }
        #expect(condition == .intact)
        #expect(frame.isPaddingUntouched)
        for y in 0..<size.height {
            let row = (0..<size.width).allSatisfy { frame.rgb($0, y) == expected[$0, y] }
            #expect(row, "row \(y)")
        }
    }

    @Test(
        "scaled planes are the averaged planes of the full picture",
        arguments: ["2x2", "2x1"], [JPEGScale.half, .quarter, .eighth])
    func scaledPlanes(_ sampling: String, _ scale: JPEGScale) throws {
        let jpeg = try Tool.cjpeg(.scene(320, 192), ["-sample", sampling, "-quality", "90"])
        let step = scale.rawValue
        for format in [PixelFormat.yuv420, .yuv422, .nv12] {
            var whole = TestFrame(format, 320, 192, color: .jpeg)
            try unsafe whole.access { _ = try unsafe JPEGDecoder().decode(jpeg, into: $0) }
            var scaled = TestFrame(format, 320 / step, 192 / step, color: .jpeg)
            try unsafe scaled.access {
                _ = try unsafe JPEGDecoder().decode(jpeg, into: $0, scale: scale)
            }
            #expect(scaled.isPaddingUntouched)
            for (one, other) in [(whole.y, scaled.y), (whole.u, scaled.u), (whole.v, scaled.v)] {
                var error = 0.0
                for y in 0..<192 / step {
                    for x in 0..<320 / step {
                        var sum = 0
                        for row in 0..<step {
                            for column in 0..<step {
                                sum += Int(one(x * step + column, y * step + row))
                            }
                        }
                        error += abs(Double(sum) / Double(step * step) - Double(other(x, y)))
                    }
                }
                #expect(error * Double(step * step) / (320 * 192) < 2)
            }
        }
    }

    @Test("a scale is the smallest that loses nothing on screen, on both sides")
    func scaleForScreen() {
        func scale(_ picture: (Int, Int), part: (Int, Int)? = nil, at size: (Int, Int)) -> JPEGScale
        {
            let part = part ?? picture
            return JPEGScale(
                of: Dimensions(width: picture.0, height: picture.1),
                showing: Dimensions(width: part.0, height: part.1),
                at: Dimensions(width: size.0, height: size.1))
        }
        #expect(scale((3840, 2160), at: (1920, 1080)) == .half)
        #expect(scale((3840, 2160), at: (1921, 1080)) == .full)
        #expect(scale((1920, 1080), at: (1920, 1080)) == .full)
        #expect(scale((3840, 2160), at: (800, 450)) == .quarter)
        // Half of the width is cut off, so the rest needs all of its pixels.
        #expect(scale((3840, 2160), part: (1920, 2160), at: (1920, 1080)) == .full)
        // An eighth would have 135 rows, an odd number.
        #expect(scale((1920, 1080), at: (240, 135)) == .quarter)
    }

    @Test("the header reports size and subsampling", arguments: samplings.map(\.option))
    func header(_ option: String) throws {
        let jpeg = try Tool.cjpeg(.scene(50, 34), ["-sample", option])
        let header = try JPEGDecoder().header(of: jpeg)
        let kind = try #require(Self.samplings.first { $0.option == option }).kind
        #expect(
            header == JPEGHeader(dimensions: Dimensions(width: 50, height: 34), subsampling: kind))
        let grey = try JPEGDecoder().header(of: Tool.cjpeg(.scene(50, 34), ["-grayscale"]))
        #expect(grey.subsampling == .grey)
    }

    /// The oracle is djpeg without chroma interpolation, which repeats each chroma sample over its
    /// step. Its pixels equal the YUV samples converted by BT.601 in Double, up to rounding.
    @Test(
        "planes hold the picture's own samples",
        arguments: samplings.map(\.option),
        [PixelFormat.yuv420, .yvu420, .yuv422, .nv12] as [PixelFormat])
    func planes(_ option: String, _ format: PixelFormat) throws {
        for (width, height) in [(160, 96), (163, 121), (3, 1)] {
            let jpeg = try Tool.cjpeg(.scene(width, height), ["-sample", option, "-quality", "95"])
            let expected = try Tool.djpeg(jpeg, ["-nosmooth"])
            var frame = TestFrame(format, width, height, color: .jpeg)
            try unsafe frame.access { _ = try unsafe JPEGDecoder().decode(jpeg, into: $0) }
            #expect(frame.isPaddingUntouched)
            let native = try JPEGDecoder().header(of: jpeg).planarFormat
            let isOwn = native == (format == .yuv422 ? .yuv422 : .yuv420)
            // Chroma of another subsampling is a mean over more pixels than djpeg's.
            var error = 0.0
            for y in 0..<height {
                for x in 0..<width {
                    let rgb = Reference(color: .jpeg).rgb(
                        frame.y(x, y), frame.u(x, y), frame.v(x, y))
                    let pixel = expected[x, y]
                    if isOwn {
                        error = max(error, worst(zip(pixel, rgb)))
                    } else {
                        let luma = Reference(color: .jpeg).yuv(
                            Double(pixel[0]), Double(pixel[1]), Double(pixel[2])
                        ).y
                        let isClipped = pixel.contains { $0 == 0 || $0 == 255 }
                        if !isClipped {
                            error = max(error, abs(Double(luma) - Double(frame.y(x, y))))
                        }
                    }
                }
            }
            #expect(error <= 1.01, "\(width)x\(height)")
        }
    }

    @Test("chroma of another subsampling is the mean of the samples that it covers")
    func resampledChroma() throws {
        // The chroma changes slowly, so means and single samples are close.
        var picture = RGBPicture.scene(128, 64)
        for y in 0..<64 {
            for x in 0..<128 {
                let start = (y * 128 + x) * 3
                picture.bytes[start] = UInt8(60 + x)
                picture.bytes[start + 1] = UInt8(100 + y)
                picture.bytes[start + 2] = UInt8(200 - x)
            }
        }
        for sampling in Self.samplings.map(\.option) {
            let jpeg = try Tool.cjpeg(picture, ["-sample", sampling, "-quality", "100"])
            for format in [PixelFormat.nv12, .yuv420, .yuv422] {
                var frame = TestFrame(format, 128, 64, color: .jpeg)
                try unsafe frame.access { _ = try unsafe JPEGDecoder().decode(jpeg, into: $0) }
                var error = 0.0
                for y in 0..<64 {
                    for x in 0..<128 {
                        let rgb = picture[x, y].map(Double.init)
                        let (_, u, v) = Reference(color: .jpeg).yuv(rgb[0], rgb[1], rgb[2])
                        error = max(
                            error, abs(Double(u) - Double(frame.u(x, y))),
                            abs(Double(v) - Double(frame.v(x, y))))
                    }
                }
                #expect(error <= 4, "\(sampling) to \(format)")
            }
        }
    }

    @Test("grey pictures fill luma, and chroma with its neutral value")
    func grey() throws {
        let jpeg = try Tool.cjpeg(.scene(64, 48), ["-grayscale"])
        let expected = try Tool.djpeg(jpeg)
        for format in [PixelFormat.grey, .nv12, .yuv420, .yuv422] {
            var frame = TestFrame(format, 64, 48, color: .jpeg)
            try unsafe frame.access { _ = try unsafe JPEGDecoder().decode(jpeg, into: $0) }
            for y in 0..<48 {
                for x in 0..<64 {
                    #expect(frame.y(x, y) == expected[x, y][0])
                    #expect(frame.u(x, y) == 128 && frame.v(x, y) == 128)
                }
            }
        }
    }

    @Test("frames without Huffman tables decode as with them, after any other picture")
    func missingTables() throws {
        let scene = RGBPicture.scene(96, 64)
        let whole = try Tool.cjpeg(scene, ["-sample", "2x1"])
        let stripped = withoutHuffmanTables(whole)
        #expect(stripped.count < whole.count - 400)
        // This picture has its own tables, which must not be used for the next one.
        let optimized = try Tool.cjpeg(.scene(96, 80), ["-optimize"])
        let decoder = try JPEGDecoder()
        let expected = try decoder.picture(of: whole).contents
        for first in [whole, optimized, stripped] {
            _ = try decoder.picture(of: first)
            #expect(try decoder.picture(of: stripped).contents == expected)
        }
    }

    @Test("a compressed frame is decoded up to its length, padding included")
    func frames() throws {
        let jpeg = try Tool.cjpeg(.scene(64, 32), ["-sample", "2x1"])
        var memory = jpeg + [UInt8](repeating: 0, count: 1000)
        let description = FrameDescription(
            pixelFormat: .mjpeg, dimensions: Dimensions(width: 64, height: 32),
            planes: [PlaneLayout(offset: 0, bytesPerRow: 0, rows: 0)],
            bufferSizes: [memory.count], color: .jpeg)
        let decoder = try JPEGDecoder()
        var frame = TestFrame(.xrgb, 64, 32)
        for used in [jpeg.count, jpeg.count + 700] {
            let condition = try unsafe memory.withUnsafeMutableBytes { bytes in
                let source = unsafe PixelAccess(
                    description, bytesUsed: used, try #require(bytes.baseAddress))
                #expect(try unsafe decoder.header(of: source).subsampling == .yuv422)
                return try unsafe frame.access { try unsafe decoder.decode(source, into: $0) }
            }
            #expect(condition == .intact)
        }
        var raw = frame
        #expect(throws: ImagingError.self) {
            _ = try unsafe raw.access { try unsafe decoder.header(of: $0) }
        }
    }

    @Test("damage is reported, and an early end throws")
    func damage() throws {
        let jpeg = try Tool.cjpeg(.scene(160, 120), ["-sample", "2x1", "-restart", "1"])
        let decoder = try JPEGDecoder()
        var frame = TestFrame(.yuv422, 160, 120, color: .jpeg)
        func decode(_ bytes: [UInt8]) throws -> JPEGCondition {
            try unsafe frame.access { try unsafe decoder.decode(bytes, into: $0) }
        }
        #expect(try decode(jpeg) == .intact)
        // A restart marker has the wrong number.
        var broken = jpeg
        let marker = try #require(
            broken.indices.dropLast().last {
                broken[$0] == 0xff && (0xd0...0xd7).contains(broken[$0 + 1])
            })
        broken[marker + 1] = broken[marker + 1] == 0xd7 ? 0xd0 : broken[marker + 1] + 1
        #expect(try decode(broken) == .damaged)
        for count in [jpeg.count - 2, jpeg.count - 40, jpeg.count / 2] {
            let error = #expect(throws: ImagingError.self) {
                _ = try decode(Array(jpeg.prefix(count)))
            }
            #expect(error?.code == .truncated, "\(count) of \(jpeg.count)")
        }
        for bytes in [
            [], [0xff], [0xff, 0xd8], [0xff, 0xd8, 0xff, 0xd9], Array(repeating: 0, count: 5000),
        ]
            as [[UInt8]]
        {
            let error = #expect(throws: ImagingError.self) { _ = try decode(bytes) }
            #expect(error?.code == .notJPEG)
        }
        #expect(try decode(jpeg) == .intact)
    }

    @Test("a wrong size and an unsupported destination colour are refused")
    func refusals() throws {
        let jpeg = try Tool.cjpeg(.scene(64, 32), [])
        let decoder = try JPEGDecoder()
        func code(_ frame: TestFrame) -> ImagingError.Code? {
            var frame = frame
            return unsafe frame.access { access in
                do throws(ImagingError) {
                    try unsafe decoder.decode(jpeg, into: access)
                    return nil
                } catch {
                    return error.code
                }
            }
        }
        #expect(code(TestFrame(.xrgb, 64, 32)) == nil)
        #expect(code(TestFrame(.xrgb, 62, 32)) == .mismatched)
        #expect(code(TestFrame(.xrgb, 128, 64)) == .mismatched)
        #expect(code(TestFrame(.yuv420, 64, 32)) == .unsupported)
        #expect(code(TestFrame(.rgb565, 64, 32)) == .unsupported)
        #expect(code(TestFrame(.nv12, 64, 32, color: .jpeg)) == nil)
    }

    @Test("a picture that fails halfway does not spoil the next one")
    func recovery() throws {
        let jpeg = try Tool.cjpeg(.scene(64, 32), [])
        let decoder = try JPEGDecoder()
        let expected = try decoder.picture(of: jpeg).contents
        // A frame header with a wrong precision, a truncated one, and invalid tables.
        let header = try #require(jpeg.indices.first { jpeg[$0] == 0xff && jpeg[$0 + 1] == 0xc0 })
        let table = try #require(jpeg.indices.first { jpeg[$0] == 0xff && jpeg[$0 + 1] == 0xc4 })
        var (precision, huffman) = (jpeg, jpeg)
        precision[header + 4] = 99
        huffman[table + 5] = 255
        for bad in [precision, huffman, Array(jpeg.prefix(header + 3))] {
            for bytes in [bad, withoutHuffmanTables(jpeg), jpeg] {
                let result = (try? decoder.picture(of: bytes))?.contents
                #expect(result == (bytes == bad ? nil : expected))
            }
        }
    }

    @Test("10,000 mutated pictures each decode or throw, and nothing is written outside")
    func mutations() throws {
        var random = Seeded(2026)
        let decoder = try JPEGDecoder()
        let scene = RGBPicture.scene(48, 32)
        let seeds = try [
            Tool.cjpeg(scene, ["-sample", "2x2"]), Tool.cjpeg(scene, ["-sample", "2x1"]),
            withoutHuffmanTables(Tool.cjpeg(scene, ["-sample", "2x1"])),
            Tool.cjpeg(scene, ["-progressive"]),
            Tool.cjpeg(scene, ["-grayscale", "-restart", "1"]),
        ]
        var frames = [PixelFormat.yuv420, .yuv422, .nv12, .grey, .xrgb].map {
            TestFrame($0, 48, 32, padding: 16, color: .jpeg)
        }
        var outcomes: [String: Int] = [:]
        for round in 0..<10_000 {
            var bytes = seeds[round % seeds.count]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                // Mostly in the headers, where each byte matters.
                let end = Bool.random(using: &random) ? min(700, bytes.count) : bytes.count
                bytes[Int.random(in: 0..<end, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            if round % 7 == 0 { bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random)) }
            let index = Int.random(in: 0..<frames.count, using: &random)
            let outcome = unsafe frames[index].access { access in
                do throws(ImagingError) {
                    return "\(try unsafe decoder.decode(bytes, into: access))"
                } catch {
                    return "\(error.code)"
                }
            }
            outcomes[outcome, default: 0] += 1
        }
        for frame in frames { #expect(frame.isPaddingUntouched) }
        // The mutations reach every outcome.
        for outcome in ["intact", "damaged", "truncated", "notJPEG", "mismatched"] {
            #expect(outcomes[outcome, default: 0] > 10, "\(outcomes)")
        }
    }
}
