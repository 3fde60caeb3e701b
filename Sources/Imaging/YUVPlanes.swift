// SPDX-License-Identifier: GPL-3.0-or-later

internal import CYUV
internal import Media

/// The samples of a JPEG picture. In working memory, chroma steps are whole, for TurboJPEG.
@unsafe
struct YUVPlanes {
    let size: Dimensions
    let subsampling: JPEGSubsampling
    var y: FrameView.Plane
    var u: FrameView.Plane
    var v: FrameView.Plane

    /// Allocates undefined planes in working memory. Rows have room for whole blocks of eight.
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

    /// Refers to a planar frame's own memory.
    init(_ frame: FrameView, _ subsampling: JPEGSubsampling) {
        unsafe size = Dimensions(width: frame.width, height: frame.height)
        unsafe self.subsampling = subsampling
        unsafe y = frame.first
        unsafe (u, v) = frame.chroma
    }

    /// The planes as a frame; `nil` if no pixel format has this subsampling.
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

    /// Copies luma and fits chroma to another subsampling (box filter down, bilinear up). Throws
    /// `unsupported` unless the destination is YU12, YV12, 422P or GREY.
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
        let result = unsafe YUVPlanes(frame, target)
        unsafe y.copy(to: result.y, size)
        if target != .grey, unsafe subsampling == .grey {
            let chroma = target.chromaSize(of: unsafe size)
            unsafe result.u.fill(chroma, 128)
            unsafe result.v.fill(chroma, 128)
        } else {
            unsafe scaleChroma(into: result)
        }
    }

    /// Scales by box filter, chroma to the other's subsampling. Grey scales to grey only.
    func scale(into other: YUVPlanes) {
        unsafe y.scale(size, into: other.y, other.size)
        unsafe scaleChroma(into: other)
    }

    private func scaleChroma(into other: YUVPlanes) {
        guard unsafe other.subsampling != .grey else { return }
        let from = unsafe subsampling.chromaSize(of: size)
        let to = unsafe other.subsampling.chromaSize(of: other.size)
        unsafe u.scale(from, into: other.u, to)
        unsafe v.scale(from, into: other.v, to)
    }

    /// Copies to planes of the same size and subsampling. Planes in the same memory are skipped.
    func copy(to other: YUVPlanes) {
        unsafe y.copy(to: other.y, size)
        guard unsafe subsampling != .grey else { return }
        let chroma = unsafe subsampling.chromaSize(of: size)
        unsafe u.copy(to: other.u, chroma)
        unsafe v.copy(to: other.v, chroma)
    }

    /// Repeats each row's last sample to the end of its last block of eight (ITU-T T.81, A.2.4).
    func fillBlocks() {
        unsafe y.fillBlocks(size)
        guard unsafe subsampling != .grey else { return }
        let chroma = unsafe subsampling.chromaSize(of: size)
        unsafe u.fillBlocks(chroma)
        unsafe v.fillBlocks(chroma)
    }
}

extension FrameView.Plane {
    fileprivate func copy(to other: FrameView.Plane, _ size: Dimensions) {
        unsafe CopyPlane(
            start, stride, other.start, other.stride, CInt(size.width), CInt(size.height))
    }

    fileprivate func fill(_ size: Dimensions, _ value: UInt32) {
        unsafe SetPlane(start, stride, CInt(size.width), CInt(size.height), value)
    }

    fileprivate func scale(
        _ size: Dimensions, into other: FrameView.Plane, _ otherSize: Dimensions
    ) {
        unsafe ScalePlane(
            start, stride, CInt(size.width), CInt(size.height), other.start, other.stride,
            CInt(otherSize.width), CInt(otherSize.height), kFilterBox)
    }

    fileprivate func fillBlocks(_ size: Dimensions) {
        let end = (size.width + 7) & ~7
        for index in 0..<size.height {
            let samples = unsafe row(index)
            unsafe (samples + size.width).update(
                repeating: samples[size.width - 1], count: end - size.width)
        }
    }
}

extension JPEGSubsampling {
    /// Returns the samples in each chroma plane; for grey, which has none, in the luma plane.
    func chromaSize(of size: Dimensions) -> Dimensions {
        Dimensions(
            width: (size.width + step.horizontal - 1) / step.horizontal,
            height: (size.height + step.vertical - 1) / step.vertical)
    }
}

/// Rounds a row's length up to 64 bytes, for SIMD code.
private func aligned(_ bytes: Int) -> Int { (bytes + 63) & ~63 }
