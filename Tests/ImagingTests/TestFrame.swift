// SPDX-License-Identifier: GPL-3.0-or-later

import Imaging
import Media
import TestSupport

/// A frame in a byte array, between guard bytes, with padded rows. Tests can check what a
/// conversion must not touch, and read every sample by the format's definition in
/// linux/videodev2.h.
struct TestFrame {
    static let filler: UInt8 = 0xa5
    static let guardBytes = 256

    let description: FrameDescription
    var memory: [UInt8]

    /// Creates a frame filled with 0xa5.
    init(
        _ format: PixelFormat, _ width: Int, _ height: Int, padding: Int = 32,
        color: ColorDescription = ColorDescription(matrix: .bt601, range: .limited)
    ) {
        let bytes: Int =
            switch format {
            case .yuyv, .uyvy, .rgb565: 2
            case .rgb24, .bgr24: 3
            case .xrgb, .argb: 4
            default: 1
            }
        guard
            let description = FrameDescription(
                format, Dimensions(width: width, height: height),
                bytesPerRow: width * bytes + padding, color: color)
        else { preconditionFailure("no layout for \(format)") }
        self.description = description
        memory = Array(
            repeating: Self.filler, count: description.bufferSizes[0] + 2 * Self.guardBytes)
    }

    var width: Int { description.dimensions.width }
    var height: Int { description.dimensions.height }
    var format: PixelFormat { description.pixelFormat }

    mutating func access<Result>(_ body: (PixelAccess) throws -> Result) rethrows -> Result {
        try unsafe memory.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { preconditionFailure("empty") }
            return try unsafe body(PixelAccess(description, start + Self.guardBytes))
        }
    }

    subscript(plane: Int, row: Int, byte: Int) -> UInt8 {
        get { memory[address(plane, row, byte)] }
        set { memory[address(plane, row, byte)] = newValue }
    }

    private func address(_ plane: Int, _ row: Int, _ byte: Int) -> Int {
        let layout = description.planes[plane]
        return Self.guardBytes + layout.offset + row * layout.bytesPerRow + byte
    }

    // MARK: YUV

    /// The number of columns and rows that share a chroma sample.
    var step: (x: Int, y: Int) {
        switch format {
        case .yuyv, .uyvy, .nv16, .yuv422: (2, 1)
        case .grey: (1, 1)
        default: (2, 2)
        }
    }

    func y(_ x: Int, _ row: Int) -> UInt8 { self[0, row, lumaByte(x)] }
    func u(_ x: Int, _ row: Int) -> UInt8 {
        guard let (plane, byte) = chromaByte(x, isV: false) else { return 128 }
        return self[plane, plane == 0 ? row : row / step.y, byte]
    }
    func v(_ x: Int, _ row: Int) -> UInt8 {
        guard let (plane, byte) = chromaByte(x, isV: true) else { return 128 }
        return self[plane, plane == 0 ? row : row / step.y, byte]
    }

    private func lumaByte(_ x: Int) -> Int {
        switch format {
        case .yuyv: 2 * x
        case .uyvy: 2 * x + 1
        default: x
        }
    }

    private func chromaByte(_ x: Int, isV: Bool) -> (plane: Int, byte: Int)? {
        let pair = x / 2
        return switch format {
        case .yuyv: (0, pair * 4 + (isV ? 3 : 1))
        case .uyvy: (0, pair * 4 + (isV ? 2 : 0))
        case .nv12, .nv16: (1, pair * 2 + (isV ? 1 : 0))
        case .nv21: (1, pair * 2 + (isV ? 0 : 1))
        case .yuv420, .yuv422: (isV ? 2 : 1, pair)
        case .yvu420: (isV ? 1 : 2, pair)
        default: nil
        }
    }

    mutating func set(_ x: Int, _ row: Int, y: UInt8, u: UInt8, v: UInt8) {
        self[0, row, lumaByte(x)] = y
        if let (plane, byte) = chromaByte(x, isV: false) {
            self[plane, plane == 0 ? row : row / step.y, byte] = u
        }
        if let (plane, byte) = chromaByte(x, isV: true) {
            self[plane, plane == 0 ? row : row / step.y, byte] = v
        }
    }

    /// Sets every sample to a random value within the frame's range.
    mutating func randomize(_ seed: UInt64) {
        var random = Seeded(seed)
        let limited = format.isYUV && description.color.range == .limited
        for plane in description.planes.indices {
            for row in 0..<description.planes[plane].rows {
                for byte in 0..<rowBytes(plane) {
                    self[plane, row, byte] = UInt8.random(
                        in: limited ? 16...235 : 0...255, using: &random)
                }
            }
        }
    }

    /// Returns the number of bytes of a row that hold samples.
    func rowBytes(_ plane: Int) -> Int {
        let pairs = (width + 1) / 2
        return switch (format, plane) {
        case (.yuyv, _), (.uyvy, _): pairs * 4
        case (.rgb565, _): width * 2
        case (.rgb24, _), (.bgr24, _): width * 3
        case (.xrgb, _), (.argb, _): width * 4
        case (_, 0): width
        case (.nv12, _), (.nv21, _), (.nv16, _): pairs * 2
        default: pairs
        }
    }

    /// Whether guard bytes and row padding still hold 0xa5.
    var isPaddingUntouched: Bool {
        var samples = Set<Int>()
        for plane in description.planes.indices {
            for row in 0..<description.planes[plane].rows {
                for byte in 0..<rowBytes(plane) { samples.insert(address(plane, row, byte)) }
            }
        }
        return memory.indices.allSatisfy { samples.contains($0) || memory[$0] == Self.filler }
    }

    // MARK: RGB

    /// Returns red, green and blue of a pixel of an XRGB8888 frame.
    func rgb(_ x: Int, _ row: Int) -> [UInt8] {
        [self[0, row, 4 * x + 2], self[0, row, 4 * x + 1], self[0, row, 4 * x]]
    }

    mutating func set(_ x: Int, _ row: Int, rgb: [UInt8]) {
        switch format {
        case .rgb24:
            for index in 0..<3 { self[0, row, 3 * x + index] = rgb[index] }
        case .bgr24:
            for index in 0..<3 { self[0, row, 3 * x + index] = rgb[2 - index] }
        case .rgb565:
            let word =
                UInt16(rgb[0] >> 3) << 11 | UInt16(rgb[1] >> 2) << 5 | UInt16(rgb[2] >> 3)
            self[0, row, 2 * x] = UInt8(word & 0xff)
            self[0, row, 2 * x + 1] = UInt8(word >> 8)
        default:
            for index in 0..<3 { self[0, row, 4 * x + index] = rgb[2 - index] }
            self[0, row, 4 * x + 3] = 0
        }
    }

    static let yuvFormats: [PixelFormat] = [
        .yuyv, .uyvy, .nv12, .nv21, .nv16, .yuv420, .yvu420, .yuv422, .grey,
    ]
    static let rgbFormats: [PixelFormat] = [.rgb565, .rgb24, .bgr24, .xrgb]
}

/// Returns the largest difference between a sample and its expected value.
func worst(_ pairs: some Sequence<(UInt8, Double)>) -> Double {
    pairs.reduce(0) { max($0, abs(Double($1.0) - $1.1)) }
}
