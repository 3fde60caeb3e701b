// SPDX-License-Identifier: GPL-3.0-or-later

/// How a sensor's values lie in memory: one for each pixel, behind a filter of one of three colours, in squares of two by
/// two (V4L2's Bayer formats, linux/videodev2.h).
public struct RawPixelFormat: Hashable, Sendable {
    /// Of the filter before a value.
    public enum Filter: UInt8, Sendable {
        case red, green, blue
    }
    /// How values lie one behind the other.
    public enum Packing: Hashable, Sendable {
        /// A byte each.
        case bytes
        /// Two bytes each, the low one first; the unused high bits are 0.
        case words
        /// The high eight bits of two (12 bits each) or four (10 bits each) values, then a byte with their low bits, the
        /// first value's lowest (MIPI CSI-2).
        case packed
    }

    /// Of the square's upper row, then of its lower one.
    public let filters: [Filter]
    /// Of a value: 8 to 16.
    public let bits: Int
    /// How values lie one behind the other.
    public let packing: Packing

    /// `nil` for what is no Bayer format, or one that nobody here can read.
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

/// What a camera's sensor measured, of which a frame was made.
public final class RawFrame: Sendable {
    /// How the values lie.
    public let format: RawPixelFormat
    /// Values in a row, and rows.
    public let dimensions: Dimensions
    /// Bytes from one row to the next.
    public let bytesPerRow: Int
    /// Written by the camera when nobody holds the frame any more.
    public let buffer: FrameBuffer

    /// Of the given parts; whether the rows lie within the buffer is not checked.
    public init(
        format: RawPixelFormat, dimensions: Dimensions, bytesPerRow: Int, buffer: FrameBuffer
    ) {
        self.format = format
        self.dimensions = dimensions
        self.bytesPerRow = bytesPerRow
        self.buffer = buffer
    }

    /// The same in memory of its own.
    ///
    /// - Throws: when there is no memory, or the frame's cannot be read.
    func copied() throws -> RawFrame {
        RawFrame(
            format: format, dimensions: dimensions, bytesPerRow: bytesPerRow,
            buffer: try buffer.copied())
    }
}
