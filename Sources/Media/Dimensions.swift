// SPDX-License-Identifier: GPL-3.0-or-later

/// Width and height in pixels.
public struct Dimensions: Hashable, Sendable, CustomStringConvertible {
    /// Pixels in a row, without the padding of memory.
    public var width: Int
    /// Rows of pixels.
    public var height: Int

    /// Of the given parts; nothing is checked, not even the sign.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Width times height: what sizes are compared by. Traps where that exceeds `Int`.
    public var pixels: Int { width * height }
    /// For example "1280x720"; `init(_:)` reads it where both are positive.
    public var description: String { "\(width)x\(height)" }

    /// Reads "1280x720"; `nil` unless both are positive whole numbers.
    public init?(_ text: String) {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]),
            width > 0, height > 0
        else { return nil }
        self.init(width: width, height: height)
    }

    /// Reads bounds: a size, in one direction of which 0 is none, such as "640x0"; `nil` for anything else.
    public init?(bounds text: String) {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]),
            width >= 0, height >= 0, max(width, height) > 0
        else { return nil }
        self.init(width: width, height: height)
    }
}

/// A rectangle in pixels, origin top left.
public struct PixelRect: Hashable, Sendable {
    /// From the left side of the picture or screen to this one's.
    public var x: Int
    /// From the top of the picture or screen down to this one's.
    public var y: Int
    /// Pixels from `x` to the right.
    public var width: Int
    /// Pixels from `y` downwards.
    public var height: Int

    /// Of the given parts; negative ones, and those outside a picture, are not refused.
    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// All of a picture or screen of this size.
    public init(_ size: Dimensions) {
        self.init(x: 0, y: 0, width: size.width, height: size.height)
    }

    /// Without the place.
    public var size: Dimensions { Dimensions(width: width, height: height) }
}
