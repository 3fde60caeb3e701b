// SPDX-License-Identifier: GPL-3.0-or-later

public import Imaging

/// Options for a request for a picture (PHImageRequestOptions' counterpart).
public struct ImageRequestOptions: Hashable, Sendable {
    /// The pictures to deliver (PHImageRequestOptionsDeliveryMode's counterpart).
    public enum DeliveryMode: String, Sendable, CaseIterable {
        /// The thumbnail first, unless the requested picture is ready; then the requested picture.
        case opportunistic
        /// Only the requested picture.
        case highQualityFormat
        /// One picture: the thumbnail, unless there is none or the requested picture is ready.
        case fastFormat
    }

    /// The pictures to deliver.
    public var deliveryMode: DeliveryMode
    /// How closely the picture matches the target size.
    public var resizeMode: ImageResizeMode
    /// The picture with its edits, or the original's.
    public var version: ExportVersion
    /// Whether an original that is not stored here may be fetched.
    public var allowsNetworkAccess: Bool
    /// Whether to keep the picture on the disk, within the budget, to spare decoding it again.
    public var keepsPicture: Bool

    /// Creates options; the defaults are for a gallery.
    public init(
        deliveryMode: DeliveryMode = .opportunistic, resizeMode: ImageResizeMode = .exact,
        version: ExportVersion = .current, allowsNetworkAccess: Bool = false,
        keepsPicture: Bool = false
    ) {
        self.deliveryMode = deliveryMode
        self.resizeMode = resizeMode
        self.version = version
        self.allowsNetworkAccess = allowsNetworkAccess
        self.keepsPicture = keepsPicture
    }
}

/// A delivery of an ``ImageManager`` for one request, in this order. Pictures are upright XRGB8888.
public enum ImageDelivery: Sendable {
    /// The thumbnail. The final picture follows, except with `fastFormat`.
    case degraded(StillPicture)
    /// The fetched part of a remote original, 0 to 1.
    case progress(Double)
    /// The requested picture. The last delivery.
    case final(StillPicture)
    /// The original is not stored here, and is not fetched because the request does not allow it or
    /// it is a video, which may be long. The last delivery.
    case remote
    /// The picture cannot be made. The last delivery.
    case failed(LibraryError)
}

/// A source of originals that are not in the library's folder.
public protocol RemoteOriginals: Sendable {
    /// Whether this asset's original can be fetched.
    func holds(_ asset: Asset) async -> Bool
    /// Returns an original's bytes. Calls `progress` with the fetched part, 0 to 1.
    func fetch(
        _ asset: Asset, progress: @Sendable (Double) -> Void
    ) async throws(LibraryError) -> [UInt8]
}
