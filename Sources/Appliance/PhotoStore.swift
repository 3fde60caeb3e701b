// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Imaging
package import Library
internal import Logging
package import Recording

/// Where finished stills go.
package protocol PhotoStore: Sendable {
    /// Makes a still durable, and has it at hand for the screen.
    ///
    /// - Parameter session: names the guest's visit.
    func save(_ still: FinishedStill, session: String) async throws -> Asset
    /// Makes a burst's still durable.
    ///
    /// - Parameters:
    ///   - burst: what its stills share.
    ///   - isFirst: whether it stands for the burst as long as nothing else does.
    func save(
        _ still: FinishedStill, session: String, burst: String, isFirst: Bool
    ) async throws -> Asset
    /// Has the asset stand for its burst, and its still at hand for the screen.
    func represent(_ asset: Asset, _ still: FinishedStill) async throws
}

/// The appliance's: its library and its screen.
struct LibraryPhotoStore: PhotoStore {
    let library: LibraryKeeper
    let processor: PhotoProcessor
    let show: SceneShow
    let camera: ChosenCamera

    func save(_ still: FinishedStill, session: String) async throws -> Asset {
        // While it is stored: to be safe a photo does not wait for its review, to be shown it does.
        async let review = review(of: still)
        let photo = FinishedPhoto(still, deviceName: camera.id, session: session)
        let asset = noticeMissingRaw(try await library.add(photo), of: still)
        if let review = await review { await show.keep(review, for: asset.id.uuidString) }
        return asset
    }

    func save(
        _ still: FinishedStill, session: String, burst: String, isFirst: Bool
    ) async throws -> Asset {
        var photo = FinishedPhoto(still, deviceName: camera.id, session: session)
        photo.mediaSubtypes = .burst
        (photo.burstID, photo.representsBurst) = (burst, isFirst)
        return noticeMissingRaw(try await library.add(photo), of: still)
    }

    /// There was no room for it, or it could not be written.
    private func noticeMissingRaw(_ asset: Asset, of still: FinishedStill) -> Asset {
        if still.raw != nil, asset.alternatePhoto == nil {
            Logger(label: "photo").error(
                "the library has no RAW of it", metadata: ["id": "\(asset.id.uuidString)"])
        }
        return asset
    }

    func represent(_ asset: Asset, _ still: FinishedStill) async throws {
        if let review = await review(of: still) {
            await show.keep(review, for: asset.id.uuidString)
        }
        if !asset.representsBurst { try await library.represent(asset.id) }
    }

    private func review(of still: FinishedStill) async -> StillPicture? {
        do {
            return try await processor.review(of: still)
        } catch {
            Logger(label: "photo").warning("photo without", metadata: ["reason": "\(error)"])
            return nil
        }
    }
}
