// SPDX-License-Identifier: GPL-3.0-or-later

/// A clockwise rotation by quarter turns; raw values are degrees.
public enum Rotation: Int, Sendable, CaseIterable {
    case none = 0
    case quarter = 90
    case half = 180
    case threeQuarters = 270

    /// The rotation that undoes this one.
    public var inverse: Rotation { Rotation(rawValue: (360 - rawValue) % 360) ?? .none }

    /// Returns a picture's size after the rotation.
    public func apply(to size: Dimensions) -> Dimensions {
        switch self {
        case .none, .half: size
        case .quarter, .threeQuarters: Dimensions(width: size.height, height: size.width)
        }
    }

    /// Returns the place of `rect` after a picture of `size` is rotated.
    public func apply(to rect: PixelRect, of size: Dimensions) -> PixelRect {
        let right = size.width - rect.x - rect.width
        let below = size.height - rect.y - rect.height
        let turned = apply(to: rect.size)
        let (x, y) =
            switch self {
            case .none: (rect.x, rect.y)
            case .quarter: (below, rect.x)
            case .half: (right, below)
            case .threeQuarters: (rect.y, right)
            }
        return PixelRect(x: x, y: y, width: turned.width, height: turned.height)
    }
}
