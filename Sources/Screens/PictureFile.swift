// SPDX-License-Identifier: GPL-3.0-or-later

internal import Drawing
internal import Imaging
internal import LinuxIO
internal import Media

/// A PNG or JPEG file for the screen. It may be missing, and change at any time.
struct PictureFile: Sendable {
    /// The absolute path.
    let path: String

    /// Larger files are no pictures for a screen.
    private static let largest = 64 << 20

    /// The file's length and date; `nil` if it is missing.
    var entry: FileTree.Entry? { (try? FileTree.entry(path)) ?? nil }

    /// Reads the picture. A JPEG picture may be smaller than it is in the file, but covers `size`
    /// if it does so there.
    func canvas(covering size: Dimensions) throws -> Canvas {
        let bytes = try content()
        guard bytes.starts(with: [0xFF, 0xD8]) else { return try Canvas(png: path) }
        let decoder = try JPEGDecoder()
        let scale = JPEGScale(of: try decoder.header(of: bytes).dimensions, covering: size)
        let picture = try decoder.picture(of: bytes, scale: scale)
        let canvas = try Canvas(picture.description.dimensions)
        unsafe picture.withPixels { pixels in
            unsafe canvas.draw(pixels, in: PixelRect(canvas.dimensions), .resize)
        }
        return canvas
    }

    private func content() throws(SystemCallError) -> [UInt8] {
        let file = try DurableFileReader(path, followsLinks: true)
        var content: [UInt8] = []
        while content.count <= Self.largest {
            let block = try file.read()
            if block.isEmpty { break }
            content += block
        }
        return content
    }
}

/// The picture behind the texts of one screen, in the screen's size. Not thread-safe.
final class BackgroundPicture {
    private let file: PictureFile
    private let screen: Dimensions
    private let failed: (any Error) -> Void
    private var entry: FileTree.Entry?
    private var picture: Canvas?

    /// - Parameter failed: Called with the reason why a file cannot be read.
    init(_ file: PictureFile, for screen: Dimensions, failed: @escaping (any Error) -> Void) {
        self.file = file
        self.screen = screen
        self.failed = failed
    }

    /// The picture, darkened by `shade`, and read again if its file has changed. `nil` if it is
    /// missing or cannot be read.
    func canvas(shade: Color) -> Canvas? {
        let entry = file.entry
        if entry == self.entry { return picture }
        self.entry = entry
        picture = nil
        guard entry != nil else { return nil }
        do {
            let content = try file.canvas(covering: screen)
            let canvas = try Canvas(screen)
            canvas.fill(.black)
            unsafe content.withPixels {
                unsafe canvas.draw($0, in: PixelRect(screen), .resizeAspectFill)
            }
            canvas.fill(canvas.bounds, shade)
            picture = canvas
        } catch {
            failed(error)
        }
        return picture
    }
}
