// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Drawing
internal import Imaging
public import Library
internal import LinuxIO
internal import Media

extension MediaInspector: ForeignPictures {
    private static let quality = 90

    /// Returns a JPEG of an original that is not one, within ``memoryLimit``.
    /// - Throws: `LibraryError` `unsupported` if the necessary program or memory is missing;
    ///   ``ImportError``; `SystemCallError` if the file cannot be read.
    public func jpeg(of path: String) async throws -> [UInt8] {
        try await orUnsupported {
            switch try kind(of: path) {
            case .png:
                return try unsafe withPNG(path) { _, _, pixels in
                    try unsafe JPEGEncoder().encode(pixels, quality: Self.quality)
                }
            case .heif, .avif: return try await picture(ofHEIF: path)
            case .mp4, .quickTime, .matroska: return try await programs.poster(path)
            case .jpeg, nil: throw ImportError.notMedia
            }
        }
    }

    /// Returns a picture's EXIF or a video's tags, within ``memoryLimit``. No picture is decoded.
    /// - Throws: the errors of ``jpeg(of:)``.
    public func metadata(of path: String) async throws -> [String: [String: String]] {
        try await orUnsupported {
            switch try kind(of: path) {
            case .png: return try PNGFile(content(path)).exif?.properties ?? [:]
            case .heif, .avif: return try exif(ofHEIF: path)?.properties ?? [:]
            case .mp4, .quickTime, .matroska:
                let tags = try await programs.tags(path)
                return tags.isEmpty ? [:] : ["Movie": tags]
            case .jpeg, nil: throw ImportError.notMedia
            }
        }
    }

    /// Returns the picture as an upright JPEG with an upright EXIF orientation. In HEIF only `irot`
    /// and `imir` turn a picture; EXIF is informative (ISO/IEC 23008-12, annex A.2.1).
    func picture(ofHEIF path: String) async throws -> [UInt8] {
        let jpeg = try await programs.picture(path)
        return JPEGFile.turning(jpeg, orientation: 1) ?? jpeg
    }

    private func exif(ofHEIF path: String) throws -> EmbeddedExif? {
        let reader = try DurableFileReader(path)
        guard let place = HEIFFile(try reader.read(upTo: HEIFFile.beginning)).exif else {
            return nil
        }
        let item = try reader.read(upTo: place.count, at: place.lowerBound)
        return EmbeddedExif(HEIFFile.tiff(item))
    }

    private func orUnsupported<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as ImportError
            where [.noProgram, .tooLarge, .unsupported].contains(error.code)
        {
            throw LibraryError(.unsupported, error.message, underlying: error)
        }
    }

    /// Calls `body` with the decoded picture. The pointers are valid until it returns.
    @unsafe
    func withPNG<Result>(
        _ path: String, _ body: (PNGFile, _ bytes: [UInt8], PixelAccess) throws -> Result
    ) throws -> Result {
        let bytes = try content(path)
        let file = try PNGFile(bytes)
        // Decoding and drawing take four bytes per pixel each.
        let (pixels, isTooMany) = file.dimensions.width.multipliedReportingOverflow(
            by: file.dimensions.height)
        try require(isTooMany || pixels > memoryLimit ? .max : bytes.count + pixels * 8)
        do {
            let canvas = try Canvas(png: path)
            // Transparent pixels become white, as on paper.
            canvas.fillBehind(.white)
            return try unsafe canvas.withMutablePixels { access in
                var description = unsafe access.description
                description.pixelFormat = .xrgb
                let opaque = unsafe PixelAccess(description, access.plane(0))
                if let profile = ColorProfile(ofPNG: bytes), !profile.isSRGB {
                    _ = unsafe profile.convertToSRGB(opaque)
                }
                return try unsafe body(file, bytes, opaque)
            }
        } catch {
            throw ImportError(.damaged, "PNG: \(error)")
        }
    }
}
