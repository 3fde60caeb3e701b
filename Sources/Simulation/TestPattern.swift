// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Glibc
internal import Media

/// Colour bars, a moving block, and the frame's number and time at the top left. NV12 or XRGB8888.
final class TestPattern: FrameSource {
    let largestFrame = 0
    private let size: Dimensions
    /// The bars, painted once and copied into each frame.
    private var bars: [UInt8] = []

    init(_ format: CaptureFormat) {
        size = format.dimensions
    }

    func fill(_ pixels: PixelAccess, sequence: UInt32, timestamp: Int64) -> Int {
        let bytes = unsafe pixels.description.bufferSizes[0]
        if bars.isEmpty {
            unsafe paintBars(pixels)
            unsafe bars = Array(UnsafeBufferPointer(start: pixels.plane(0), count: bytes))
        } else {
            unsafe bars.withUnsafeBytes { source in
                guard let start = source.baseAddress else { return }
                unsafe memcpy(pixels.plane(0), start, bytes)
            }
        }
        let unit = max(2, size.height / 120 & ~1)
        let travel = max(1, size.width - unit * 12)
        let x = Int(sequence) * unit % travel & ~1
        unsafe paint(
            PixelRect(x: x, y: size.height * 3 / 4 & ~1, width: unit * 12, height: unit * 12),
            .white, pixels)
        let milliseconds = timestamp / 1_000_000
        let text =
            String(sequence).leftPadded(7)
            + "  " + String(milliseconds / 1000).leftPadded(6) + "."
            + String(milliseconds % 1000).leftPadded(3, "0")
        unsafe write(text, x: unit * 4, y: unit * 4, unit: unit, pixels)
        return bytes
    }

    private func paintBars(_ pixels: PixelAccess) {
        let colors: [Color] = [.white, .yellow, .cyan, .green, .magenta, .red, .blue, .black]
        let width = (size.width / colors.count + 1) & ~1
        for (index, color) in colors.enumerated() {
            let x = min(index * width, size.width)
            unsafe paint(
                PixelRect(x: x, y: 0, width: min(width, size.width - x), height: size.height),
                color, pixels)
        }
    }

    /// Writes digits of 5 by 7 blocks of `unit` pixels, white on black.
    private func write(_ text: String, x: Int, y: Int, unit: Int, _ pixels: PixelAccess) {
        let box = PixelRect(
            x: x - unit, y: y - unit, width: (text.count * 6 + 1) * unit, height: 9 * unit)
        unsafe paint(box, .black, pixels)
        for (column, character) in text.enumerated() {
            guard let rows = digitShapes[character] else { continue }
            for (row, bits) in rows.enumerated() {
                for bit in 0..<5 where bits & (16 >> bit) != 0 {
                    let dot = PixelRect(
                        x: x + (column * 6 + bit) * unit, y: y + row * unit, width: unit,
                        height: unit)
                    unsafe paint(dot, .white, pixels)
                }
            }
        }
    }

    private func paint(_ rect: PixelRect, _ color: Color, _ pixels: PixelAccess) {
        let isXRGB = unsafe pixels.description.pixelFormat == .xrgb
        for y in rect.y..<min(rect.y + rect.height, size.height) {
            let width = min(rect.width, size.width - rect.x)
            if width <= 0 { return }
            if isXRGB {
                let row = unsafe UnsafeMutableRawPointer(
                    pixels.plane(0) + y * pixels.bytesPerRow(0) + rect.x * 4
                ).assumingMemoryBound(to: UInt32.self)
                unsafe row.update(repeating: color.xrgb, count: width)
                continue
            }
            unsafe (pixels.plane(0) + y * pixels.bytesPerRow(0) + rect.x)
                .update(repeating: color.y, count: width)
            if y % 2 == 1 { continue }
            let chroma = unsafe UnsafeMutableRawPointer(
                pixels.plane(1) + y / 2 * pixels.bytesPerRow(1) + rect.x
            ).assumingMemoryBound(to: UInt16.self)
            unsafe chroma.update(
                repeating: UInt16(color.u) | UInt16(color.v) << 8, count: width / 2)
        }
    }

    /// A colour as RGB and as limited-range BT.601.
    private struct Color {
        let xrgb: UInt32
        let y: UInt8
        let u: UInt8
        let v: UInt8

        init(_ red: Double, _ green: Double, _ blue: Double) {
            func byte(_ value: Double) -> UInt8 { UInt8(max(0, min(255, value.rounded()))) }
            let luma = 0.299 * red + 0.587 * green + 0.114 * blue
            xrgb =
                UInt32(byte(red * 255)) << 16 | UInt32(byte(green * 255)) << 8
                | UInt32(byte(blue * 255)) | 0xff00_0000
            y = byte(16 + 219 * luma)
            u = byte(128 + 224 * (blue - luma) / 1.772)
            v = byte(128 + 224 * (red - luma) / 1.402)
        }

        static let white = Color(1, 1, 1)
        static let yellow = Color(0.75, 0.75, 0)
        static let cyan = Color(0, 0.75, 0.75)
        static let green = Color(0, 0.75, 0)
        static let magenta = Color(0.75, 0, 0.75)
        static let red = Color(0.75, 0, 0)
        static let blue = Color(0, 0, 0.75)
        static let black = Color(0, 0, 0)
    }
}

extension String {
    fileprivate func leftPadded(_ width: Int, _ filler: Character = " ") -> String {
        String(repeating: filler, count: max(0, width - count)) + self
    }
}

/// The digits as seven rows of five bits.
private let digitShapes: [Character: [UInt8]] = [
    "0": [14, 17, 19, 21, 25, 17, 14], "1": [4, 12, 4, 4, 4, 4, 14],
    "2": [14, 17, 1, 2, 4, 8, 31], "3": [31, 2, 4, 2, 1, 17, 14],
    "4": [2, 6, 10, 18, 31, 2, 2], "5": [31, 16, 30, 1, 1, 17, 14],
    "6": [6, 8, 16, 30, 17, 17, 14], "7": [31, 1, 2, 4, 8, 8, 8],
    "8": [14, 17, 17, 14, 17, 17, 14], "9": [14, 17, 17, 15, 1, 2, 12],
    ".": [0, 0, 0, 0, 0, 12, 12],
]
