// SPDX-License-Identifier: GPL-3.0-or-later

import Drawing
import Foundation
import Imaging
import Kiosk
import Media
import Screens
import Testing

/// Compares what is drawn with pictures that a person has looked at and accepted. VITRINE_ACCEPT=1
/// puts new ones there: look at them.
@Suite("screens: accepted pictures")
struct ReferenceTests {
    private static let screen = Dimensions(width: 640, height: 360)
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "References")
    private static let names = scenes.keys.filter {
        $0.hasPrefix("viewing") || $0.hasPrefix("hearing")
    }.sorted()

    /// Draws a scene above a live picture of one colour.
    private func drawn(_ name: String) throws -> Canvas {
        let scene = try #require(scenes[name])
        let photo = Picture(Dimensions(width: 320, height: 200)) { x, y in
            UInt32(x * 255 / 319) << 16 | UInt32(y * 255 / 199) << 8 | 0x40
        }
        let filmstrip = Picture(Dimensions(width: 1600, height: 90)) { x, y in
            (x / 160) % 2 == 0 ? 0x305080 : 0x806030 + UInt32(y)
        }
        let renderer = try SceneRenderer(Self.screen)
        let subtitles = name.contains("subtitles") ? try Self.subtitles() : nil
        let hasPhoto = scene.viewing?.picture == "1"
        let overlay = try unsafe photo.withPixels { photo in
            try unsafe filmstrip.withPixels { filmstrip in
                try #require(
                    unsafe renderer.render(
                        scene, picture: hasPhoto ? photo : nil,
                        filmstrip: scene.viewing?.filmstrip == nil ? nil : filmstrip,
                        subtitles: subtitles))
            }
        }
        let seen = try Canvas(Self.screen)
        seen.fill(Color(0x5A7A3A))
        unsafe overlay.withPixels { unsafe seen.draw($0, in: PixelRect(Self.screen), .resize) }
        return seen
    }

    /// Makes subtitles that would lie at the bottom of the screen.
    private static func subtitles() throws -> PlacedPicture {
        let place = PixelRect(x: 120, y: 320, width: 400, height: 32)
        let canvas = try Canvas(place.size)
        canvas.draw(
            "Who pressed the button?",
            TextStyle(.pixels(24), weight: .bold, edge: .outline(.black, width: 0.1)),
            in: canvas.bounds)
        var storage = try PixelStorage(.argb, place.size, color: .jpeg)
        unsafe storage.withMutablePixels { target in
            unsafe canvas.withPixels { source in
                for row in 0..<place.height {
                    unsafe UnsafeMutableRawPointer(
                        target.plane(0) + row * target.bytesPerRow(0)
                    ).copyMemory(
                        from: source.plane(0) + row * source.bytesPerRow(0),
                        byteCount: 4 * place.width)
                }
            }
        }
        return PlacedPicture(StillPicture(storage), at: place, of: screen)
    }

    /// Returns the largest difference of the mean levels of any square of 16 pixels, 0 to 255.
    /// Letters of another version of a font differ less.
    private func difference(_ one: Pixels, _ other: Pixels) -> Int {
        var largest = 0
        for top in stride(from: 0, to: one.dimensions.height - 15, by: 8) {
            for left in stride(from: 0, to: one.dimensions.width - 15, by: 8) {
                var sums = [0, 0, 0]
                for y in top..<top + 16 {
                    for x in left..<left + 16 {
                        for channel in 0..<3 {
                            let shift = UInt32(8 * channel)
                            sums[channel] +=
                                Int(one[x, y] >> shift & 0xff) - Int(other[x, y] >> shift & 0xff)
                        }
                    }
                }
                largest = max(largest, sums.map { abs($0) / 256 }.max() ?? 0)
            }
        }
        return largest
    }

    private static let tolerance = 24

    @Test("what is drawn looks like the accepted picture", arguments: names)
    func accepted(name: String) throws {
        let file = Self.folder.appending(path: "\(name).png").path
        let drawn = try drawn(name)
        if ProcessInfo.processInfo.environment["VITRINE_ACCEPT"] != nil {
            try FileManager.default.createDirectory(
                at: Self.folder, withIntermediateDirectories: true)
            try drawn.writePNG(to: file)
        }
        let reference = Pixels(try Canvas(png: file))
        let distance = difference(Pixels(drawn), reference)
        #expect(distance <= Self.tolerance)
        // Control: no other picture looks like it.
        for other in Self.names where other != name {
            #expect(difference(Pixels(try self.drawn(other)), reference) > Self.tolerance)
        }
    }
}
