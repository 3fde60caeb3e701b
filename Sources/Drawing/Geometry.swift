// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// A point on a canvas, in pixels from its top left.
public struct Point: Hashable, Sendable {
    /// The distance to the right.
    public var x: Double
    /// The distance downwards.
    public var y: Double

    /// Creates a point.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}

/// A rectangle on a canvas, in pixels. The origin is at the top left.
public struct Rectangle: Hashable, Sendable {
    /// The left edge.
    public var x: Double
    /// The upper edge.
    public var y: Double
    /// The distance to the right edge.
    public var width: Double
    /// The distance to the lower edge.
    public var height: Double

    /// Creates a rectangle from its top left corner.
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Creates a rectangle from its centre.
    public init(center: Point, width: Double, height: Double) {
        self.init(
            x: center.x - width / 2, y: center.y - height / 2, width: width, height: height)
    }

    /// Creates the rectangle of a whole canvas.
    public init(_ dimensions: Dimensions) {
        self.init(
            x: 0, y: 0, width: Double(dimensions.width), height: Double(dimensions.height))
    }

    /// The centre.
    public var center: Point { Point(x: x + width / 2, y: y + height / 2) }

    /// Returns the rectangle shrunk by `margin` on every side, at most to an empty one.
    public func inset(by margin: Double) -> Rectangle {
        Rectangle(
            center: center, width: max(0, width - 2 * margin), height: max(0, height - 2 * margin))
    }
}

/// A colour, not premultiplied, with components 0…1.
public struct Color: Hashable, Sendable {
    /// Red.
    public var red: Double
    /// Green.
    public var green: Double
    /// Blue.
    public var blue: Double
    /// Opacity.
    public var alpha: Double

    /// Creates a colour from its components.
    public init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// Creates a colour from a web colour, for example `0x34C759`.
    public init(_ hex: UInt32, alpha: Double = 1) {
        self.init(
            red: Double(hex >> 16 & 0xff) / 255, green: Double(hex >> 8 & 0xff) / 255,
            blue: Double(hex & 0xff) / 255, alpha: alpha)
    }

    /// Returns the same colour with another opacity.
    public func opacity(_ alpha: Double) -> Color {
        Color(red: red, green: green, blue: blue, alpha: alpha)
    }

    /// White.
    public static let white = Color(0xFFFFFF)
    /// Black.
    public static let black = Color(0x000000)
}
