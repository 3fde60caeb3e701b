// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// How a JPEG picture's chroma is subsampled.
public enum JPEGSubsampling: String, Sendable {
    case yuv444, yuv422, yuv420, yuv440, yuv411, grey

    /// Pixels that share a chroma sample.
    var step: (horizontal: Int, vertical: Int) {
        switch self {
        case .yuv444, .grey: (1, 1)
        case .yuv422: (2, 1)
        case .yuv420: (2, 2)
        case .yuv440: (1, 2)
        case .yuv411: (4, 1)
        }
    }
}

/// What a JPEG picture's header says.
public struct JPEGHeader: Hashable, Sendable {
    /// In pixels, as stored: EXIF's orientation is not applied.
    public let dimensions: Dimensions
    /// How much coarser the chroma is.
    public let subsampling: JPEGSubsampling
    /// Whether it is of four printing inks, as some image editors write it.
    public let isCMYK: Bool

    /// Of the given parts; nothing is checked.
    public init(dimensions: Dimensions, subsampling: JPEGSubsampling, isCMYK: Bool = false) {
        self.dimensions = dimensions
        self.subsampling = subsampling
        self.isCMYK = isCMYK
    }

    /// The format that decoding fills without touching a sample twice; `nil` if there is none.
    public var planarFormat: PixelFormat? {
        switch subsampling {
        case .yuv420: .yuv420
        case .yuv422: .yuv422
        case .grey: .grey
        case .yuv444, .yuv440, .yuv411: nil
        }
    }
}

/// The size of a decoded picture as a part of the original's; smaller ones are decoded faster.
public enum JPEGScale: Int, Sendable, CaseIterable {
    case full = 1
    case half = 2
    case quarter = 4
    case eighth = 8

    /// The decoded size, rounded up.
    public func apply(to size: Dimensions) -> Dimensions {
        Dimensions(
            width: (size.width + rawValue - 1) / rawValue,
            height: (size.height + rawValue - 1) / rawValue)
    }

    /// The smallest one that is still at least as wide or as high as `size`.
    public init(of picture: Dimensions, covering size: Dimensions) {
        let fits = Self.allCases.last { scale in
            let scaled = scale.apply(to: picture)
            return scaled.width >= size.width || scaled.height >= size.height
        }
        self = fits ?? .full
    }
}

extension JPEGScale {
    /// The smallest one that loses nothing where `part` of the picture is shown as large as `size`, and
    /// whose sides are even, as subsampled chroma wants them.
    public init(of picture: Dimensions, showing part: Dimensions, at size: Dimensions) {
        let fits = Self.allCases.last { scale in
            let scaled = scale.apply(to: picture)
            return scaled.width * part.width >= size.width * picture.width
                && scaled.height * part.height >= size.height * picture.height
                && scaled.width % 2 == 0 && scaled.height % 2 == 0
        }
        self = fits ?? .full
    }
}

/// How a decoded picture came out.
public enum JPEGCondition: Sendable {
    case intact
    /// All of the picture was there, but part of it made no sense: that part is wrong.
    case damaged
}
