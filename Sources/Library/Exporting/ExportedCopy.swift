// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Hashing
internal import Imaging
internal import LinuxIO
internal import Media

/// A photo as exported: rotated, cropped and made smaller, with the corrected time and the
/// library's descriptive metadata (caption, keywords, rating, time, place). The picture's own bytes
/// are the original's unless it is cropped, smaller or converted. A side-car is a copy too.
struct ExportedCopy {
    let chunks: [[UInt8]]
    /// Whether the metadata could not be written into the copy. A broken file can still be shown.
    private(set) var lacksWords = false
    private let isSidecar: Bool

    var bytes: Int { chunks.reduce(0) { $0 + $1.count } }

    var sha256: String { hexadecimal(SHA256.hash(chunks)) }

    /// The JPEG quality of pictures that are encoded again.
    private static let quality = 92

    /// Makes the side-car of an asset; throws `unsupported` if its metadata cannot be written.
    init(sidecarOf asset: Asset) throws(LibraryError) {
        let words = DescriptiveMetadata(
            caption: asset.caption, keywords: asset.keywords, rating: asset.isFavorite ? 5 : nil,
            time: PictureTime(asset.createdAt), location: asset.location)
        do {
            chunks = [try words.sidecar()]
            isSidecar = true
        } catch {
            throw LibraryError(.unsupported, "asset \(asset.id.text): \(error)", underlying: error)
        }
    }

    /// Reads an original that is its own copy.
    /// - Throws: `damaged` if its content is not what was stored; the errors of reading it.
    init(asItIs original: AssetResource) throws(LibraryError) {
        chunks = [try Self.content(of: original)]
        isSidecar = false
    }

    /// Whether an earlier copy of the same picture differs only in metadata. An earlier side-car
    /// does if the library wrote it and nobody has changed it.
    func differsInWords(from earlier: [UInt8]) -> Bool {
        if isSidecar {
            return (try? DescriptiveMetadata(reading: earlier).sidecar()) == earlier
        }
        let none = DescriptiveMetadata()
        guard let bare = try? none.written(into: earlier) else { return false }
        return (try? none.written(into: Array(chunks.joined()))) == bare
    }

    /// Makes the copy of an original; `nil` if the original is its own copy.
    /// - Parameter foreign: Reads originals that are not JPEGs.
    /// - Throws: `damaged` if the original is not what was stored or cannot be edited;
    ///   `unsupported` if no JPEG can be made of it here; the errors of reading it.
    nonisolated(nonsending) init?(
        of original: AssetResource, _ options: ExportOptions, _ foreign: (any ForeignPictures)?
    ) async throws(LibraryError) {
        let asset = original.asset
        let isMade = options.makesJPEG(of: asset)
        let isCorrected = asset.isJPEG && asset.timeCorrection != 0
        var mayHaveWords = options.version == .current && asset.takesWords
        if mayHaveWords, !asset.hasWords { mayHaveWords = try Self.saysSomething(original) }
        guard isMade || isCorrected || mayHaveWords else { return nil }
        var bytes = try Self.content(of: original)
        let known = mayHaveWords ? DescriptiveMetadata(reading: bytes) : DescriptiveMetadata()
        let wanted = DescriptiveMetadata(of: asset, instead: known)
        let hasOthers = options.version == .current && wanted != known
        guard isMade || isCorrected || hasOthers else { return nil }
        if isMade, !asset.isJPEG { bytes = try await Self.jpeg(of: original, foreign) }
        do {
            var made = [bytes]
            if isMade {
                made = try Self.chunks(
                    bytes, asset, options.adjustment(of: asset) ?? AssetAdjustment(),
                    options.size(of: asset))
            } else if isCorrected, let metadata = try? ExifMetadata(reading: bytes) {
                made = try JPEGFile(JPEGFile.ended(bytes)).chunks(
                    metadata: metadata.corrected(asset))
            } else if !hasOthers {
                // A file without EXIF has no time to correct.
                return nil
            }
            if options.version == .current, !wanted.isEmpty || !known.isEmpty {
                if let written = try? wanted.written(into: Array(made.joined())) {
                    made = [written]
                } else {
                    lacksWords = true
                }
            }
            chunks = made
            isSidecar = false
        } catch {
            throw LibraryError(
                .damaged, "asset \(asset.id.text): cannot be turned, cropped or scaled: \(error)",
                underlying: error)
        }
    }

    /// Whether a JPEG or PNG may contain descriptive metadata, which is near the file's beginning.
    private static func saysSomething(_ original: AssetResource) throws(LibraryError) -> Bool {
        do {
            let beginning = try DurableFileReader(original.path).read(upTo: 128 << 10)
            return ["http://ns.adobe.com/xap/1.0/", "Photoshop 3.0", "XML:com.adobe.xmp"].contains {
                beginning.firstRange(of: Array($0.utf8)) != nil
            }
        } catch {
            throw LibraryError("asset \(original.asset.id.text)", error)
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
            throw LibraryError(.unsupported, "\(what): no picture of it can be made")
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
            // Smaller pictures become sRGB, for screens and for programs that ignore profiles.
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
        // A patch of the orientation keeps everything else that another camera wrote.
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

extension Asset {
    /// Whether metadata can be written into its original. Others get a side-car.
    var takesWords: Bool { isJPEG || fileName.hasSuffix(".png") }

    /// Whether a person has described or marked it.
    var hasWords: Bool { caption != nil || !keywords.isEmpty || isFavorite }
}

extension DescriptiveMetadata {
    /// Combines the library's metadata of an asset with the rest of `known`, its file's metadata.
    init(of asset: Asset, instead known: DescriptiveMetadata) {
        // Five stars mean a favourite. The library does not change other ratings.
        let rating = asset.isFavorite ? 5 : known.rating == 5 ? nil : known.rating
        // The library sorts keywords, so equal ones keep the file's order.
        let isSame = Set(asset.keywords) == Set(known.keywords)
        self.init(
            caption: asset.caption, keywords: isSame ? known.keywords : asset.keywords,
            rating: rating,
            time: asset.timeCorrection == 0 ? known.time : PictureTime(asset.createdAt),
            location: known.location)
    }
}

extension ExifMetadata {
    /// Creates the library's metadata of a photo whose file has none.
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
    init(_ time: WallTime) {
        let (seconds, nanoseconds) = time.nanoseconds.flooredDivision(by: 1_000_000_000)
        self.init(
            seconds: seconds, nanoseconds: Int32(nanoseconds),
            utcOffsetSeconds: time.utcOffsetSeconds)
    }
}
