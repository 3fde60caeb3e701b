// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// Converts any luma and chroma to JPEG's: BT.601, full range (JFIF 1.02, section 2).
///
/// Another range stretches each sample: Y' = (Y − 16)·255/219, C' = (C − 128)·255/224 + 128.
/// Another matrix also mixes chroma into luma, Y' = Y + a·Cb + b·Cr, and mixes chroma by a 2×2
/// matrix, in units of 1/16384. Both are within 0.6 of exact arithmetic. Values beyond any colour
/// (whiter than white) are clamped. BT.2020 is converted by its matrix; its primaries stay.
struct JFIFColor {
    let source: ColorDescription
    private let mix: Mix?

    fileprivate struct Mix {
        /// The weights of Y, Cb and Cr in Y'.
        var y: Int32
        var yFromU: Int32
        var yFromV: Int32
        /// The weights of Cb and Cr in Cb' and Cr'.
        var uFromU: Int32
        var uFromV: Int32
        var vFromU: Int32
        var vFromV: Int32
        var black: Int32
    }

    init(_ source: ColorDescription) {
        self.source = source
        let limited = source.range == .limited
        let (black, lumaSpan, chromaSpan) =
            limited ? (16.0, 219.0, 224.0) : (0.0, 255.0, 255.0)
        guard source.matrix != .bt601 else {
            mix = nil
            return
        }
        // Convert to RGB by the source's weights and back by BT.601's. Chroma suffices: grey stays.
        let from = source.matrix.weights
        let to = ColorDescription.Matrix.bt601.weights
        func mixed(_ cb: Double, _ cr: Double) -> (y: Double, u: Double, v: Double) {
            let red = 2 * (1 - from.red) * cr
            let blue = 2 * (1 - from.blue) * cb
            let green = -(from.red * red + from.blue * blue) / (1 - from.red - from.blue)
            let y = to.red * red + (1 - to.red - to.blue) * green + to.blue * blue
            return (y, (blue - y) / (2 * (1 - to.blue)), (red - y) / (2 * (1 - to.red)))
        }
        func fixed(_ value: Double, _ span: Double) -> Int32 {
            Int32((value * 255 / span * Double(1 << 14)).rounded())
        }
        let (u, v) = (mixed(1, 0), mixed(0, 1))
        mix = Mix(
            y: fixed(1, lumaSpan), yFromU: fixed(u.y, chromaSpan), yFromV: fixed(v.y, chromaSpan),
            uFromU: fixed(u.u, chromaSpan), uFromV: fixed(v.u, chromaSpan),
            vFromU: fixed(u.v, chromaSpan), vFromV: fixed(v.v, chromaSpan), black: Int32(black))
    }

    /// Converts the samples in place.
    func apply(to planes: YUVPlanes) {
        let size = unsafe planes.size
        guard let mix, unsafe planes.subsampling != .grey else {
            unsafe stretch(planes)
            return
        }
        let chroma = unsafe planes.subsampling.chromaSize(of: size)
        let step = unsafe planes.subsampling.step.vertical
        for row in 0..<chroma.height {
            let (u, v) = unsafe (planes.u.row(row), planes.v.row(row))
            for luma in row * step..<min((row + 1) * step, size.height) {
                unsafe mix.luma(planes.y.row(luma), u, v, count: chroma.width)
            }
            unsafe mix.chroma(u, v, count: chroma.width)
        }
    }

    /// Converts the range alone.
    private func stretch(_ planes: YUVPlanes) {
        guard source.range == .limited else { return }
        let size = unsafe planes.size
        for row in 0..<size.height {
            unsafe Self.stretchLuma(planes.y.row(row), size.width)
        }
        guard unsafe planes.subsampling != .grey else { return }
        let chroma = unsafe planes.subsampling.chromaSize(of: size)
        for row in 0..<chroma.height {
            unsafe Self.stretchChroma(planes.u.row(row), chroma.width)
            unsafe Self.stretchChroma(planes.v.row(row), chroma.width)
        }
    }

    // 16-bit arithmetic fits many samples into one SIMD register.

    private static func stretchLuma(_ samples: UnsafeMutablePointer<UInt8>, _ count: Int) {
        for index in 0..<count {
            // 149/128 approximates 255/219.
            let above = unsafe UInt16(max(samples[index], 16) &- 16)
            unsafe samples[index] = UInt8(truncatingIfNeeded: min((above &* 149 &+ 64) &>> 7, 255))
        }
    }

    private static func stretchChroma(_ samples: UnsafeMutablePointer<UInt8>, _ count: Int) {
        for index in 0..<count {
            // 1 + 142/1024 approximates 255/224. The sample 16 becomes 0.5, and another 0.5 rounds.
            let above = unsafe UInt16(max(samples[index], 16) &- 16)
            unsafe samples[index] = UInt8(
                truncatingIfNeeded: min(above &+ (above &* 142 &+ 1024) &>> 10, 255))
        }
    }
}

extension JFIFColor.Mix {
    /// Converts two luma samples for each chroma pair. Rows have room for whole pairs.
    func luma(
        _ y: UnsafeMutablePointer<UInt8>, _ u: UnsafeMutablePointer<UInt8>,
        _ v: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        let offset = 8192 &- self.y &* black &- 128 &* (yFromU &+ yFromV)
        for index in 0..<count {
            let color = unsafe yFromU &* Int32(u[index]) &+ yFromV &* Int32(v[index]) &+ offset
            let left = unsafe self.y &* Int32(y[2 &* index]) &+ color
            let right = unsafe self.y &* Int32(y[2 &* index &+ 1]) &+ color
            unsafe y[2 &* index] = UInt8(truncatingIfNeeded: min(max(left &>> 14, 0), 255))
            unsafe y[2 &* index &+ 1] = UInt8(truncatingIfNeeded: min(max(right &>> 14, 0), 255))
        }
    }

    func chroma(
        _ u: UnsafeMutablePointer<UInt8>, _ v: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        let neutral: Int32 = 128 << 14 + 8192
        for index in 0..<count {
            let (cb, cr) = unsafe (Int32(u[index]) &- 128, Int32(v[index]) &- 128)
            let newU = uFromU &* cb &+ uFromV &* cr &+ neutral
            let newV = vFromU &* cb &+ vFromV &* cr &+ neutral
            unsafe u[index] = UInt8(truncatingIfNeeded: min(max(newU &>> 14, 0), 255))
            unsafe v[index] = UInt8(truncatingIfNeeded: min(max(newV &>> 14, 0), 255))
        }
    }
}

extension FrameView.Plane {
    func row(_ index: Int) -> UnsafeMutablePointer<UInt8> { unsafe start + Int(stride) * index }
}

extension ColorDescription.Matrix {
    /// The shares of red and blue in luma; green has the rest.
    var weights: (red: Double, blue: Double) {
        switch self {
        case .bt601: (0.299, 0.114)
        case .bt709: (0.2126, 0.0722)
        case .bt2020: (0.2627, 0.0593)
        }
    }
}
