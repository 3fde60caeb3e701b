// SPDX-License-Identifier: GPL-3.0-or-later

import Codecs
import Imaging
import Media
import TestSupport
import Testing

@Suite("JPEG files")
struct JPEGFileTests {
    static let metadata = ExifMetadata(
        make: "Vitrine", model: "Test", software: "Vitrine 1",
        time: PictureTime(seconds: 1_780_000_000, nanoseconds: 5, utcOffsetSeconds: 7200))

    private func file(_ bytes: [UInt8], _ metadata: ExifMetadata? = Self.metadata) throws -> [UInt8]
    {
        Array(try JPEGFile(bytes).chunks(metadata: metadata).joined())
    }

    private func pixels(_ bytes: [UInt8]) throws -> [UInt8] {
        try JPEGDecoder().picture(of: bytes).contents
    }

    @Test(
        "a camera's frame becomes a valid file with its own entropy-coded bytes",
        arguments: [
            [], [0], [UInt8](repeating: 0, count: 3000), [0xff, 0xff, 0xd9, 0xff, 0xd8, 7],
        ])
    func cameraFrame(_ padding: [UInt8]) throws {
        for format in [PixelFormat.yuv422, .yuv420, .grey] {
            let original = try Sample.jpeg(160, 96, format)
            let frame = Sample.motionJPEG(original, padding: padding)
            let picture = try JPEGFile(frame)
            #expect(!picture.segments.hasHuffmanTables)
            #expect(picture.dimensions == Dimensions(width: 160, height: 96))
            let made = try file(frame)
            try Tool.expectSound(made)
            let entropyCoded = Sample.entropyCoded(original)
            #expect(Array(picture.entropyCodedBytes) == entropyCoded)
            #expect(Array(try JPEGFile(made).entropyCodedBytes) == entropyCoded)
            #expect(Array(made.suffix(entropyCoded.count + 2)) == entropyCoded + [0xff, 0xd9])
            #expect(try pixels(made) == pixels(original))
            #expect(Array(made.prefix(4)) == [0xff, 0xd8, 0xff, 0xe1])
            #expect(try JPEGFile(made).segments.hasHuffmanTables)
            #expect(try JPEGFile(made).segments.first(0xe0, [], in: made) == nil)
        }
    }

    @Test("an encoder's picture is valid with EXIF, and unchanged without")
    func encoderOutput() throws {
        let original = try Sample.jpeg(322, 242, .yuv420)
        let made = try file(original)
        try Tool.expectSound(made)
        #expect(try pixels(made) == pixels(original))
        #expect(try file(original, nil) == original)
        #expect(try file(original + [0, 0, 0], nil) == original)
    }

    @Test("existing EXIF is replaced, and other segments stay")
    func replacement() throws {
        let comment: [UInt8] = [0xff, 0xfe, 0, 7] + Array("hello".utf8)
        let original = try Sample.jpeg()
        let once = try file(Array(original[..<2]) + comment + Array(original[2...]))
        var changed = Self.metadata
        changed.model = "Other"
        let twice = try file(once, changed)
        try Tool.expectSound(twice)
        #expect(try ExifMetadata(reading: twice).model == "Other")
        let segments = try JPEGSegments(twice)
        #expect(segments.header.filter { $0.marker == 0xe1 }.count == 1)
        #expect(segments.first(0xfe, Array("hello".utf8), in: twice) != nil)
    }

    @Test("a frame cut off anywhere is refused as truncated")
    func truncation() throws {
        let frame = Sample.motionJPEG(try Sample.jpeg(64, 32))
        for count in 0..<frame.count {
            let error = #expect(throws: CodecError.self) {
                try JPEGFile(Array(frame.prefix(count)))
            }
            #expect(error?.code == (count < 2 ? .notJPEG : .truncated), "\(count)")
        }
        #expect(throws: Never.self) { try JPEGFile(frame) }
        // The next frame starts in the middle of this one's data.
        let half = Array(frame.prefix(frame.count * 3 / 4))
        let overwritten = #expect(throws: CodecError.self) { try JPEGFile(half + frame) }
        #expect(overwritten?.code == .truncated)
    }

    @Test("bytes that are no JPEG picture are refused")
    func refusals() throws {
        let original = try Sample.jpeg(64, 32)
        let scanFirst: [UInt8] = [0xff, 0xd8, 0xff, 0xda, 0, 2, 0xff, 0xd9]
        let short: [UInt8] = [0xff, 0xd8, 0xff, 0xdb, 0, 1, 0, 0]
        let flat: [UInt8] = [0xff, 0xd8, 0xff, 0xc0, 0, 8, 8, 0, 0, 0, 8, 1]
        for bytes in [
            [], [0x89] + Array("PNG".utf8), scanFirst, short, flat, Array(original.dropFirst()),
            [0xff, 0xd8, 0xff, 0xd9], [0xff, 0xd8, 0xff, 0xd8] + original,
        ] {
            let error = #expect(throws: CodecError.self) { try JPEGFile(bytes) }
            #expect(error?.code == .notJPEG)
        }
    }

    @Test("segments, restart markers, fill bytes and several scans are told apart")
    func segments() throws {
        let scan: [UInt8] = [1, 0xff, 0, 2, 0xff, 0xd0, 3, 0xff, 0xff, 0xd7, 4]
        let start: [UInt8] = [0xff, 0xda, 0, 2]
        let frame: [UInt8] = [0xff, 0xc2, 0, 8, 8, 0, 16, 0, 32, 0]
        let header: [UInt8] =
            [0xff, 0xd8, 0xff, 0xff, 0xff, 0xe0, 0, 4, 0xff, 0xd9] + frame + start
        let between: [UInt8] = [0xff, 0xc4, 0, 4, 0xff, 0xd9]
        let data = scan + between + start + scan
        let bytes = header + data + [0xff, 0xd9, 9, 9]
        let parsed = try JPEGSegments(bytes)
        #expect(parsed.header.map(\.marker) == [0xe0, 0xc2, 0xda])
        #expect(parsed.dimensions == Dimensions(width: 32, height: 16))
        #expect(Array(bytes[parsed.entropyCodedRange]) == data)
        #expect(parsed.pictureRange == 0..<bytes.count - 2)
        #expect(Array(bytes[parsed.header[0].payload]) == [0xff, 0xd9])
        // Tables after the first scan come too late for it.
        #expect(!parsed.hasHuffmanTables)
    }

    @Test("20,000 mutated files are each parsed within their bytes or refused")
    func mutations() throws {
        var random = Seeded(7)
        let jpeg = try Sample.jpeg(48, 32)
        let seeds = [jpeg, Sample.motionJPEG(jpeg, padding: [0, 0]), try file(jpeg)]
        var parsed = 0
        for round in 0..<20_000 {
            var bytes = seeds[round % seeds.count]
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let end = Bool.random(using: &random) ? min(600, bytes.count) : bytes.count
                bytes[Int.random(in: 0..<end, using: &random)] =
                    Bool.random(using: &random) ? 0xff : UInt8.random(in: 0...255, using: &random)
            }
            if round % 5 == 0 { bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random)) }
            guard let picture = try? JPEGFile(bytes) else { continue }
            parsed += 1
            let made = Array(try picture.chunks(metadata: Self.metadata).joined())
            #expect(try JPEGFile(made).entropyCodedBytes.elementsEqual(picture.entropyCodedBytes))
            _ = try? ExifMetadata(reading: bytes)
        }
        #expect(parsed > 2000 && parsed < 18_000, "\(parsed)")
    }

    @Test("a frame's bytes are copied up to its length")
    func frames() throws {
        let jpeg = try Sample.jpeg(64, 32)
        var memory = jpeg + [UInt8](repeating: 0, count: 100)
        let description = FrameDescription(
            pixelFormat: .mjpeg, dimensions: Dimensions(width: 64, height: 32),
            planes: [PlaneLayout(offset: 0, bytesPerRow: 0, rows: 0)], bufferSizes: [memory.count],
            color: .jpeg)
        try unsafe memory.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            let whole = unsafe PixelAccess(description, bytesUsed: jpeg.count, start)
            let copy = try unsafe JPEGFile(copying: whole)
            #expect(copy.bytes == jpeg)
            let short = unsafe PixelAccess(description, bytesUsed: jpeg.count - 1, start)
            #expect((try? unsafe JPEGFile(copying: short)) == nil)
            let long = unsafe PixelAccess(description, bytesUsed: 1 << 20, start)
            #expect((try? unsafe JPEGFile(copying: long)) == nil)
        }
    }
}
