// SPDX-License-Identifier: GPL-3.0-or-later

/// A turn by quarters, in degrees clockwise.
public enum Rotation: Int, Sendable, CaseIterable {
    case none = 0
    case quarter = 90
    case half = 180
    case threeQuarters = 270

    /// What turns it back.
    public var inverse: Rotation { Rotation(rawValue: (360 - rawValue) % 360) ?? .none }

    /// A picture's size after the turn.
    public func apply(to size: Dimensions) -> Dimensions {
        switch self {
        case .none, .half: size
        case .quarter, .threeQuarters: Dimensions(width: size.height, height: size.width)
        }
    }

    /// Where a part of a picture of this size is after the turn.
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
