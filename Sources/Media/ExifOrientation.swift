// SPDX-License-Identifier: GPL-3.0-or-later

/// The turn and mirroring that make a stored photo upright (EXIF 2.32, tag 0x0112).
public struct ExifOrientation: Hashable, Sendable {
    /// The clockwise rotation of the stored picture.
    public let rotation: Rotation
    /// Whether left and right are swapped after the rotation.
    public let isMirrored: Bool

    /// The orientation of a picture that is stored upright.
    public static let upright = ExifOrientation(rotation: .none, isMirrored: false)

    /// The orientation that only swaps left and right.
    public static let mirrored = ExifOrientation(rotation: .none, isMirrored: true)

    /// Creates an orientation that rotates, then mirrors.
    public init(rotation: Rotation, isMirrored: Bool) {
        self.rotation = rotation
        self.isMirrored = isMirrored
    }

    /// Creates the orientation that a movie's display matrix describes (ISO/IEC 14496-12, 8.3.2):
    /// a, b, c and d of `x' = ax + cy` and `y' = bx + dy`, with y counted downwards. Scale is
    /// ignored, and angles are rounded to quarter turns.
    package init(displayMatrix matrix: (Int, Int, Int, Int)) {
        var (a, b, c, d) = matrix
        if a.magnitude &+ d.magnitude >= b.magnitude &+ c.magnitude {
            (b, c) = (0, 0)
        } else {
            (a, d) = (0, 0)
        }
        let isMirrored = a.signum() * d.signum() - b.signum() * c.signum() < 0
        let rotation: Rotation =
            switch (isMirrored ? -a.signum() : a.signum(), b.signum()) {
            case (0, 1): .quarter
            case (-1, 0): .half
            case (0, -1): .threeQuarters
            default: .none
            }
        self.init(rotation: rotation, isMirrored: isMirrored)
    }

    /// Creates the orientation with EXIF's number, 1 to 8; `nil` for other numbers.
    public init?(rawValue: Int) {
        guard let found = Self.all.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = found
    }

    private static let all = [false, true].flatMap { isMirrored in
        Rotation.allCases.map { ExifOrientation(rotation: $0, isMirrored: isMirrored) }
    }

    /// EXIF's number for the orientation, 1 to 8.
    public var rawValue: Int {
        switch (rotation, isMirrored) {
        case (.none, false): 1
        case (.none, true): 2
        case (.half, false): 3
        case (.half, true): 4
        case (.quarter, true): 5
        case (.quarter, false): 6
        case (.threeQuarters, true): 7
        case (.threeQuarters, false): 8
        }
    }

    /// Returns the orientation for a camera turned `further` clockwise, seen from behind it.
    public func withCamera(turned further: Rotation) -> ExifOrientation {
        ExifOrientation(rotation: rotation + further, isMirrored: isMirrored)
    }

    /// Returns the orientation that turns the upright picture `further` clockwise.
    public func turned(_ further: Rotation) -> ExifOrientation {
        // Mirroring reverses the direction of the rotation before it.
        ExifOrientation(
            rotation: rotation + (isMirrored ? further.inverse : further), isMirrored: isMirrored)
    }

    /// Returns the upright size of a picture whose stored size is `size`.
    public func apply(to size: Dimensions) -> Dimensions { rotation.apply(to: size) }

    /// Returns the part of the stored picture that shows as `rect` in the upright one of `size`.
    public func storedRect(of rect: PixelRect, in size: Dimensions) -> PixelRect {
        var rect = rect
        if isMirrored { rect.x = size.width - rect.x - rect.width }
        return rotation.inverse.apply(to: rect, of: size)
    }
}

extension Rotation {
    /// Combines two rotations.
    public static func + (one: Rotation, other: Rotation) -> Rotation {
        Rotation(rawValue: (one.rawValue + other.rawValue) % 360) ?? .none
    }
}
