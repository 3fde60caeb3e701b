// SPDX-License-Identifier: GPL-3.0-or-later

import Codecs
import LinuxIO
import Media
import TestSupport
import Testing

@Suite("DNG files")
struct DNGFileTests {
    /// Returns a frame of two rows of four samples, each row followed by three bytes of padding.
    private func frame(_ format: String, _ rows: [[UInt8]]) throws -> RawFrame {
        let stride = rows[0].count + 3
        let buffer = try FrameBuffer.memory(4096)
        try unsafe buffer.withBytes(.write) { start in
            for (row, bytes) in rows.enumerated() {
                for (column, byte) in (bytes + [9, 9, 9]).enumerated() {
                    unsafe start.storeBytes(
                        of: byte, toByteOffset: row * stride + column, as: UInt8.self)
                }
            }
        }
        let pixels = try #require(PixelFormat(format))
        return RawFrame(
            format: try #require(RawPixelFormat(pixels)),
            dimensions: Dimensions(width: 4, height: 2), bytesPerRow: stride, buffer: buffer)
    }

    private func metadata() -> ExifMetadata {
        var metadata = ExifMetadata(
            time: PictureTime(seconds: 1_700_000_000), dimensions: Dimensions(width: 4, height: 2))
        (metadata.make, metadata.model, metadata.orientation) = ("Maker", "Model 1", 6)
        return metadata
    }

    private func values(_ file: DNGFile) throws -> [UInt16] {
        let tags = try Tool.exif(file.bytes)
        let start = try #require(Int(tags["StripOffsets"] ?? ""))
        let count = try #require(Int(tags["StripByteCounts"] ?? ""))
        let bytes = file.bytes[start..<start + count].map { UInt16($0) }
        if tags["BitsPerSample"] == "8" { return bytes }
        return stride(from: 0, to: bytes.count, by: 2).map { bytes[$0] | bytes[$0 + 1] << 8 }
    }

    @Test(
        "samples are stored as the sensor gave them, however they were packed",
        arguments: [
            (
                "RGGB", [[1, 2, 3, 255], [4, 5, 6, 7]], [1, 2, 3, 255, 4, 5, 6, 7], "255", "0 1 1 2"
            ),
            (
                "GB10", [[1, 0, 0, 2, 255, 3, 4, 0], [5, 0, 6, 0, 7, 0, 8, 1]],
                [1, 512, 1023, 4, 5, 6, 7, 264], "1023", "1 2 0 1"
            ),
            // The high eight bits of four values, then their low two bits, the first value's
            // lowest.
            (
                "pBAA", [[1, 2, 3, 255, 0b11_10_01_00], [0, 128, 64, 32, 0b00_01_10_11]],
                [4, 9, 14, 1023, 3, 514, 257, 128], "1023", "2 1 1 0"
            ),
            // The high eight bits of two values, then their low four bits.
            (
                "pRCC", [[1, 2, 0xba, 3, 255, 0xf0], [0, 0, 0, 128, 1, 0x21]],
                [0x01a, 0x02b, 0x030, 0xfff, 0, 0, 0x801, 0x012], "4095", "0 1 1 2"
            ),
        ] as [(String, [[UInt8]], [UInt16], String, String)])
    func values(
        format: String, rows: [[UInt8]], expected: [UInt16], white: String, filters: String
    ) throws {
        let file = try DNGFile(try frame(format, rows), metadata: metadata())
        #expect(try values(file) == expected)
        let tags = try Tool.exif(file.bytes)
        #expect(tags["WhiteLevel"] == white && tags["CFAPattern2"] == filters)
        #expect(tags["Make"] == "Maker" && tags["Model"] == "Model 1" && tags["Orientation"] == "6")
        #expect(tags["ModifyDate"] == "2023:11:14 22:13:20" && tags["DNGVersion"] == "1 4 0 0")
    }

    @Test("a frame whose rows do not fit its buffer is refused")
    func tooSmall() throws {
        let raw = try frame("RGGB", [[1, 2, 3, 4], [5, 6, 7, 8]])
        let large = RawFrame(
            format: raw.format, dimensions: Dimensions(width: 64, height: 640), bytesPerRow: 64,
            buffer: raw.buffer)
        let error = #expect(throws: CodecError.self) {
            try DNGFile(large, metadata: metadata())
        }
        #expect(error?.code == .failed)
    }

    @Test("a format other than Bayer is no raw format")
    func others() throws {
        for name in ["YUYV", "MJPG", "RGB3", "GREY"] {
            let format = try #require(PixelFormat(name))
            #expect(RawPixelFormat(format) == nil)
        }
    }
}
