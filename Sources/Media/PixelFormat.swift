// SPDX-License-Identifier: GPL-3.0-or-later

/// A memory layout of pixels, named by its V4L2 fourcc code (linux/videodev2.h).
public struct PixelFormat: Hashable, Sendable, CustomStringConvertible {
    /// V4L2's code: four ASCII characters, the first in the lowest byte.
    public let fourCC: UInt32

    /// Creates a format from any code, known or not.
    public init(fourCC: UInt32) { self.fourCC = fourCC }

    /// Creates a format from up to four ASCII characters, padded with spaces; `nil` for other text.
    public init?(_ name: String) {
        let bytes = Array(name.utf8)
        guard (1...4).contains(bytes.count), bytes.allSatisfy({ (0x20...0x7e).contains($0) })
        else { return nil }
        fourCC = (0..<4).reduce(0) { code, index in
            code | UInt32(index < bytes.count ? bytes[index] : 0x20) << (8 * UInt32(index))
        }
    }

    private init(_ a: Unicode.Scalar, _ b: Unicode.Scalar, _ c: Unicode.Scalar, _ d: Unicode.Scalar)
    {
        fourCC = a.value | b.value << 8 | c.value << 16 | d.value << 24
    }

    /// The four characters without trailing spaces, for example "NV12".
    public var description: String {
        var text = ""
        for shift: UInt32 in [0, 8, 16, 24] {
            text.unicodeScalars.append(Unicode.Scalar(UInt8(fourCC >> shift & 0x7f)))
        }
        while text.last == " " { text.removeLast() }
        return text
    }

    /// 4:2:2, packed Y0 U Y1 V.
    public static let yuyv = PixelFormat("Y", "U", "Y", "V")
    /// 4:2:2, packed U Y0 V Y1.
    public static let uyvy = PixelFormat("U", "Y", "V", "Y")
    /// 4:2:0, Y plane, then interleaved UV.
    public static let nv12 = PixelFormat("N", "V", "1", "2")
    /// 4:2:0, Y plane, then interleaved VU.
    public static let nv21 = PixelFormat("N", "V", "2", "1")
    /// 4:2:2, Y plane, then interleaved UV.
    public static let nv16 = PixelFormat("N", "V", "1", "6")
    /// ``nv12`` with each plane in a buffer of its own (V4L2 multi-planar only).
    public static let nv12Separate = PixelFormat("N", "M", "1", "2")
    /// 4:2:0, planes Y, U, V.
    public static let yuv420 = PixelFormat("Y", "U", "1", "2")
    /// 4:2:0, planes Y, V, U.
    public static let yvu420 = PixelFormat("Y", "V", "1", "2")
    /// 4:2:2, planes Y, U, V.
    public static let yuv422 = PixelFormat("4", "2", "2", "P")
    /// 16 bits: red in the high five, blue in the low five; little endian.
    public static let rgb565 = PixelFormat("R", "G", "B", "P")
    /// Bytes R, G, B.
    public static let rgb24 = PixelFormat("R", "G", "B", "3")
    /// Bytes B, G, R.
    public static let bgr24 = PixelFormat("B", "G", "R", "3")
    /// Bytes B, G, R, unused: DRM's XRGB8888.
    public static let xrgb = PixelFormat("X", "R", "2", "4")
    /// Bytes B, G, R, A, premultiplied: DRM's ARGB8888, used for overlays only.
    public static let argb = PixelFormat("A", "R", "2", "4")
    /// One byte of luma.
    public static let grey = PixelFormat("G", "R", "E", "Y")
    /// Motion JPEG: one JPEG picture per frame, possibly without its Huffman tables.
    public static let mjpeg = PixelFormat("M", "J", "P", "G")
    /// JFIF JPEG: like ``mjpeg``, with tables.
    public static let jpeg = PixelFormat("J", "P", "E", "G")
    /// H.264 as a byte stream (ITU-T H.264, annex B): one access unit per frame.
    public static let h264 = PixelFormat("H", "2", "6", "4")
    /// H.265 as a byte stream (ITU-T H.265, annex B): one access unit per frame.
    public static let hevc = PixelFormat("H", "E", "V", "C")
    /// Fast Walsh-Hadamard transform, used only by the kernel's `vicodec`.
    public static let fwht = PixelFormat("F", "W", "H", "T")

    /// Whether frames are compressed pictures of varying length, each independent of the others.
    public var isCompressed: Bool { self == .mjpeg || self == .jpeg }

    /// Whether colours are stored as luma and chroma.
    public var isYUV: Bool {
        switch self {
        case .yuyv, .uyvy, .nv12, .nv21, .nv16, .nv12Separate, .yuv420, .yvu420, .yuv422, .grey,
            .mjpeg, .jpeg:
            true
        default: false
        }
    }
}
