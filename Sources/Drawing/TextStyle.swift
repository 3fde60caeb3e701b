// SPDX-License-Identifier: GPL-3.0-or-later

/// How text looks.
public struct TextStyle: Hashable, Sendable {
    /// The height of the letters (the font's em).
    public enum Size: Hashable, Sendable {
        /// In pixels.
        case pixels(Double)
        /// In heights of the canvas.
        case relative(Double)
    }

    /// Thickness, in the web's numbers.
    public enum Weight: Int, Sendable {
        /// Thin.
        case light = 300
        /// As in a book.
        case regular = 400
        /// A little bolder.
        case medium = 500
        /// Half bold.
        case semibold = 600
        /// Bold.
        case bold = 700
    }

    /// Where lines stand in their box.
    public enum Alignment: Sendable {
        /// At the left edge, or the right one for scripts that start there.
        case leading
        /// In the middle.
        case center
        /// At the other edge.
        case trailing
    }

    /// What makes text readable on any picture.
    public enum Edge: Hashable, Sendable {
        /// Nothing.
        case none
        /// A line around each letter, its width in parts of the size.
        case outline(Color, width: Double = 0.08)
        /// A soft dark rim, its reach in parts of the size.
        case glow(Color, radius: Double = 0.15)
    }

    /// Font families, the best first, separated by commas; what is missing is replaced by what
    /// fontconfig finds.
    public var family: String
    /// The height of the letters.
    public var size: Size
    /// Thickness.
    public var weight: Weight
    /// Of the letters.
    public var color: Color
    /// Where lines stand.
    public var alignment: Alignment
    /// Around the letters.
    public var edge: Edge
    /// Lines at most; the last one ends in an ellipsis when the text is longer.
    public var maximumLines: Int

    /// A look.
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

    /// Good screen fonts that Debian packages, then anything without serifs.
    public static let defaultFamily = "Inter,Noto Sans,Roboto,Open Sans,DejaVu Sans,sans-serif"
}

/// What text takes on a canvas, in pixels.
public struct TextSize: Hashable, Sendable {
    /// Of the widest line.
    public var width: Double
    /// Of all lines.
    public var height: Double
    /// Whether an ellipsis stands for what did not fit.
    public var isShortened: Bool
}
