// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Imaging
internal import Media

/// Renders the upright, adjusted picture of a JPEG file, and decodes no more of it than is shown.
/// For one thread at a time; keeps its working memory between calls.
final class PictureRenderer {
    private let decoder: JPEGDecoder
    private let compositor = Compositor()
    private let mostBytes: Int

    /// - Parameter mostBytes: The maximum memory for a picture while it is made.
    init(mostBytes: Int = .max) throws(ImagingError) {
        decoder = try JPEGDecoder()
        self.mostBytes = mostBytes
    }

    /// Renders an XRGB8888 picture, whose size follows from `size` and its resize mode.
    /// - Parameter keepsColors: Whether pixels keep the file's ICC profile, not converted to sRGB.
    /// - Throws: The errors of `JPEGDecoder`; `unsupported` for a picture that takes too much
    ///   memory; `mismatched` for one that is not as large as it says.
    func render(
        _ file: [UInt8], _ orientation: ExifOrientation, _ adjustment: AssetAdjustment?,
        _ size: ImageSize, keepsColors: Bool = false
    ) throws(ImagingError) -> StillPicture {
        let jpeg = JPEGFile.ended(file)
        let header = try decoder.header(of: jpeg)
        let stored = header.dimensions
        let adjustment = adjustment ?? AssetAdjustment()
        let upright = orientation.apply(to: stored)
        let crop = adjustment.rect(in: upright)
        let exact = size.exact(of: adjustment.rotation.apply(to: crop.size))

        // Everything except the rotation happens in the stored orientation.
        let whole = orientation.turned(adjustment.rotation)
        let turn = whole.isMirrored ? whole.rotation.inverse : whole.rotation
        let part = orientation.storedRect(of: crop, in: upright)
        let scale = JPEGScale(of: stored, showing: part.size, at: turn.inverse.apply(to: exact))
        let decodedSize = scale.apply(to: stored)
        let source = Self.scaled(part, from: stored, to: decodedSize)
        let target =
            size.resizeMode == .fast ? source.size : turn.inverse.apply(to: exact)
        let isAsDecoded =
            source == PixelRect(decodedSize) && target == source.size && turn == .none
            && !whole.isMirrored
        let copies = isAsDecoded ? 0 : turn == .none ? 1 : 2
        let decodedPixels = (header.isCMYK ? 2 : 1) * decodedSize.pixels
        try checkMemory(jpeg, stored, decodedSize, decodedPixels, target, copies: copies)
        let decoded = try decoder.picture(of: jpeg, scale: scale, keepsColors: keepsColors)
        if isAsDecoded { return StillPicture(decoded) }
        return StillPicture(
            try turned(try placed(decoded, source, target, isMirrored: whole.isMirrored), turn))
    }

    private func checkMemory(
        _ jpeg: [UInt8], _ stored: Dimensions, _ decoded: Dimensions, _ decodedPixels: Int,
        _ target: Dimensions, copies: Int
    ) throws(ImagingError) {
        if mostBytes == .max { return }
        let pixels = decodedPixels + copies * target.pixels
        // An incomplete file does not tell how much a decoder must hold, so everything counts.
        let held =
            (try? JPEGFile(jpeg))?.bytesOfHeldCoefficients
            ?? JPEGFile.bytesOfCoefficients(of: stored)
        let bytes = pixels * 4 + held
        guard bytes <= mostBytes else {
            throw ImagingError(
                .unsupported,
                "\(target) pixels of a picture decoded as \(decoded) take \(bytes >> 20) MB, "
                    + "allowed: \(mostBytes >> 20)"
                    + (held > mostBytes ? "" : "; ask for a smaller --size"))
        }
    }

    private func placed(
        _ picture: borrowing PixelStorage, _ source: PixelRect, _ size: Dimensions,
        isMirrored: Bool
    ) throws(ImagingError) -> PixelStorage {
        var result = try PixelStorage(.xrgb, size, color: .jpeg)
        let compositor = compositor
        try unsafe picture.withPixels { (pixels) throws(ImagingError) in
            try unsafe result.withMutablePixels { (target) throws(ImagingError) in
                try unsafe compositor.render(
                    (
                        pixels,
                        Compositor.Placement(
                            source: source, target: PixelRect(size),
                            orientation: isMirrored ? .mirrored : .upright)
                    ), into: target)
            }
        }
        return result
    }

    private func turned(
        _ picture: consuming PixelStorage, _ turn: Rotation
    ) throws(ImagingError) -> PixelStorage {
        if turn == .none { return picture }
        var result = try PixelStorage(
            .xrgb, turn.apply(to: picture.description.dimensions), color: .jpeg)
        try unsafe picture.withPixels { (pixels) throws(ImagingError) in
            try unsafe result.withMutablePixels { (target) throws(ImagingError) in
                try unsafe pixels.write(turned: turn, into: target)
            }
        }
        return result
    }

    /// Returns the same part of a picture that was decoded smaller.
    private static func scaled(
        _ rect: PixelRect, from size: Dimensions, to smaller: Dimensions
    ) -> PixelRect {
        if size == smaller { return rect }
        let x = min(rect.x * smaller.width / size.width, smaller.width - 1)
        let y = min(rect.y * smaller.height / size.height, smaller.height - 1)
        let right = (rect.x + rect.width) * smaller.width / size.width
        let bottom = (rect.y + rect.height) * smaller.height / size.height
        return PixelRect(
            x: x, y: y, width: max(min(right, smaller.width) - x, 1),
            height: max(min(bottom, smaller.height) - y, 1))
    }
}
