// SPDX-License-Identifier: GPL-3.0-or-later

/// A part of a picture: 0 to 1 from its left and its top, whatever its size, as the camera delivers it.
public struct NormalizedRect: Sendable, Hashable {
    /// The left edge.
    public var x: Double
    /// The top edge.
    public var y: Double
    /// To the right of ``x``.
    public var width: Double
    /// Below ``y``.
    public var height: Double

    /// Of the given parts; nothing is checked.
    public init(x: Double, y: Double, width: Double, height: Double) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }
}

/// What was seen in a frame (AVMetadataObject).
public enum MetadataObject: Sendable, Hashable {
    /// What may be looked for (AVMetadataObject.ObjectType).
    public enum Kind: String, Sendable, CaseIterable {
        /// Whether anything moves, and where.
        case motion
        /// QR codes and bar codes, by libzbar.
        case machineReadableCode
    }

    /// Something moves.
    ///
    /// - Parameters:
    ///   - score: the share of the picture that is not as it was, above 0 to 1.
    ///   - regions: where that is, the largest first.
    case motion(score: Double, regions: [NormalizedRect])
    /// A code that could be read (AVMetadataMachineReadableCodeObject).
    ///
    /// - Parameters:
    ///   - symbology: as libzbar names it, for example "QR-Code" or "EAN-13".
    ///   - stringValue: what it says, in the encoding that libzbar takes it to have.
    ///   - bounds: around what was found of it: of a bar code that may be a line.
    case machineReadableCode(symbology: String, stringValue: String, bounds: NormalizedRect)
}
