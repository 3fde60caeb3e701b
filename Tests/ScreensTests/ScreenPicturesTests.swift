// SPDX-License-Identifier: GPL-3.0-or-later

import Drawing
import Imaging
import Kiosk
import LinuxIO
import Media
import Screens
import TestSupport
import Testing

@Suite("pictures of the configuration")
struct ScreenPicturesTests {
    private let folder: TemporaryFolder
    private let screen = Dimensions(width: 320, height: 240)

    init() throws { folder = try TemporaryFolder() }

    /// Writes a picture of one colour, and returns its path.
    @discardableResult
    private func write(_ color: UInt32, as name: String) throws -> String {
        guard name.hasSuffix("jpg") else {
            let canvas = try Canvas(screen)
            canvas.fill(Color(color))
            return try folder.write(try canvas.png(), to: name)
        }
        let picture = Picture(screen) { _, _ in color }
        let encoder = try JPEGEncoder()
        let bytes = try unsafe picture.withPixels { try unsafe encoder.encode($0, quality: 95) }
        return try folder.write(bytes, to: name)
    }

    private func drawn(_ scene: Scene, _ files: ScreenPictures.Files) throws -> UInt32 {
        let renderer = try ScreenPictures(files).renderer(for: screen)
        return Pixels(try #require(renderer.render(scene)))[4, 4]
    }

    private func isRed(_ pixel: UInt32) -> Bool {
        pixel >> 16 & 0xFF > 2 * (pixel >> 8 & 0xFF) && pixel >> 16 & 0xFF > 2 * (pixel & 0xFF)
    }

    @Test("a splash picture from the web replaces the configured one once it is there")
    func splash() throws {
        let message = Scene(.black, message: "Starting")
        var files = ScreenPictures.Files()
        files.splash = try write(0x0000FF, as: "own.png")
        for name in ["fetched.png", "fetched.jpg"] {
            files.fetchedSplash = folder.path(of: name)
            #expect(try drawn(message, files) == 0xFF00_00FF)
            try write(0xFF0000, as: name)
            #expect(try isRed(drawn(message, files)))
            // What cannot be read is passed over.
            try folder.write([1, 2, 3], to: name)
            #expect(try drawn(message, files) == 0xFF00_00FF)
        }
    }

    @Test("a background from the web lies behind texts only, and follows its file")
    func background() throws {
        let fault = Scene.Fault(title: "No camera", advice: "Check it.", code: "camera.missing")
        let path = folder.path(of: "background.jpg")
        var files = ScreenPictures.Files()
        let plain = try drawn(Scene(.black, fault: fault), files)
        files.fetchedBackground = path
        let renderer = try ScreenPictures(files).renderer(for: screen)
        func pixel(_ scene: Scene) throws -> UInt32 {
            Pixels(try #require(renderer.render(scene)))[4, 4]
        }
        #expect(try pixel(Scene(.black, fault: fault)) == plain)
        let bare = try pixel(Scene(.preview, fault: fault))
        try write(0xFF0000, as: "background.jpg")
        #expect(try isRed(pixel(Scene(.black, fault: fault))))
        // Over the camera's picture nothing changes.
        #expect(try pixel(Scene(.preview, fault: fault)) == bare)
        try write(0x00FF00, as: "background.jpg")
        #expect(try !isRed(pixel(Scene(.black, fault: fault))))
        try FileTree.remove(path)
        #expect(try pixel(Scene(.black, fault: fault)) == plain)
    }
}
