// SPDX-License-Identifier: GPL-3.0-or-later

/// The memory layout of a sensor's values: one per pixel, behind a mosaic of two by two colour
/// filters (V4L2's Bayer formats, linux/videodev2.h).
public struct RawPixelFormat: Hashable, Sendable {
    /// The colour of the filter in front of a pixel.
    public enum Filter: UInt8, Sendable {
        case red, green, blue
    }
    /// The packing of values into bytes.
    public enum Packing: Hashable, Sendable {
        /// One byte per value.
        case bytes
        /// Two bytes per value, the low one first. Unused high bits are 0.
        case words
        /// Groups of two 12-bit or four 10-bit values: the high eight bits of each, then one byte
        /// with their low bits, the first value's lowest (MIPI CSI-2).
        case packed
    }

    /// The filters of the square's upper row, then of its lower row.
    public let filters: [Filter]
    /// Bits per value, 8 to 16.
    public let bits: Int
    /// The packing of values into bytes.
    public let packing: Packing

    /// Creates the layout of a Bayer format; `nil` for other formats and unsupported ones.
    public init?(_ format: PixelFormat) {
        guard let known = Self.known[format] else { return nil }
        self = known
    }

    private init(_ filters: [Filter], _ bits: Int, _ packing: Packing) {
        self.filters = filters
        self.bits = bits
        self.packing = packing
    }

    private static let known: [PixelFormat: RawPixelFormat] = {
        let orders: [[Filter]] = [
            [.blue, .green, .green, .red], [.green, .blue, .red, .green],
            [.green, .red, .blue, .green], [.red, .green, .green, .blue],
        ]
        let families: [(names: [String], bits: Int, packing: Packing)] = [
            (["BA81", "GBRG", "GRBG", "RGGB"], 8, .bytes),
            (["BG10", "GB10", "BA10", "RG10"], 10, .words),
            (["pBAA", "pGAA", "pgAA", "pRAA"], 10, .packed),
            (["BG12", "GB12", "BA12", "RG12"], 12, .words),
            (["pBCC", "pGCC", "pgCC", "pRCC"], 12, .packed),
            (["BG14", "GB14", "GR14", "RG14"], 14, .words),
            (["BYR2", "GB16", "GR16", "RG16"], 16, .words),
        ]
        var known: [PixelFormat: RawPixelFormat] = [:]
        for family in families {
            for (name, order) in zip(family.names, orders) {
                guard let format = PixelFormat(name) else { continue }
                known[format] = RawPixelFormat(order, family.bits, family.packing)
            }
        }
        return known
    }()
}

/// The sensor values from which a frame was made.
public final class RawFrame: Sendable {
    /// The layout of the values.
    public let format: RawPixelFormat
    /// Values per row, and rows.
    public let dimensions: Dimensions
    /// Bytes from one row to the next.
    public let bytesPerRow: Int
    /// The values. The camera overwrites them once the frame's last lease has ended.
    public let buffer: FrameBuffer

    /// Creates a raw frame; whether the rows lie within the buffer is not checked.
    public init(
        format: RawPixelFormat, dimensions: Dimensions, bytesPerRow: Int, buffer: FrameBuffer
    ) {
        self.format = format
        self.dimensions = dimensions
        self.bytesPerRow = bytesPerRow
        self.buffer = buffer
    }

    /// Returns a copy in memory of its own. Throws if memory runs out or the frame cannot be read.
    func copied() throws -> RawFrame {
        RawFrame(
            format: format, dimensions: dimensions, bytesPerRow: bytesPerRow,
            buffer: try buffer.copied())
    }
}
