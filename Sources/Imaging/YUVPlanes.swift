// SPDX-License-Identifier: GPL-3.0-or-later

internal import CYUV
internal import Media

/// Planes of JPEG shape: each chroma step whole, as TurboJPEG reads and writes them.
@unsafe
struct YUVPlanes {
    let size: Dimensions
    let subsampling: JPEGSubsampling
    var y: FrameView.Plane
    var u: FrameView.Plane
    var v: FrameView.Plane

    /// Planes in working memory, contents undefined.
    init(
        _ size: Dimensions, _ subsampling: JPEGSubsampling, in scratch: inout Scratch
    ) throws(ImagingError) {
        let step = subsampling.step
        let chroma = subsampling.chromaSize(of: size)
        let lumaStride = aligned(chroma.width * step.horizontal)
        let lumaBytes = lumaStride * chroma.height * step.vertical
        let chromaStride = aligned(chroma.width)
        let chromaBytes = subsampling == .grey ? 0 : chromaStride * chroma.height
        let start = try unsafe scratch.reserve(lumaBytes + 2 * chromaBytes)
        unsafe self.size = size
        unsafe self.subsampling = subsampling
        unsafe y = unsafe FrameView.Plane(start: start, stride: CInt(lumaStride))
        unsafe u = unsafe FrameView.Plane(
            start: start + lumaBytes, stride: CInt(chromaStride))
        unsafe v = unsafe FrameView.Plane(
            start: start + lumaBytes + chromaBytes, stride: CInt(chromaStride))
    }

    /// A planar frame's own memory.
    init(_ frame: FrameView, _ subsampling: JPEGSubsampling) {
        unsafe size = Dimensions(width: frame.width, height: frame.height)
        unsafe self.subsampling = subsampling
        unsafe y = frame.first
        unsafe (u, v) = frame.chroma
    }

    /// As a frame; `nil` for subsamplings that no pixel format has.
    var view: FrameView? {
        let format: PixelFormat
        switch unsafe subsampling {
        case .yuv420: format = .yuv420
        case .yuv422: format = .yuv422
        case .grey: format = .grey
        default: return nil
        }
        var view = unsafe FrameView(
            format, width: size.width, height: size.height, y.start, stride: Int(y.stride))
        unsafe view.second = u
        unsafe view.third = v
        return unsafe view
    }

    /// Copies luma, and fits chroma to another subsampling (box filter down, bilinear up).
    ///
    /// - Throws: `unsupported` unless the destination is YU12, YV12, 422P or GREY.
    func resample(into frame: FrameView) throws(ImagingError) {
        let target: JPEGSubsampling
        switch unsafe frame.format {
        case .yuv420, .yvu420: target = .yuv420
        case .yuv422: target = .yuv422
        case .grey: target = .grey
        default:
            throw unsafe ImagingError(
                .unsupported, "JPEG of \(subsampling) into \(frame.format)")
        }
        unsafe CopyPlane(
            y.start, y.stride, frame.first.start, frame.first.stride, CInt(size.width),
            CInt(size.height))
        guard target != .grey else { return }
        let to = unsafe target.chromaSize(of: size)
        let (toU, toV) = unsafe frame.chroma
        guard unsafe subsampling != .grey else {
            unsafe SetPlane(toU.start, toU.stride, CInt(to.width), CInt(to.height), 128)
            unsafe SetPlane(toV.start, toV.stride, CInt(to.width), CInt(to.height), 128)
            return
        }
        let from = unsafe subsampling.chromaSize(of: size)
        unsafe Self.scale(u, from, into: toU, to)
        unsafe Self.scale(v, from, into: toV, to)
    }

    static func scale(
        _ source: FrameView.Plane, _ from: Dimensions, into destination: FrameView.Plane,
        _ to: Dimensions
    ) {
        unsafe ScalePlane(
            source.start, source.stride, CInt(from.width), CInt(from.height), destination.start,
            destination.stride, CInt(to.width), CInt(to.height), kFilterBox)
    }
}

extension JPEGSubsampling {
    /// Samples in each chroma plane (for grey, which has none: in the luma plane).
    func chromaSize(of size: Dimensions) -> Dimensions {
        Dimensions(
            width: (size.width + step.horizontal - 1) / step.horizontal,
            height: (size.height + step.vertical - 1) / step.vertical)
    }
}

/// Row lengths as SIMD code likes them.
private func aligned(_ bytes: Int) -> Int { (bytes + 63) & ~63 }
