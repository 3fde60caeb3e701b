// SPDX-License-Identifier: GPL-3.0-or-later

/// The appearance of text.
public struct TextStyle: Hashable, Sendable {
    /// The height of the letters (the font's em).
    public enum Size: Hashable, Sendable {
        case pixels(Double)
        /// The size as a fraction of the canvas's height.
        case relative(Double)
    }

    /// The thickness of the strokes, in CSS numbers.
    public enum Weight: Int, Sendable {
        case light = 300
        case regular = 400
        case medium = 500
        case semibold = 600
        case bold = 700
    }

    /// The horizontal alignment of lines in their box.
    public enum Alignment: Sendable {
        /// Lines start at the left edge, or at the right one in right-to-left scripts.
        case leading
        case center
        /// Lines end at the other edge.
        case trailing
    }

    /// An effect around the letters that makes text readable on any picture.
    public enum Edge: Hashable, Sendable {
        case none
        /// A line around each letter, its width a fraction of the text size.
        case outline(Color, width: Double = 0.08)
        /// A soft rim, its radius a fraction of the text size.
        case glow(Color, radius: Double = 0.15)
    }

    /// Font families separated by commas, the best first. fontconfig substitutes missing ones.
    public var family: String
    /// The height of the letters.
    public var size: Size
    /// The thickness of the strokes.
    public var weight: Weight
    /// The colour of the letters.
    public var color: Color
    /// The horizontal alignment of lines.
    public var alignment: Alignment
    /// The effect around the letters.
    public var edge: Edge
    /// The largest number of lines. Longer text ends in an ellipsis.
    public var maximumLines: Int

    /// Creates a style.
    public init(
        _ size: Size, weight: Weight = .regular, color: Color = .white,
        alignment: Alignment = .center, edge: Edge = .none, maximumLines: Int = 1,
        family: String = TextStyle.defaultFamily
    ) {
        self.family = family
        self.size = size
        self.weight = weight
        self.color = color
        self.alignment = alignment
        self.edge = edge
        self.maximumLines = maximumLines
    }

    /// Good screen fonts that Debian packages, then any sans-serif font.
    public static let defaultFamily = "Inter,Noto Sans,Roboto,Open Sans,DejaVu Sans,sans-serif"
}

/// The size of text on a canvas, in pixels.
public struct TextSize: Hashable, Sendable {
    /// The width of the widest line.
    public var width: Double
    /// The height of all lines.
    public var height: Double
    /// Whether the text was shortened with an ellipsis.
    public var isShortened: Bool
}
