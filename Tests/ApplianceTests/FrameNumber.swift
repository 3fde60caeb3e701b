// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import TestSupport
import Testing

/// A reader of the number that the test pattern draws at the top left of 1280x720.
enum FrameNumber {
    private static let (width, height, unit, digits) = (1280, 720, 6, 7)

    /// Returns the number; `nil` if the pixels there are none.
    static func read(_ file: String, isMirrored: Bool) throws -> Int? {
        let folder = try TemporaryFolder()
        let raw = folder.path(of: "grey")
        let decoded = try Program.run(
            "ffmpeg",
            ["-v", "error", "-i", file] + (isMirrored ? ["-vf", "hflip"] : [])
                + ["-f", "rawvideo", "-pix_fmt", "gray", raw])
        try #require(decoded.status == 0, "\(decoded.errors)")
        let picture = try Data(contentsOf: URL(filePath: raw))
        try #require(picture.count == width * height)
        var text = ""
        for column in 0..<digits {
            let glyph = (0..<7).map { row in
                (0..<5).map { bit in
                    let x = (4 + column * 6 + bit) * unit + unit / 2
                    let y = (4 + row) * unit + unit / 2
                    return picture[y * width + x] > 128 ? "#" : "."
                }.joined()
            }
            if let digit = glyphs.firstIndex(of: glyph) {
                text += String(digit)
            } else if glyph.contains(where: { $0.contains("#") }) {
                return nil
            }
        }
        return Int(text)
    }

    /// The digits 0 to 9.
    private static let glyphs = [
        [".###.", "#...#", "#..##", "#.#.#", "##..#", "#...#", ".###."],
        ["..#..", ".##..", "..#..", "..#..", "..#..", "..#..", ".###."],
        [".###.", "#...#", "....#", "...#.", "..#..", ".#...", "#####"],
        ["#####", "...#.", "..#..", "...#.", "....#", "#...#", ".###."],
        ["...#.", "..##.", ".#.#.", "#..#.", "#####", "...#.", "...#."],
        ["#####", "#....", "####.", "....#", "....#", "#...#", ".###."],
        ["..##.", ".#...", "#....", "####.", "#...#", "#...#", ".###."],
        ["#####", "....#", "...#.", "..#..", ".#...", ".#...", ".#..."],
        [".###.", "#...#", "#...#", ".###.", "#...#", "#...#", ".###."],
        [".###.", "#...#", "#...#", ".####", "....#", "...#.", ".##.."],
    ]
}
