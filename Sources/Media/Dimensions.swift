// SPDX-License-Identifier: GPL-3.0-or-later

/// Width and height in pixels.
public struct Dimensions: Hashable, Sendable, CustomStringConvertible {
    /// In pixels.
    public var width: Int
    /// In pixels.
    public var height: Int

    /// Nothing is checked.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Of the whole area.
    public var pixels: Int { width * height }
    /// For example `1920x1080`.
    public var description: String { "\(width)x\(height)" }

    /// Reads "1280x720"; `nil` unless both are positive whole numbers.
    public init?(_ text: String) {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]),
            width > 0, height > 0
        else { return nil }
        self.init(width: width, height: height)
    }
}

/// A rectangle in pixels, origin top left.
public struct PixelRect: Hashable, Sendable {
    /// Pixels from the left edge.
    public var x: Int
    /// Pixels from the top edge.
    public var y: Int
    /// In pixels.
    public var width: Int
    /// In pixels.
    public var height: Int

    /// Nothing is checked.
    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// All of a picture of this size.
    public init(_ size: Dimensions) {
        self.init(x: 0, y: 0, width: size.width, height: size.height)
    }

    /// Without its place.
    public var size: Dimensions { Dimensions(width: width, height: height) }
}
