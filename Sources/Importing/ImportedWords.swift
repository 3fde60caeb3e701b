// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Library
internal import LinuxIO
internal import Media

/// A file's words as the library can keep them, each from the side-car or else from the file.
struct ImportedWords {
    /// The size limit of a side-car in bytes. A usual one has some kilobytes.
    private static let largestSidecar = 1 << 20
    private static let mostKeywords = 1000

    private(set) var caption: String?
    private(set) var keywords: [String] = []
    private(set) var isFavorite = false
    private(set) var time: WallTime?
    private(set) var location: Location?
    /// A line that says what was cut; `nil` if nothing was.
    private(set) var remark: String?

    init(_ file: DescriptiveMetadata, _ sidecar: DescriptiveMetadata?) {
        let own = sidecar ?? DescriptiveMetadata()
        let words = own.caption ?? file.caption
        caption = words.flatMap { AssetChange.caption(from: $0) }
        isFavorite = (own.rating ?? file.rating) == 5
        time = (own.time ?? file.time).flatMap { WallTime($0) }
        location = own.location ?? file.location
        let labels = own.keywords.isEmpty ? file.keywords : own.keywords
        keywords = labels.prefix(Self.mostKeywords).compactMap { AssetChange.keyword(from: $0) }
        let isCut =
            labels.count > Self.mostKeywords || caption?.count ?? 0 < words?.trimmedCount ?? 0
            || labels.contains {
                AssetChange.keyword(from: $0)?.count ?? 0 < $0.trimmedCount
            }
        if isCut { remark = "its caption or keywords are longer than the library keeps" }
    }

    /// Reads a side-car.
    /// - Throws: `ImportError` if it is not a side-car; `SystemCallError` if it cannot be read.
    static func sidecar(_ path: String) throws -> DescriptiveMetadata {
        let bytes = try DurableFileReader(path).read(upTo: largestSidecar + 1)
        guard bytes.count <= largestSidecar else {
            throw ImportError(.tooLarge, "the side-car is larger than \(largestSidecar >> 20) MB")
        }
        let words = DescriptiveMetadata(reading: bytes)
        let isXMP = bytes.contains(UInt8(ascii: "<"))
        if words.isEmpty && !isXMP { throw ImportError(.damaged, "the side-car is not XMP") }
        return words
    }
}

extension String {
    fileprivate var trimmedCount: Int {
        let rest = drop { $0.isWhitespace }
        return rest.count - rest.reversed().prefix { $0.isWhitespace }.count
    }
}
