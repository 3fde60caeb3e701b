// SPDX-License-Identifier: GPL-3.0-or-later

/// Width and height in pixels.
public struct Dimensions: Hashable, Sendable, CustomStringConvertible {
    public var width: Int
    public var height: Int

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    public var pixels: Int { width * height }
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
    public var x: Int
    public var y: Int
    public var width: Int
    public var height: Int

    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    public init(_ size: Dimensions) {
        self.init(x: 0, y: 0, width: size.width, height: size.height)
    }

    public var size: Dimensions { Dimensions(width: width, height: height) }
}
