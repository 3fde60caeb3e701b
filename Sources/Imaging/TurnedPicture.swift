// SPDX-License-Identifier: GPL-3.0-or-later

internal import CYUV
public import Media

extension PixelAccess {
    /// Writes this picture, of four bytes a pixel, into `target` turned: of the same format, and of the
    /// turned size. The target is written once and never read.
    ///
    /// - Throws: `unsupported` for other formats, `mismatched` for a target of another format or size.
    @unsafe
    public func write(turned rotation: Rotation, into target: PixelAccess) throws(ImagingError) {
        let (source, result) = unsafe (try FrameView(self), try FrameView(target))
        guard unsafe [.xrgb, .argb].contains(source.format) else {
            throw unsafe ImagingError(.unsupported, "\(source.format) pictures are not turned")
        }
        let size = unsafe Dimensions(width: source.width, height: source.height)
        let turned = rotation.apply(to: size)
        guard unsafe source.format == result.format, unsafe result.width == turned.width,
            unsafe result.height == turned.height
        else {
            throw unsafe ImagingError(
                .mismatched,
                "\(source.format) \(size) turned by \(rotation.rawValue) degrees into "
                    + "\(result.format) \(result.width)x\(result.height)")
        }
        try unsafe source.turn(by: rotation, into: result)
    }
}

extension FrameView {
    /// Four bytes a pixel, into one of the turned size; nothing is checked.
    func turn(by rotation: Rotation, into result: FrameView) throws(ImagingError) {
        let mode =
            switch rotation {
            case .none: kRotate0
            case .quarter: kRotate90
            case .half: kRotate180
            case .threeQuarters: kRotate270
            }
        let status = unsafe ARGBRotate(
            first.start, first.stride, result.first.start, result.first.stride, CInt(width),
            CInt(height), mode)
        guard status == 0 else { throw ImagingError(.failed, "libyuv: turning") }
    }
}
