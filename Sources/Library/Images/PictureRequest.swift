// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Imaging
internal import Media

/// What somebody asks of an ``ImageManager``.
struct PictureRequest: Sendable {
    /// Requests with the same one get the same picture.
    struct Wish: Hashable {
        let asset: UUID
        let size: ImageSize
        let options: ImageRequestOptions
    }

    let number: Int
    let asset: Asset
    let size: ImageSize
    let options: ImageRequestOptions
    /// `nil`: it is only to be at hand.
    let deliver: AsyncStream<ImageDelivery>.Continuation?
    /// What the picture is made of, where that had to come from elsewhere.
    var source: [UInt8]?

    var wish: Wish { Wish(asset: asset.id, size: size, options: options) }

    var adjustment: AssetAdjustment? { options.version == .current ? asset.adjustment : nil }

    var cacheKey: PictureCache.Key {
        PictureCache.Key(
            asset: asset.id, sha256: asset.sha256, orientation: asset.orientation,
            adjustment: adjustment, size: size)
    }

    /// Of the picture that is asked for; `nil` where that is not known before it is made.
    var dimensions: Dimensions? {
        size.resizeMode == .exact ? asset.uprightSize(adjustment).map(size.exact) : nil
    }

    func finish(_ delivery: ImageDelivery) {
        deliver?.yield(delivery)
        deliver?.finish()
    }
}
