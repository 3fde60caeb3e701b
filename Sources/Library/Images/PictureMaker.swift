// SPDX-License-Identifier: GPL-3.0-or-later

internal import Imaging
internal import LinuxIO
internal import Media
internal import Store

/// Makes pictures and keeps them, decoded in memory and as files. For one thread at a time.
struct PictureMaker {
    /// The JPEG quality of the pictures kept on the disk.
    private static let quality = 90
    private let library: AssetLibrary
    private var cache: PictureCache
    private var derived: DerivedPictures
    private var renderer: PictureRenderer?
    private let mostBytes: Int
    private let leastFreeBytes: Int64

    init(_ library: AssetLibrary, _ budgets: ImageBudgets) {
        self.library = library
        mostBytes = budgets.picture
        leastFreeBytes = max(budgets.leastFree, library.reserve)
        cache = PictureCache(budget: budgets.memory)
        derived = DerivedPictures(library.layout, budget: budgets.disk)
    }

    var cachedBytes: Int { cache.bytes }

    func hasAtHand(_ request: PictureRequest) -> Bool { cache.contains(request.cacheKey) }

    /// Returns the picture of a remote original that is shown until that arrives.
    mutating func substitute(_ request: PictureRequest) -> StillPicture? {
        preview(request) ?? thumbnail(request)
    }

    private mutating func preview(_ request: PictureRequest) -> StillPicture? {
        guard request.asset.isRemoteOnly,
            let bytes = DerivedFile.read(library.layout.preview(request.asset.id))
        else { return nil }
        return try? render(bytes, request)
    }

    private mutating func thumbnail(_ request: PictureRequest) -> StillPicture? {
        guard let bytes = DerivedFile.read(library.layout.thumbnail(request.asset.id)) else {
            return nil
        }
        return try? render(bytes, request)
    }

    /// Returns the picture, if it can be had without the original.
    mutating func known(_ request: PictureRequest) -> StillPicture? {
        if let picture = cache.picture(request.cacheKey) { return picture }
        guard
            let picture =
                sufficientThumbnail(request) ?? kept(request) ?? sufficientPreview(request)
        else { return nil }
        cache.keep(picture, as: request.cacheKey)
        return picture
    }

    /// Returns the picture made from the thumbnail, if that has enough pixels.
    private mutating func sufficientThumbnail(_ request: PictureRequest) -> StillPicture? {
        guard let wanted = request.dimensions, wanted.width <= Thumbnail.size.width,
            wanted.height <= Thumbnail.size.width, let picture = thumbnail(request),
            picture.description.dimensions == wanted
        else { return nil }
        return picture
    }

    /// Returns the picture made from what stayed of a remote original, if that has enough pixels.
    private mutating func sufficientPreview(_ request: PictureRequest) -> StillPicture? {
        guard let wanted = request.dimensions, let picture = preview(request),
            picture.description.dimensions == wanted
        else { return nil }
        return picture
    }

    private mutating func kept(_ request: PictureRequest) -> StillPicture? {
        derived.read(request.cacheKey).flatMap { try? render($0, .upright, nil, .full) }
    }

    /// Makes the picture from the original, or from the JPEG that was made of it, and keeps it.
    mutating func make(
        _ request: PictureRequest, of jpeg: [UInt8]
    ) throws(LibraryError) -> StillPicture {
        do throws(ImagingError) {
            let picture = try render(jpeg, request)
            cache.keep(picture, as: request.cacheKey)
            Thumbnail.makeIfMissing(of: jpeg, request.asset.id, in: library.layout)
            if request.options.keepsPicture { keep(picture, request) }
            takeBackIfPurged(request)
            return picture
        } catch {
            let code: LibraryError.Code =
                switch error.code {
                case .exhausted: .exhausted
                case .unsupported: .unsupported
                default: .damaged
                }
            throw LibraryError(code, "asset \(request.asset.id.text): \(error)", underlying: error)
        }
    }

    /// Keeps a picture on the disk, unless photos need the space.
    private mutating func keep(_ picture: StillPicture, _ request: PictureRequest) {
        guard let jpeg = try? picture.jpeg(quality: Self.quality),
            let free = try? library.freeBytes(library.layout.pictures),
            free - Int64(jpeg.count) >= leastFreeBytes
        else { return }
        derived.keep(jpeg, as: request.cacheKey)
    }

    /// Removes the files of a picture whose asset was purged meanwhile. A later purge removes them.
    private mutating func takeBackIfPurged(_ request: PictureRequest) {
        let id = request.asset.id
        let isThere = try? library.database.read { db in try AssetRow.isThere(db, id) }
        guard isThere == false else { return }
        derived.remove(request.cacheKey)
        try? FileTree.remove(library.layout.thumbnail(id))
    }

    private mutating func render(
        _ jpeg: [UInt8], _ request: PictureRequest
    ) throws(ImagingError) -> StillPicture {
        let orientation = ExifOrientation(rawValue: request.asset.orientation) ?? .upright
        return try render(jpeg, orientation, request.adjustment, request.size)
    }

    private mutating func render(
        _ jpeg: [UInt8], _ orientation: ExifOrientation, _ adjustment: AssetAdjustment?,
        _ size: ImageSize
    ) throws(ImagingError) -> StillPicture {
        let renderer: PictureRenderer
        if let known = self.renderer {
            renderer = known
        } else {
            renderer = try PictureRenderer(mostBytes: mostBytes)
        }
        self.renderer = renderer
        return try renderer.render(jpeg, orientation, adjustment, size)
    }
}
