// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// The fit of a picture to a target size of another shape (PHImageContentMode's counterpart).
public enum ImageContentMode: String, Sendable, CaseIterable {
    /// The whole picture fits within the target.
    case aspectFit
    /// The picture fills the whole target, and may be larger in one direction.
    case aspectFill
}

/// The accuracy of a picture's size (PHImageRequestOptionsResizeMode's counterpart).
public enum ImageResizeMode: String, Sendable, CaseIterable {
    /// The picture's full size.
    case none
    /// The size that is quickest to decode, and not less than requested.
    case fast
    /// Exactly the requested size.
    case exact
}

/// The size of a picture to make. Pictures are never enlarged.
struct ImageSize: Hashable, Sendable {
    /// The target in pixels. A side of 0 follows from the picture's shape.
    var target: Dimensions
    var contentMode: ImageContentMode
    var resizeMode: ImageResizeMode

    /// The picture's full size.
    static let full = ImageSize(
        target: Dimensions(width: 0, height: 0), contentMode: .aspectFit, resizeMode: .none)

    static func fitting(_ size: Dimensions) -> ImageSize {
        ImageSize(target: size, contentMode: .aspectFit, resizeMode: .exact)
    }

    /// Returns the exact size for a picture whose full size is `size`.
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
