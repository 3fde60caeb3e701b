// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Imaging
internal import Media

/// A photo as it is to be seen: with the time that turned out to be right, turned, cut and made smaller. The
/// picture's own bytes are the original's unless it is cut, smaller, or another format's.
struct ExportedCopy {
    let chunks: [[UInt8]]

    var bytes: Int { chunks.reduce(0) { $0 + $1.count } }

    var sha256: String { hexadecimal(SHA256.hash(chunks)) }

    /// Of what is encoded anew.
    private static let quality = 92

    /// Reads the original, which must be what was stored; `nil` when that is the copy.
    ///
    /// - Parameter foreign: For originals that are no JPEG.
    /// - Throws: `damaged` when it is not; `unsupported` when no JPEG can be made of it here; what reading it throws.
    nonisolated(nonsending) init?(
        of original: AssetResource, _ options: ExportOptions, _ foreign: (any ForeignPictures)?
    ) async throws(LibraryError) {
        let asset = original.asset
        let isMade = options.makesJPEG(of: asset)
        guard isMade || asset.isJPEG && asset.timeCorrection != 0 else { return nil }
        var bytes = try Self.content(of: original)
        if !asset.isJPEG { bytes = try await Self.jpeg(of: original, foreign) }
        do {
            if isMade {
                chunks = try Self.chunks(
                    bytes, asset, options.adjustment(of: asset) ?? AssetAdjustment(),
                    options.size(of: asset))
            } else {
                // Without a date there is none to correct.
                guard let metadata = try? ExifMetadata(reading: bytes) else { return nil }
                chunks = try JPEGFile(bytes).chunks(metadata: metadata.corrected(asset))
            }
        } catch {
            throw LibraryError(
                .damaged, "asset \(asset.id.text): cannot be turned, cut or made smaller: \(error)",
                underlying: error)
        }
    }

    private static func content(of original: AssetResource) throws(LibraryError) -> [UInt8] {
        let what = "asset \(original.asset.id.text)"
        let bytes = try OriginalFile.content(of: original.path, what)
        guard hexadecimal(SHA256.hash([bytes])) == original.asset.sha256 else {
            throw LibraryError(.damaged, "\(what): \(original.path) is not what was stored")
        }
        return bytes
    }

    private nonisolated(nonsending) static func jpeg(
        of original: AssetResource, _ foreign: (any ForeignPictures)?
    ) async throws(LibraryError) -> [UInt8] {
        let what = "asset \(original.asset.id.text)"
        guard let foreign else {
            throw LibraryError(.unsupported, "\(what): no picture of it can be made here")
        }
        return try await foreign.jpeg(of: original.path, what)
    }

    private static func chunks(
        _ bytes: [UInt8], _ asset: Asset, _ adjustment: AssetAdjustment, _ size: ImageSize
    ) throws -> [[UInt8]] {
        let orientation = ExifOrientation(rawValue: asset.orientation) ?? .upright
        let turned = orientation.turned(adjustment.rotation)
        let known = try? ExifMetadata(reading: bytes)
        guard adjustment.crop == .all, size == .full else {
            // Smaller ones are for screens, and for those who know no profiles.
            let profile = size == .full ? ColorProfile.ofRGB(in: bytes) : nil
            let picture = try PictureRenderer().render(
                bytes, orientation, adjustment, size, keepsColors: profile != nil)
            let encoder = try JPEGEncoder()
            let (encoded, thumbnail) = try unsafe picture.withPixels { pixels in
                (
                    try unsafe encoder.encode(pixels, quality: quality),
                    try unsafe encoder.thumbnail(of: pixels)
                )
            }
            var metadata = (known ?? ExifMetadata(of: asset)).corrected(asset)
            metadata.orientation = 1
            metadata.thumbnail = thumbnail
            metadata.colorSpace = .sRGB
            return try JPEGFile(encoded).chunks(metadata: metadata, profile: profile)
        }
        // All else that another camera wrote stays.
        if asset.timeCorrection == 0,
            let patched = JPEGFile.turning(bytes, orientation: turned.rawValue)
        {
            return [patched]
        }
        var metadata = (known ?? ExifMetadata(of: asset)).corrected(asset)
        metadata.orientation = turned.rawValue
        return try JPEGFile(JPEGFile.ended(bytes)).chunks(metadata: metadata)
    }
}

extension ExifMetadata {
    /// What the library knows of a photo whose file says nothing.
    fileprivate init(of asset: Asset) {
        self.init(time: PictureTime(asset.createdAt))
        location = asset.location
    }

    fileprivate func corrected(_ asset: Asset) -> ExifMetadata {
        var metadata = self
        if asset.timeCorrection != 0 { metadata.time = PictureTime(asset.createdAt) }
        return metadata
    }
}

extension PictureTime {
    fileprivate init(_ time: WallTime) {
        let (seconds, nanoseconds) = time.nanoseconds.flooredDivision(by: 1_000_000_000)
        self.init(
            seconds: seconds, nanoseconds: Int32(nanoseconds),
            utcOffsetSeconds: time.utcOffsetSeconds)
    }
}
