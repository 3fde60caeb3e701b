// SPDX-License-Identifier: GPL-3.0-or-later

internal import CYUV
public import Media

extension PixelAccess {
    /// Writes this picture, turned, into `target`. Both have four bytes per pixel and the same
    /// format. The target has the turned size; it is written once and never read. Throws
    /// `unsupported` for other formats; `mismatched` for a target of another format or size.
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
    /// Turns a picture of four bytes per pixel into one of the turned size; checks nothing.
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
