// SPDX-License-Identifier: GPL-3.0-or-later

public import Imaging

/// What a picture is wanted for. PHImageRequestOptions.
public struct ImageRequestOptions: Hashable, Sendable {
    /// What comes first, and whether anything does. PHImageRequestOptionsDeliveryMode.
    public enum DeliveryMode: String, Sendable, CaseIterable {
        /// What is at hand first, then what was asked for.
        case opportunistic
        /// Only what was asked for.
        case highQualityFormat
        /// Once: what is at hand, or else what was asked for.
        case fastFormat
    }

    /// What comes first, and whether anything does.
    public var deliveryMode: DeliveryMode
    /// How closely it comes to the target size.
    public var resizeMode: ImageResizeMode
    /// The picture as it is to be seen, or the original's.
    public var version: ExportVersion
    /// Whether an original that is not here may be fetched.
    public var allowsNetworkAccess: Bool
    /// Whether the picture is kept in the library's folder, as far as its budget goes, so that the original need not be
    /// decoded the next time.
    public var keepsPicture: Bool

    /// As a gallery wants it.
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

/// What an ``ImageManager`` delivers for one request, in this order; upright XRGB8888 pictures.
public enum ImageDelivery: Sendable {
    /// What was at hand: smaller or not as it is to be seen in the end. The final one follows, but with
    /// `fastFormat`.
    case degraded(StillPicture)
    /// How much of a remote original has come, 0 to 1.
    case progress(Double)
    /// What was asked for. The last.
    case final(StillPicture)
    /// The original is not here, and the request does not allow to fetch it, or it is a video: a long one does not come
    /// for a picture's sake. The last.
    case remote
    /// Neither is there a picture nor will there be one. The last.
    case failed(LibraryError)
}

/// Where originals are that are not in the library's folder.
public protocol RemoteOriginals: Sendable {
    /// Whether this asset's original can be fetched.
    func holds(_ asset: Asset) async -> Bool
    /// The original's bytes.
    func fetch(
        _ asset: Asset, progress: @Sendable (Double) -> Void
    ) async throws(LibraryError) -> [UInt8]
}
