// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// The chroma subsampling of a JPEG picture.
public enum JPEGSubsampling: String, Sendable {
    case yuv444, yuv422, yuv420, yuv440, yuv411, grey

    /// The pixels across and down that share a chroma sample.
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

/// The facts in a JPEG picture's header.
public struct JPEGHeader: Hashable, Sendable {
    /// The size in pixels as stored, before EXIF's orientation is applied.
    public let dimensions: Dimensions
    /// The chroma subsampling.
    public let subsampling: JPEGSubsampling
    /// Whether the picture has four printing inks, as some image editors write it.
    public let isCMYK: Bool

    /// Creates a header from its parts without checking them.
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

/// The size of a decoded picture as a part of the original's. Smaller pictures decode faster.
public enum JPEGScale: Int, Sendable, CaseIterable {
    case full = 1
    case half = 2
    case quarter = 4
    case eighth = 8

    /// Returns the decoded size, rounded up.
    public func apply(to size: Dimensions) -> Dimensions {
        Dimensions(
            width: (size.width + rawValue - 1) / rawValue,
            height: (size.height + rawValue - 1) / rawValue)
    }

    /// Chooses the smallest scale that is still at least as wide or as high as `size`.
    public init(of picture: Dimensions, covering size: Dimensions) {
        let fits = Self.allCases.last { scale in
            let scaled = scale.apply(to: picture)
            return scaled.width >= size.width || scaled.height >= size.height
        }
        self = fits ?? .full
    }
}

extension JPEGScale {
    /// Chooses the smallest scale that loses nothing if `part` of the picture is shown as large as
    /// `size`, and that has even sides, as subsampled chroma requires.
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

/// The condition of a decoded picture.
public enum JPEGCondition: Sendable {
    case intact
    /// The picture was complete, but part of its data was invalid: that part is wrong.
    case damaged
}
