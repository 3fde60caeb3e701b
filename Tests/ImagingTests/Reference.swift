// SPDX-License-Identifier: GPL-3.0-or-later

import Media

/// The oracle for colours: ITU-R BT.601, BT.709 and BT.2020 (non-constant luminance) in Double,
/// from the recommendations' weights of red and blue and their 8-bit quantisation.
struct Reference {
    let color: ColorDescription

    private var weights: (red: Double, blue: Double) {
        switch color.matrix {
        case .bt601: (0.299, 0.114)
        case .bt709: (0.2126, 0.0722)
        case .bt2020: (0.2627, 0.0593)
        }
    }
    private var isLimited: Bool { color.range == .limited }

    /// Returns red, green and blue in 0…255, clamped but not rounded.
    func rgb(_ y: UInt8, _ u: UInt8, _ v: UInt8) -> [Double] {
        let (red, blue) = weights
        let luma = isLimited ? (Double(y) - 16) / 219 : Double(y) / 255
        let span = isLimited ? 224.0 : 255.0
        let cb = (Double(u) - 128) / span
        let cr = (Double(v) - 128) / span
        let r = luma + 2 * (1 - red) * cr
        let b = luma + 2 * (1 - blue) * cb
        let g = (luma - red * r - blue * b) / (1 - red - blue)
        return [r, g, b].map { min(max($0 * 255, 0), 255) }
    }

    /// Returns the samples nearest to a colour with components in 0…255.
    func yuv(_ r: Double, _ g: Double, _ b: Double) -> (y: UInt8, u: UInt8, v: UInt8) {
        let (red, blue) = weights
        let luma = (red * r + (1 - red - blue) * g + blue * b) / 255
        let cb = (b / 255 - luma) / (2 * (1 - blue))
        let cr = (r / 255 - luma) / (2 * (1 - red))
        func sample(_ value: Double) -> UInt8 { UInt8(min(max(value.rounded(), 0), 255)) }
        return isLimited
            ? (sample(16 + 219 * luma), sample(128 + 224 * cb), sample(128 + 224 * cr))
            : (sample(255 * luma), sample(128 + 255 * cb), sample(128 + 255 * cr))
    }

    static let all: [ColorDescription] = [ColorDescription.Matrix.bt601, .bt709, .bt2020].flatMap {
        [ColorDescription(matrix: $0, range: .limited), ColorDescription(matrix: $0, range: .full)]
    }
}
