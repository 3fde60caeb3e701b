// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Imaging
internal import Media

/// A request to an ``ImageManager``.
struct PictureRequest: Sendable {
    /// A description of the picture. Requests with the same one get the same picture.
    struct Identity: Hashable {
        let asset: UUID
        let size: ImageSize
        let options: ImageRequestOptions
    }

    let number: Int
    let asset: Asset
    let size: ImageSize
    let options: ImageRequestOptions
    /// The stream of the deliveries; `nil` if the picture is only to be cached.
    let deliver: AsyncStream<ImageDelivery>.Continuation?
    /// The fetched JPEG to make the picture from, if it had to be fetched.
    var source: [UInt8]?

    var identity: Identity { Identity(asset: asset.id, size: size, options: options) }

    var adjustment: AssetAdjustment? { options.version == .current ? asset.adjustment : nil }

    var cacheKey: PictureCache.Key {
        PictureCache.Key(
            asset: asset.id, sha256: asset.sha256, orientation: asset.orientation,
            adjustment: adjustment, size: size)
    }

    /// The size of the picture in pixels; `nil` if it is not known in advance.
    var dimensions: Dimensions? {
        size.resizeMode == .exact ? asset.uprightSize(adjustment).map(size.exact) : nil
    }

    func finish(_ delivery: ImageDelivery) {
        deliver?.yield(delivery)
        deliver?.finish()
    }
}
