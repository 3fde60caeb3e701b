// SPDX-License-Identifier: GPL-3.0-or-later

import Imaging
import Media
import Testing

@Suite("sharpness")
struct SharpnessTests {
    private static let side = 64
    static let formats = TestFrame.yuvFormats + [.rgb24, .bgr24, .xrgb]

    /// Returns dark and light stripes of `width` columns.
    private func stripes(_ format: PixelFormat, _ width: Int) -> TestFrame {
        var frame = TestFrame(format, Self.side, Self.side)
        for row in 0..<Self.side {
            for x in 0..<Self.side {
                let level: UInt8 = x / width % 2 == 0 ? 60 : 180
                if format.isYUV {
                    frame.set(x, row, y: level, u: 128, v: 128)
                } else {
                    frame.set(x, row, rgb: [level, level, level])
                }
            }
        }
        return frame
    }

    private func sharpness(_ frame: TestFrame) throws -> Double {
        var frame = frame
        let meter = try SharpnessMeter()
        return try unsafe frame.access { try unsafe meter.sharpness(of: $0) }
    }

    @Test("finer detail makes a picture sharper, in every format", arguments: formats)
    func detail(_ format: PixelFormat) throws {
        let even = try sharpness(stripes(format, Self.side))
        let coarse = try sharpness(stripes(format, 8))
        let fine = try sharpness(stripes(format, 2))
        #expect(even == 0 && 0 < coarse && coarse < fine)
        // Every second column has an edge, with a difference of 120.
        #expect(abs(fine - 120 * 120) < 1)
    }

    @Test("a compressed picture's sharpness follows its detail")
    func compressed() throws {
        let encoder = try JPEGEncoder()
        func measured(_ width: Int) throws -> Double {
            var frame = stripes(.grey, width)
            let bytes = try unsafe frame.access { try unsafe encoder.encode($0, quality: 90) }
            let description = FrameDescription(
                pixelFormat: .mjpeg, dimensions: frame.description.dimensions,
                planes: [PlaneLayout(offset: 0, bytesPerRow: 0, rows: 0)],
                bufferSizes: [bytes.count], color: .jpeg)
            var copy = bytes
            return try unsafe copy.withUnsafeMutableBytes { raw in
                try unsafe SharpnessMeter().sharpness(
                    of: PixelAccess(
                        description, bytesUsed: bytes.count, try #require(raw.baseAddress)))
            }
        }
        let (even, coarse, fine) = (try measured(64), try measured(16), try measured(4))
        #expect(even < 1 && coarse > 10 && fine > 2 * coarse)
    }

    @Test("two rows or columns have no sharpness, and formats without a byte of luma throw")
    func borders() throws {
        #expect(try sharpness(TestFrame(.grey, 2, 9)) == 0)
        #expect(try sharpness(TestFrame(.grey, 9, 2)) == 0)
        #expect(throws: ImagingError.self) { try sharpness(TestFrame(.rgb565, 8, 8)) }
    }
}
