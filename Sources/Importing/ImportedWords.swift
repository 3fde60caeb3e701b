// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Library
internal import LinuxIO
internal import Media

/// The words of a file as the library can keep them. Each comes from the side-car if that has it, else from the file.
struct ImportedWords {
    /// A side-car is some kilobytes.
    private static let largestSidecar = 1 << 20
    private static let mostKeywords = 1000

    private(set) var caption: String?
    private(set) var keywords: [String] = []
    private(set) var isFavorite = false
    private(set) var time: WallTime?
    private(set) var location: Location?
    /// A line that says what was left out; `nil` if nothing was.
    private(set) var remark: String?

    /// - Parameter sidecar: `nil` without one.
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
    ///
    /// - Throws: `ImportError` for what is none; `SystemCallError` when it cannot be read.
    static func sidecar(_ path: String) throws -> DescriptiveMetadata {
        let bytes = try DurableFileReader(path).read(upTo: largestSidecar + 1)
        guard bytes.count <= largestSidecar else {
            throw ImportError(.tooLarge, "a side-car of more than \(largestSidecar >> 20) MB")
        }
        let words = DescriptiveMetadata(reading: bytes)
        let isXMP = bytes.contains(UInt8(ascii: "<"))
        if words.isEmpty && !isXMP { throw ImportError(.damaged, "a side-car that is no XMP") }
        return words
    }
}

extension String {
    /// Characters without white space at either end.
    fileprivate var trimmedCount: Int {
        let rest = drop { $0.isWhitespace }
        return rest.count - rest.reversed().prefix { $0.isWhitespace }.count
    }
}
