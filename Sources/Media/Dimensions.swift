// SPDX-License-Identifier: GPL-3.0-or-later

/// A width and a height in pixels.
public struct Dimensions: Hashable, Sendable, CustomStringConvertible {
    /// Pixels in a row, without padding.
    public var width: Int
    /// The number of rows.
    public var height: Int

    /// Creates a size; nothing is checked, not even the sign.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The number of pixels, by which sizes are compared. Traps if it exceeds `Int`.
    public var pixels: Int { width * height }
    /// The size as text, for example "1280x720". `init(_:)` reads it if both sides are positive.
    public var description: String { "\(width)x\(height)" }

    /// Reads a size such as "1280x720"; `nil` unless both sides are positive whole numbers.
    public init?(_ text: String) {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]),
            width > 0, height > 0
        else { return nil }
        self.init(width: width, height: height)
    }

    /// Reads bounds such as "640x480" or "640x0", where 0 is no bound; `nil` for anything else.
    public init?(bounds text: String) {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]),
            width >= 0, height >= 0, max(width, height) > 0
        else { return nil }
        self.init(width: width, height: height)
    }
}

/// A rectangle in pixels. The origin is at the top left.
public struct PixelRect: Hashable, Sendable {
    /// The distance from the left edge of the picture or screen.
    public var x: Int
    /// The distance from the top edge of the picture or screen.
    public var y: Int
    /// The number of pixels per row.
    public var width: Int
    /// The number of rows.
    public var height: Int

    /// Creates a rectangle. Negative values and places outside a picture are accepted.
    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Creates the rectangle that covers a whole picture or screen.
    public init(_ size: Dimensions) {
        self.init(x: 0, y: 0, width: size.width, height: size.height)
    }

    /// The size of the rectangle.
    public var size: Dimensions { Dimensions(width: width, height: height) }

    /// Returns the part that lies in both; `nil` if there is none.
    public func intersection(_ other: PixelRect) -> PixelRect? {
        let (left, top) = (max(x, other.x), max(y, other.y))
        let right = min(x + width, other.x + other.width)
        let bottom = min(y + height, other.y + other.height)
        if right <= left || bottom <= top { return nil }
        return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
    }

    /// Returns the smallest rectangle that has both.
    public func union(_ other: PixelRect) -> PixelRect {
        let (left, top) = (min(x, other.x), min(y, other.y))
        return PixelRect(
            x: left, y: top, width: max(x + width, other.x + other.width) - left,
            height: max(y + height, other.y + other.height) - top)
    }
}
