// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// A place on a canvas, in pixels from its top left.
public struct Point: Hashable, Sendable {
    /// To the right.
    public var x: Double
    /// Downwards.
    public var y: Double

    /// A place.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}

/// A rectangle on a canvas, in pixels, origin top left.
public struct Rectangle: Hashable, Sendable {
    /// The left edge.
    public var x: Double
    /// The upper edge.
    public var y: Double
    /// To the right edge.
    public var width: Double
    /// To the lower edge.
    public var height: Double

    /// A rectangle by its top left corner.
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// A rectangle by its middle.
    public init(center: Point, width: Double, height: Double) {
        self.init(
            x: center.x - width / 2, y: center.y - height / 2, width: width, height: height)
    }

    /// The whole of a canvas.
    public init(_ dimensions: Dimensions) {
        self.init(
            x: 0, y: 0, width: Double(dimensions.width), height: Double(dimensions.height))
    }

    /// The middle.
    public var center: Point { Point(x: x + width / 2, y: y + height / 2) }

    /// Smaller by `margin` on every side; never less than nothing.
    public func inset(by margin: Double) -> Rectangle {
        Rectangle(
            center: center, width: max(0, width - 2 * margin), height: max(0, height - 2 * margin))
    }
}

/// A colour, not premultiplied; each part 0…1.
public struct Color: Hashable, Sendable {
    /// Red.
    public var red: Double
    /// Green.
    public var green: Double
    /// Blue.
    public var blue: Double
    /// Opacity.
    public var alpha: Double

    /// A colour by its parts.
    public init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// A colour as the web writes it, for example `0x34C759`.
    public init(_ hex: UInt32, alpha: Double = 1) {
        self.init(
            red: Double(hex >> 16 & 0xff) / 255, green: Double(hex >> 8 & 0xff) / 255,
            blue: Double(hex & 0xff) / 255, alpha: alpha)
    }

    /// The same colour with another opacity.
    public func opacity(_ alpha: Double) -> Color {
        Color(red: red, green: green, blue: blue, alpha: alpha)
    }

    /// White.
    public static let white = Color(0xFFFFFF)
    /// Black.
    public static let black = Color(0x000000)
}
