// SPDX-License-Identifier: GPL-3.0-or-later

/// How a viewer turns a photo upright. Source: EXIF 2.32, tag 0x0112.
public struct ExifOrientation: Hashable, Sendable {
    /// Clockwise, of the picture as stored.
    public let rotation: Rotation
    /// Left and right swapped after that.
    public let isMirrored: Bool

    /// As it is stored.
    public static let upright = ExifOrientation(rotation: .none, isMirrored: false)

    /// As it is stored, left and right swapped.
    public static let mirrored = ExifOrientation(rotation: .none, isMirrored: true)

    /// A picture that is turned, then mirrored.
    public init(rotation: Rotation, isMirrored: Bool) {
        self.rotation = rotation
        self.isMirrored = isMirrored
    }

    /// The turn by quarters and the mirroring in a movie's display matrix (ISO/IEC 14496-12, 8.3.2).
    ///
    /// - Parameter matrix: its numbers a, b, c and d: `x' = ax + cy` and `y' = bx + dy`, with y counted downwards. Their
    ///   size does not count, and of an angle between two quarters the nearer one is taken.
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

    /// 1 to 8; `nil` for other numbers.
    public init?(rawValue: Int) {
        guard let found = Self.all.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = found
    }

    private static let all = [false, true].flatMap { isMirrored in
        Rotation.allCases.map { ExifOrientation(rotation: $0, isMirrored: isMirrored) }
    }

    /// 1 to 8.
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

    /// The same for a camera that is turned further, clockwise seen from behind it.
    public func withCamera(turned further: Rotation) -> ExifOrientation {
        ExifOrientation(rotation: rotation + further, isMirrored: isMirrored)
    }

    /// The same for a picture that is turned further when it is upright.
    public func turned(_ further: Rotation) -> ExifOrientation {
        // Mirroring swaps the sense of a turn before it.
        ExifOrientation(
            rotation: rotation + (isMirrored ? further.inverse : further), isMirrored: isMirrored)
    }

    /// The size of the upright picture.
    public func apply(to size: Dimensions) -> Dimensions { rotation.apply(to: size) }

    /// Where a part of the upright picture is in the picture as stored.
    ///
    /// - Parameter size: of the upright picture.
    public func storedRect(of rect: PixelRect, in size: Dimensions) -> PixelRect {
        var rect = rect
        if isMirrored { rect.x = size.width - rect.x - rect.width }
        return rotation.inverse.apply(to: rect, of: size)
    }
}

extension Rotation {
    /// One turn after the other.
    public static func + (one: Rotation, other: Rotation) -> Rotation {
        Rotation(rawValue: (one.rawValue + other.rawValue) % 360) ?? .none
    }
}
