// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// How a picture of another shape meets a target size. PHImageContentMode.
public enum ImageContentMode: String, Sendable, CaseIterable {
    /// All of the picture within it.
    case aspectFit
    /// All of the target filled; the picture may be larger in one direction.
    case aspectFill
}

/// How closely a picture comes to the size that is asked for. PHImageRequestOptionsResizeMode.
public enum ImageResizeMode: String, Sendable, CaseIterable {
    /// Stays as large as it is.
    case none
    /// What is quickest to decode, not smaller than asked for.
    case fast
    /// Exactly so.
    case exact
}

/// How large a picture is to be. It is never enlarged.
struct ImageSize: Hashable, Sendable {
    /// 0 in one direction is no bound in that one: the picture's own shape tells.
    var target: Dimensions
    var contentMode: ImageContentMode
    var resizeMode: ImageResizeMode

    /// As large as it is.
    static let full = ImageSize(
        target: Dimensions(width: 0, height: 0), contentMode: .aspectFit, resizeMode: .none)

    static func fitting(_ size: Dimensions) -> ImageSize {
        ImageSize(target: size, contentMode: .aspectFit, resizeMode: .exact)
    }

    /// The size of a picture that is of `size` when nothing is lost.
    func exact(of size: Dimensions) -> Dimensions {
        guard resizeMode != .none else { return size }
        let scales = [(target.width, size.width), (target.height, size.height)].compactMap {
            $0 > 0 ? Double($0) / Double($1) : nil
        }
        let scale = min((contentMode == .aspectFit ? scales.min() : scales.max()) ?? 1, 1)
        return Dimensions(
            width: max(Int((Double(size.width) * scale).rounded()), 1),
            height: max(Int((Double(size.height) * scale).rounded()), 1))
    }
}
