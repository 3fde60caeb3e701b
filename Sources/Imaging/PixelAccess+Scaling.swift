// SPDX-License-Identifier: GPL-3.0-or-later

internal import CYUV
public import Media

extension PixelAccess {
    /// Replaces a part of an ARGB8888 picture by other pixels of that kind, scaled.
    /// - Parameters:
    ///   - pixels: The rows without padding.
    ///   - size: The size of what `pixels` has.
    ///   - place: The part; what lies outside the picture is left out.
    @unsafe
    public func draw(
        _ pixels: [UInt32], of size: Dimensions, in place: PixelRect
    ) throws(ImagingError) {
        let visible = place.intersection(PixelRect(unsafe description.dimensions))
        guard let visible, pixels.count == size.pixels else { return }
        let row = unsafe bytesPerRow(0)
        let start = unsafe plane(0) + place.y * row + 4 * place.x
        let result = unsafe pixels.withUnsafeBytes { source in
            unsafe ARGBScaleClip(
                source.baseAddress?.assumingMemoryBound(to: UInt8.self), CInt(4 * size.width),
                CInt(size.width), CInt(size.height), UnsafeMutablePointer(mutating: start),
                CInt(row), CInt(place.width), CInt(place.height), CInt(visible.x - place.x),
                CInt(visible.y - place.y), CInt(visible.width), CInt(visible.height), kFilterBox)
        }
        guard result == 0 else { throw ImagingError(.failed, "libyuv: scaling") }
    }
}
