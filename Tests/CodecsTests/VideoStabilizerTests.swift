// SPDX-License-Identifier: GPL-3.0-or-later

import Codecs
import Foundation
import Imaging
import Media
import TestSupport
import Testing

@Suite("Video stabilization")
struct VideoStabilizerTests {
    private static let size = Dimensions(width: 160, height: 120)
    private static let color = ColorDescription(matrix: .bt601, range: .limited)
    private static let count = 24

    /// Encodes a clip of a trembling pattern, and returns how much its pictures move: the mean
    /// difference of luma from picture to picture.
    private func restlessness(_ format: PixelFormat, isStabilized: Bool) throws -> Double {
        var settings = VideoEncoder.Settings(
            format, Self.size, color: Self.color, frameRate: 25)
        (settings.isStabilized, settings.quality) = (isStabilized, 10)
        let encoder = try VideoEncoder(settings)
        var samples: [EncodedSample] = []
        for number in 0..<Self.count {
            var picture = try PixelStorage(format, Self.size, color: Self.color)
            let (x, y) = (number % 2 * 5, number % 3 * 3)
            unsafe picture.withMutablePixels { pixels in
                for row in 0..<Self.size.height {
                    for column in 0..<Self.size.width {
                        let place = unsafe row * pixels.bytesPerRow(0) + column
                        let isLight = ((column + x) / 20 * 7 + (row + y) / 20 * 3) % 5 < 2
                        unsafe pixels.plane(0)[place] = isLight ? 200 : 40
                    }
                }
            }
            samples += try unsafe picture.withPixels {
                try unsafe encoder.encode($0, at: Int64(number) * 40_000_000)
            }
            // Overwrite the picture: the encoder must no longer read it.
            unsafe picture.withMutablePixels { pixels in
                for row in 0..<Self.size.height {
                    for column in 0..<Self.size.width {
                        unsafe pixels.plane(0)[row * pixels.bytesPerRow(0) + column] = 255
                    }
                }
            }
        }
        try #require(samples.count == Self.count)
        #expect(samples.map(\.time) == (0..<Self.count).map { Int64($0) * 40_000_000 })
        return try difference(samples, encoder)
    }

    private func difference(
        _ samples: [EncodedSample], _ encoder: VideoEncoder
    ) throws -> Double {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "clip.mp4")
        let track = try MovieTrack.h264(
            #require(encoder.parameterSets), Self.size, color: Self.color)
        var file = try MovieFile(
            creating: path, [track], MovieMetadata(createdAt: 0), origin: 0)
        try file.append([
            MovieRun(track: 0, samples: samples, end: Int64(Self.count) * 40_000_000)
        ])
        try file.finish()
        let raw = folder.path(of: "raw")
        let decoded = try Program.run(
            "ffmpeg",
            [
                "-v", "error", "-i", path, "-vf", "extractplanes=y,crop=96:72", "-f", "rawvideo",
                raw,
            ])
        try #require(decoded.status == 0, "\(decoded.text)")
        let bytes = try folder.contents(of: "raw")
        let pixels = 96 * 72
        try #require(bytes.count == Self.count * pixels)
        var sum = 0
        for index in pixels..<bytes.count {
            sum += abs(Int(bytes[index]) - Int(bytes[index - pixels]))
        }
        return Double(sum) / Double(bytes.count - pixels)
    }

    @Test(
        "stabilized pictures stand still, keep their times and are not read afterwards",
        arguments: [PixelFormat.nv12, .yuv420])
    func still(format: PixelFormat) throws {
        let before = try restlessness(format, isStabilized: false)
        let after = try restlessness(format, isStabilized: true)
        #expect(before > 10 && after < before / 3, "\(before) becomes \(after)")
    }
}
