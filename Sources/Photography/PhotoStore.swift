// SPDX-License-Identifier: GPL-3.0-or-later

package import Devices
internal import FoundationEssentials
internal import Imaging
package import Library
package import LibraryService
internal import Logging
package import Recording
package import Screens
internal import VitrineKit

package protocol PhotoStore: Sendable {
    /// Makes a still durable, and keeps its picture for the review; `session` names the guest's
    /// visit.
    func save(_ still: FinishedStill, session: String) async throws -> Asset
    /// Makes a still of this burst durable. If `isFirst`, it represents the burst until another
    /// does.
    func save(
        _ still: FinishedStill, session: String, burst: String, isFirst: Bool
    ) async throws -> Asset
    /// Lets the asset represent its burst, and keeps its picture for the review on screen.
    func represent(_ asset: Asset, _ still: FinishedStill) async throws
}

package struct LibraryPhotoStore: PhotoStore {
    let library: LibrarySupervisor
    let processor: PhotoProcessor
    let presenter: OverlayPresenter
    let camera: ChosenCamera

    package init(
        _ library: LibrarySupervisor, _ processor: PhotoProcessor, _ presenter: OverlayPresenter,
        _ camera: ChosenCamera
    ) {
        self.library = library
        self.processor = processor
        self.presenter = presenter
        self.camera = camera
    }

    package func save(_ still: FinishedStill, session: String) async throws -> Asset {
        // The review is decoded meanwhile: a photo is safe without it, but shown only with it.
        async let review = review(of: still)
        let photo = FinishedPhoto(still, deviceName: camera.id, session: session)
        let asset = noticeMissingRaw(try await library.add(photo), of: still)
        if let review = await review { await presenter.keep(review, for: asset.id.uuidString) }
        return asset
    }

    package func save(
        _ still: FinishedStill, session: String, burst: String, isFirst: Bool
    ) async throws -> Asset {
        var photo = FinishedPhoto(still, deviceName: camera.id, session: session)
        photo.mediaSubtypes = .burst
        (photo.burstID, photo.representsBurst) = (burst, isFirst)
        return noticeMissingRaw(try await library.add(photo), of: still)
    }

    /// Logs a RAW that the disk had no room for, or that could not be written.
    private func noticeMissingRaw(_ asset: Asset, of still: FinishedStill) -> Asset {
        if still.raw != nil, asset.alternatePhoto == nil {
            Logger(label: "photo").error(
                "the library has no RAW of it", metadata: ["id": "\(asset.id.uuidString)"])
        }
        return asset
    }

    package func represent(_ asset: Asset, _ still: FinishedStill) async throws {
        if let review = await review(of: still) {
            await presenter.keep(review, for: asset.id.uuidString)
        }
        if !asset.representsBurst { try await library.represent(asset.id) }
    }

    private func review(of still: FinishedStill) async -> StillPicture? {
        guard presenter.showsReviews, let size = await presenter.reviewSize else { return nil }
        do {
            return try await processor.review(of: still, covering: size)
        } catch {
            Logger(label: "photo").warning("photo without", metadata: ["reason": "\(error)"])
            return nil
        }
    }
}
