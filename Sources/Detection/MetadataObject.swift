// SPDX-License-Identifier: GPL-3.0-or-later

/// A part of a picture as the camera delivers it, in fractions of its size from the top left.
public struct NormalizedRect: Sendable, Hashable {
    /// The left edge.
    public var x: Double
    /// The top edge.
    public var y: Double
    /// The width to the right of ``x``.
    public var width: Double
    /// The height below ``y``.
    public var height: Double

    /// Creates a rectangle; nothing is checked.
    public init(x: Double, y: Double, width: Double, height: Double) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }
}

/// A detection in a frame (AVMetadataObject).
public enum MetadataObject: Sendable, Hashable {
    /// A kind of detection (AVMetadataObject.ObjectType).
    public enum Kind: String, Sendable, CaseIterable {
        /// Motion and its places.
        case motion
        /// QR codes and bar codes, by libzbar.
        case machineReadableCode
    }

    /// Motion: the share of the picture that changed, above 0 to 1; its regions, the largest first.
    case motion(score: Double, regions: [NormalizedRect])
    /// A code that was read (AVMetadataMachineReadableCodeObject): libzbar's name, for example
    /// "QR-Code" or "EAN-13"; the text, in the encoding that libzbar assumes; the bounds of the
    /// detected part, which may be a line for a bar code.
    case machineReadableCode(symbology: String, stringValue: String, bounds: NormalizedRect)
}
