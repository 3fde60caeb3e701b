// SPDX-License-Identifier: GPL-3.0-or-later

import Codecs
import Imaging
import Media
import TestSupport

/// Encoded pictures of a moving bar at the top, 25 per second, starting at ``begin``.
enum MovieSample {
    static let size = Dimensions(width: 160, height: 96)
    static let color = ColorDescription(matrix: .bt601, range: .limited)
    static let begin: Int64 = 5_000_000_000
    static let interval: Int64 = 40_000_000

    static func time(_ number: Int) -> Int64 { begin + Int64(number) * interval }

    static func encoder() throws -> VideoEncoder {
        try VideoEncoder(VideoEncoder.Settings(.nv12, size, color: color, frameRate: 25))
    }

    /// Encodes `count` pictures.
    static func samples(_ count: Int, _ encoder: VideoEncoder) throws -> [EncodedSample] {
        var samples: [EncodedSample] = []
        var picture = try PixelStorage(.nv12, size, color: color)
        for number in 0..<count {
            unsafe picture.withMutablePixels { pixels in
                for row in 0..<size.height {
                    let start = unsafe pixels.plane(0) + row * pixels.bytesPerRow(0)
                    for column in 0..<size.width {
                        unsafe start[column] =
                            column / 8 == number % 20 && row < 64 ? 235 : 30
                    }
                }
            }
            samples += try unsafe picture.withPixels {
                try unsafe encoder.encode($0, at: time(number))
            }
        }
        return try samples + encoder.finish()
    }

    /// Splits the samples into runs that each begin with a key frame.
    static func pieces(_ samples: [EncodedSample]) -> [MovieRun] {
        var pieces: [[EncodedSample]] = []
        for sample in samples {
            if sample.isKeyFrame || pieces.isEmpty { pieces.append([]) }
            pieces[pieces.count - 1].append(sample)
        }
        return pieces.enumerated().map { number, samples in
            let end =
                number + 1 < pieces.count
                ? pieces[number + 1][0].time : (samples.last?.time ?? 0) + interval
            return MovieRun(track: 0, samples: samples, end: end)
        }
    }

    /// Returns the decoded frames, the seconds and the codec that ffprobe reports for the video.
    static func probe(_ path: String) throws -> (frames: Int, seconds: Double, codec: String) {
        let outcome = try Program.run(
            "ffprobe",
            [
                "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries",
                "stream=codec_name,nb_read_frames:format=duration", "-of", "default=nk=1:nw=1",
                path,
            ])
        let lines = outcome.output.split(separator: "\n").map { "\($0)" }
        guard lines.count == 3, outcome.errors.isEmpty else { throw Unreadable(outcome.text) }
        return (Int(lines[1]) ?? -1, Double(lines[2]) ?? -1, lines[0])
    }

    /// Returns the types of a file's top-level boxes.
    static func boxes(_ bytes: [UInt8]) -> [String] {
        var types: [String] = []
        var offset = 0
        while offset + 8 <= bytes.count {
            var size = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            if size == 1 { size = bytes[offset + 8..<offset + 16].reduce(0) { $0 << 8 | Int($1) } }
            types.append(String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self))
            if size < 8 { break }
            offset += size
        }
        return types
    }

    struct Unreadable: Error {
        let text: String
        init(_ text: String) { self.text = text }
    }
}
