// SPDX-License-Identifier: GPL-3.0-or-later

import Imaging
import Media
import Testing

@Suite("JPEG encoding in strips")
struct JPEGStripEncoderTests {
    /// Returns noise that no two strips share. It reveals a strip in the wrong place or with
    /// another strip's DC values.
    private func frame(_ format: PixelFormat, _ width: Int, _ height: Int) -> TestFrame {
        var frame = TestFrame(format, width, height)
        frame.randomize(UInt64(width + height))
        return frame
    }

    private func restarts(_ jpeg: [UInt8]) -> Int {
        zip(jpeg, jpeg.dropFirst()).count { $0 == 0xff && (0xd0...0xd7).contains($1) }
    }

    @Test(
        "djpeg decodes strips to the same picture as one encoder's, to the last sample",
        arguments: TestFrame.yuvFormats + TestFrame.rgbFormats, [(320, 512), (97, 529)])
    func same(_ format: PixelFormat, _ size: (width: Int, height: Int)) throws {
        var frame = frame(format, size.width, size.height)
        let whole = try unsafe frame.access { try unsafe JPEGEncoder().encode($0, quality: 90) }
        let expected = try Tool.djpeg(whole)
        for count in [2, 3, 4] {
            let jpeg = try unsafe frame.access {
                try unsafe JPEGStripEncoder(count: count).encode($0, quality: 90)
            }
            #expect(restarts(jpeg) == count - 1)
            let picture = try Tool.djpeg(jpeg)
            #expect(picture.dimensions == expected.dimensions)
            #expect(picture.bytes == expected.bytes, "\(count) strips")
        }
    }

    @Test("the markers of more than eight strips start again at the first")
    func manyStrips() throws {
        var frame = frame(.xrgb, 64, 1600)
        let whole = try unsafe frame.access { try unsafe JPEGEncoder().encode($0, quality: 90) }
        let jpeg = try unsafe frame.access {
            try unsafe JPEGStripEncoder(count: 12).encode($0, quality: 90)
        }
        #expect(restarts(jpeg) == 11)
        #expect(try Tool.djpeg(jpeg).bytes == Tool.djpeg(whole).bytes)
    }

    @Test("a picture with more MCUs per strip than a restart interval allows is not split")
    func large() throws {
        // Half of the picture has 1023 by 128 blocks.
        var frame = frame(.grey, 8184, 2048)
        for (count, expected) in [(2, 0), (4, 3)] {
            let jpeg = try unsafe frame.access {
                try unsafe JPEGStripEncoder(count: count).encode($0, quality: 50)
            }
            #expect(restarts(jpeg) == expected)
        }
    }

    @Test("a low picture, or a single encoder, gives that encoder's output to the byte")
    func whole() throws {
        for (height, count) in [(200, 4), (1, 2), (512, 1), (512, 0)] {
            var frame = frame(.nv12, 64, height)
            let whole = try unsafe frame.access { try unsafe JPEGEncoder().encode($0, quality: 80) }
            let jpeg = try unsafe frame.access {
                try unsafe JPEGStripEncoder(count: count).encode($0, quality: 80)
            }
            #expect(jpeg == whole)
        }
    }

    @Test("RGB is subsampled as asked, and the encoder can be used again")
    func subsampling() throws {
        let (encoder, decoder) = (try JPEGStripEncoder(count: 2), try JPEGDecoder())
        for wanted in [JPEGSubsampling.yuv444, .yuv422, .yuv420, .grey] {
            for height in [256, 400] {
                var frame = frame(.rgb24, 80, height)
                let jpeg = try unsafe frame.access {
                    try unsafe encoder.encode($0, quality: 90, rgbSubsampling: wanted)
                }
                let header = try decoder.header(of: jpeg)
                #expect(header.subsampling == wanted && header.dimensions.height == height)
                let whole = try unsafe frame.access {
                    try unsafe JPEGEncoder().encode($0, quality: 90, rgbSubsampling: wanted)
                }
                #expect(try Tool.djpeg(jpeg).bytes == Tool.djpeg(whole).bytes)
            }
        }
    }

    @Test("a picture that the encoders refuse throws")
    func refused() throws {
        var frame = TestFrame(.argb, 64, 512)
        #expect(throws: ImagingError.self) {
            try unsafe frame.access {
                try unsafe JPEGStripEncoder(count: 2).encode($0, quality: 90)
            }
        }
    }
}
