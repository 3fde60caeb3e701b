// SPDX-License-Identifier: GPL-3.0-or-later

import Imaging
import Media
import TestSupport
import Testing

@Suite("pixel conversion")
struct PixelConverterTests {
    static let sizes = [(64, 48), (70, 14), (2, 2), (34, 7), (130, 3), (16, 1)]

    @Test(
        "YUV becomes NV12 exactly, with 4:2:2 chroma as the mean of two rows",
        arguments: TestFrame.yuvFormats)
    func nv12(_ format: PixelFormat) throws {
        let converter = PixelConverter()
        for (width, height) in Self.sizes {
            var source = TestFrame(format, width, height)
            source.randomize(UInt64(width * height))
            var result = TestFrame(.nv12, width, height, padding: 48)
            try unsafe source.access { from in
                try unsafe result.access { try unsafe converter.convert(from, to: $0) }
            }
            var wrong = 0
            for row in 0..<height {
                for x in 0..<width {
                    let top = row & ~1
                    let bottom = min(top + 1, height - 1)
                    let u = (Int(source.u(x, top)) + Int(source.u(x, bottom)) + 1) / 2
                    let v = (Int(source.v(x, top)) + Int(source.v(x, bottom)) + 1) / 2
                    if result.y(x, row) != source.y(x, row) || Int(result.u(x, row)) != u
                        || Int(result.v(x, row)) != v
                    {
                        wrong += 1
                    }
                }
            }
            #expect(wrong == 0, "\(format) \(width)x\(height)")
            #expect(result.isPaddingUntouched)
        }
    }

    @Test(
        "YUV becomes XRGB within 3 of its own matrix and range in Double",
        arguments: TestFrame.yuvFormats, Reference.all)
    func xrgb(_ format: PixelFormat, _ color: ColorDescription) throws {
        let reference = Reference(color: color)
        let converter = PixelConverter()
        for (width, height) in Self.sizes {
            var source = TestFrame(format, width, height, color: color)
            source.randomize(UInt64(width + height))
            var result = TestFrame(.xrgb, width, height)
            try unsafe source.access { from in
                try unsafe result.access { try unsafe converter.convert(from, to: $0) }
            }
            var error = 0.0
            for row in 0..<height {
                for x in 0..<width {
                    let expected = reference.rgb(
                        source.y(x, row), source.u(x, row), source.v(x, row))
                    error = max(error, worst(zip(result.rgb(x, row), expected)))
                    #expect(result[0, row, 4 * x + 3] == 255)
                }
            }
            #expect(error <= 3, "\(format) \(color) \(width)x\(height)")
            #expect(result.isPaddingUntouched)
        }
    }

    @Test(
        "colours that exist become XRGB within 3, and within 1 on average",
        arguments: Reference.all)
    func accuracy(_ color: ColorDescription) throws {
        let reference = Reference(color: color)
        let levels = Array(stride(from: 0.0, through: 255, by: 15))
        var source = TestFrame(.yuv422, 2 * levels.count, levels.count * levels.count, color: color)
        for (row, pair) in levels.flatMap({ red in levels.map { (red, $0) } }).enumerated() {
            for (column, blue) in levels.enumerated() {
                let (y, u, v) = reference.yuv(pair.0, pair.1, blue)
                source.set(2 * column, row, y: y, u: u, v: v)
                source.set(2 * column + 1, row, y: y, u: u, v: v)
            }
        }
        var result = TestFrame(.xrgb, source.width, source.height)
        let converter = PixelConverter()
        try unsafe source.access { from in
            try unsafe result.access { try unsafe converter.convert(from, to: $0) }
        }
        var sum = 0.0
        var most = 0.0
        for row in 0..<source.height {
            for x in 0..<source.width {
                let expected = reference.rgb(source.y(x, row), source.u(x, row), source.v(x, row))
                for (is8, should) in zip(result.rgb(x, row), expected) {
                    sum += abs(Double(is8) - should)
                    most = max(most, abs(Double(is8) - should))
                }
            }
        }
        #expect(most <= 3)
        #expect(sum / Double(source.width * source.height * 3) <= 1)
    }

    @Test("RGB becomes XRGB exactly", arguments: TestFrame.rgbFormats)
    func rgb(_ format: PixelFormat) throws {
        let converter = PixelConverter()
        var random = Seeded(7)
        for (width, height) in Self.sizes + [(33, 5)] {
            var source = TestFrame(format, width, height)
            var colors: [[UInt8]] = []
            for row in 0..<height {
                for x in 0..<width {
                    colors.append((0..<3).map { _ in UInt8.random(in: 0...255, using: &random) })
                    source.set(x, row, rgb: colors[colors.count - 1])
                }
            }
            var result = TestFrame(.xrgb, width, height)
            try unsafe source.access { from in
                try unsafe result.access { try unsafe converter.convert(from, to: $0) }
            }
            func widened(_ value: UInt8, _ bits: UInt8) -> UInt8 {
                let high = value >> (8 - bits)
                return high << (8 - bits) | high >> (2 * bits - 8)
            }
            let expected =
                format == .rgb565
                ? colors.map { [widened($0[0], 5), widened($0[1], 6), widened($0[2], 5)] } : colors
            let all = (0..<height).flatMap { row in (0..<width).map { result.rgb($0, row) } }
            #expect(all == expected)
            #expect(result.isPaddingUntouched)
        }
    }

    @Test(
        "a frame of the same format is copied, whatever the strides",
        arguments: TestFrame.yuvFormats + TestFrame.rgbFormats + [.argb])
    func copy(_ format: PixelFormat) throws {
        for (width, height) in Self.sizes {
            var source = TestFrame(format, width, height, padding: 8)
            source.randomize(3)
            var result = TestFrame(format, width, height, padding: 64)
            let converter = PixelConverter()
            try unsafe source.access { from in
                try unsafe result.access { try unsafe converter.convert(from, to: $0) }
            }
            for plane in source.description.planes.indices {
                for row in 0..<source.description.planes[plane].rows {
                    for byte in 0..<source.rowBytes(plane) {
                        #expect(result[plane, row, byte] == source[plane, row, byte])
                    }
                }
            }
            #expect(result.isPaddingUntouched)
        }
    }

    @Test("canConvert() tells exactly which conversions succeed")
    func promises() throws {
        let formats = TestFrame.yuvFormats + TestFrame.rgbFormats + [.argb]
        let converter = PixelConverter()
        for from in formats {
            for to in formats {
                var source = TestFrame(from, 16, 8)
                source.randomize(1)
                var result = TestFrame(to, 16, 8)
                let done = unsafe source.access { from in
                    unsafe result.access { to in
                        (try? unsafe converter.convert(from, to: to)) != nil
                    }
                }
                #expect(done == PixelConverter.canConvert(from: from, to: to), "\(from) to \(to)")
            }
        }
        #expect(!PixelConverter.canConvert(from: .mjpeg, to: .xrgb))
        #expect(!PixelConverter.canConvert(from: .mjpeg, to: .mjpeg))
    }

    @Test("other dimensions, other colours and planes outside their memory are refused")
    func refusals() throws {
        let full = ColorDescription(matrix: .bt709, range: .full)
        #expect(code(TestFrame(.yuyv, 16, 8), TestFrame(.nv12, 16, 10)) == .mismatched)
        #expect(code(TestFrame(.yuyv, 16, 8), TestFrame(.nv12, 16, 8, color: full)) == .unsupported)
        // An odd width leaves no room for the last chroma pair in a row without padding.
        #expect(code(TestFrame(.nv12, 15, 8, padding: 0), TestFrame(.xrgb, 15, 8)) == .outOfBounds)

        var short = TestFrame(.yuyv, 16, 8).description
        short.bufferSizes = [short.bufferSizes[0] - 64]
        #expect(code(short) == .outOfBounds)
        var narrow = TestFrame(.yuyv, 16, 8).description
        narrow.planes[0].bytesPerRow = 31
        #expect(code(narrow) == .outOfBounds)
        var negative = TestFrame(.nv12, 16, 8).description
        negative.planes[1].offset = -8
        #expect(code(negative) == .outOfBounds)
        var stray = TestFrame(.nv12, 16, 8).description
        stray.planes[1].buffer = 1
        #expect(code(stray) == .outOfBounds)
        var huge = TestFrame(.nv12, 16, 8).description
        huge.dimensions = Dimensions(width: 1 << 40, height: 1 << 40)
        #expect(code(huge) == .unsupported)
        var planeless = TestFrame(.nv12, 16, 8).description
        planeless.planes.removeLast()
        #expect(code(planeless) == .outOfBounds)
    }

    @Test("NV12 in two buffers converts like NV12 in one")
    func separatePlanes() throws {
        var source = TestFrame(.nv12, 32, 16)
        source.randomize(9)
        var separate = source.description
        separate.pixelFormat = .nv12Separate
        let chroma = separate.planes[1].offset
        separate.bufferSizes = [chroma, separate.bufferSizes[0] - chroma]
        separate.planes[1].buffer = 1
        separate.planes[1].offset = 0
        var (whole, parts) = (TestFrame(.xrgb, 32, 16), TestFrame(.xrgb, 32, 16))
        let converter = PixelConverter()
        try unsafe source.access { from in
            try unsafe whole.access { try unsafe converter.convert(from, to: $0) }
            let two = unsafe PixelAccess(separate, from.plane(0), from.plane(1))
            try unsafe parts.access { try unsafe converter.convert(two, to: $0) }
        }
        #expect(whole.memory == parts.memory)
    }

    private func code(_ description: FrameDescription) -> ImagingError.Code? {
        var memory = [UInt8](repeating: 0, count: 4096)
        var result = TestFrame(.xrgb, 16, 8)
        return unsafe memory.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return nil }
            return unsafe result.access {
                unsafe code(PixelAccess(description, start), $0)
            }
        }
    }

    private func code(_ source: TestFrame, _ destination: TestFrame) -> ImagingError.Code? {
        var (source, destination) = (source, destination)
        return unsafe source.access { from in
            unsafe destination.access { unsafe code(from, $0) }
        }
    }

    private func code(_ source: PixelAccess, _ destination: PixelAccess) -> ImagingError.Code? {
        do throws(ImagingError) {
            try unsafe PixelConverter().convert(source, to: destination)
            return nil
        } catch {
            return error.code
        }
    }
}
