// SPDX-License-Identifier: GPL-3.0-or-later

import Codecs
import Foundation
import Media
import TestSupport
import Testing

@Suite("VideoDecoder")
struct VideoDecoderTests {
    private static let size = Dimensions(width: 64, height: 48)

    /// Returns the first access units of a clip encoded by x264. Each picture's brightness encodes
    /// its number.
    private func units(_ count: Int) throws -> [[UInt8]] {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "clip.h264")
        let made = try Program.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i",
                "color=black:size=64x48:rate=15,format=yuv420p,geq=lum='40+10*N':cb=128:cr=128",
                "-frames:v", "\(count)", "-c:v", "libx264", "-qp", "10", "-tune", "zerolatency",
                "-x264-params", "slices=1:sliced-threads=0:keyint=5:scenecut=0:aud=1",
                "-color_range", "tv", path,
            ])
        try #require(made.status == 0, "\(made.text)")
        let bytes = try folder.contents(of: "clip.h264")
        let delimiter: [UInt8] = [0, 0, 0, 1, 9]
        let starts = bytes.indices.filter { bytes[$0...].starts(with: delimiter) }
        return zip(starts, starts.dropFirst() + [bytes.count]).map { Array(bytes[$0..<$1]) }
    }

    /// Returns the first luma sample of the decoded picture; `nil` if the unit is damaged.
    private func luma(_ unit: [UInt8], _ decoder: VideoDecoder) throws -> Int? {
        let description = try #require(FrameDescription(.yuv420, Self.size))
        var bytes = [UInt8](repeating: 0, count: description.bufferSizes[0])
        let isWhole = unsafe bytes.withUnsafeMutableBytes { room in
            guard let start = room.baseAddress else { return false }
            return unsafe decoder.decode(unit, into: PixelAccess(description, start))
        }
        return isWhole ? Int(bytes[0]) : nil
    }

    @Test("every access unit yields its own picture at once")
    func decodes() throws {
        let decoder = try VideoDecoder()
        let units = try units(12)
        try #require(units.count == 12)
        for (number, unit) in units.enumerated() {
            let luma = try #require(try luma(unit, decoder), "\(number)")
            #expect(abs(luma - (40 + 10 * number)) <= 3)
        }
        let looks = units.map { AVCAccessUnit(byteStream: $0) }
        #expect(looks.map(\.hasPicture) == looks.map { _ in true })
        #expect(looks.map(\.isKeyFrame) == (0..<12).map { $0 % 5 == 0 })
        #expect(looks.map(\.hasParameterSets) == looks.map(\.isKeyFrame))
        // Parameter sets alone are no picture, and are the same as within the first unit.
        let sets = looks[0].parameterSets
        let alone = AVCAccessUnit(byteStream: sets)
        #expect(alone.hasParameterSets && !alone.hasPicture && !alone.isKeyFrame)
        #expect(AVCParameterSets(byteStream: sets) == AVCParameterSets(byteStream: units[0]))
    }

    @Test("empty, damaged, cut or wrongly sized units give no picture; a key frame does")
    func damaged() throws {
        let decoder = try VideoDecoder()
        let units = try units(6)
        #expect(try luma([], decoder) == nil)
        #expect(try luma([UInt8](repeating: 0xa5, count: 500), decoder) == nil)
        #expect(try luma(Array(units[0].prefix(units[0].count / 2)), decoder) == nil)
        decoder.reset()
        #expect(try luma(units[5], decoder).map { abs($0 - 90) <= 3 } == true)
        let description = try #require(
            FrameDescription(.yuv420, Dimensions(width: 32, height: 48)))
        var small = [UInt8](repeating: 0, count: description.bufferSizes[0])
        let isWhole = unsafe small.withUnsafeMutableBytes { room in
            guard let start = room.baseAddress else { return true }
            return unsafe decoder.decode(units[0], into: PixelAccess(description, start))
        }
        #expect(!isWhole && small.allSatisfy { $0 == 0 })
    }
}
