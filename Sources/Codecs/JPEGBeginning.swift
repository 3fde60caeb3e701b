// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// The facts that the first bytes of a JPEG file state. The file may be damaged and of any origin,
/// and need not be read whole.
public struct JPEGBeginning: Sendable {
    /// The picture's size; `nil` if the frame header is damaged or beyond the bytes.
    public let dimensions: Dimensions?
    /// EXIF orientation, 1 to 8; `nil` if not stated.
    public let orientation: Int?
    /// The place of capture; `nil` if not stated.
    public let location: Location?
    /// The metadata; `nil` without EXIF or without a date in it.
    public let metadata: ExifMetadata?
    /// EXIF's CustomRendered: 0 and 1 by the standard, other values by phones.
    public let customRendered: Int?
    /// EXIF's UserComment; `nil` unless it is ASCII.
    public let userComment: String?
    /// The name of a kind of JPEG that no decoder here reads, such as "lossless JPEG". `nil` for
    /// baseline, extended and progressive JPEG of 8 bits, Huffman- or arithmetic-coded.
    public let unsupportedKind: String?

    /// Reads the bytes at hand; headers are rarely longer than 128 KiB. Returns `nil` unless the
    /// bytes start a JPEG picture.
    public init?(_ bytes: [UInt8]) {
        guard var walk = try? HeaderWalk(bytes) else { return nil }
        // If the header is damaged or longer than the bytes, the segments before that count.
        try? walk.run(bytes)
        dimensions = walk.dimensions
        unsupportedKind = Self.unsupportedKind(walk, bytes)
        let document = Self.document(walk, bytes)
        orientation = document?.orientation
        location = document?.location
        metadata = try? document?.metadata()
        customRendered = document?.customRendered
        userComment = document?.userComment
    }

    /// Returns the kind by its frame marker (ITU-T T.81, table B.1; T.87, C.1.1).
    private static func unsupportedKind(_ walk: HeaderWalk, _ bytes: [UInt8]) -> String? {
        for segment in walk.segments {
            switch segment.marker {
            case 0xde, 0xc5...0xc7, 0xcd...0xcf: return "hierarchical JPEG"
            case 0xc3, 0xcb: return "lossless JPEG"
            case 0xf7: return "JPEG-LS"
            case let marker where Marker.isFrameHeader(marker):
                let bits = bytes[segment.payload].first ?? 8
                if bits != 8 { return "JPEG of \(bits) bits" }
            default: break
            }
        }
        return nil
    }

    /// Returns all EXIF tags as text for people, by directory (`TIFF`, `Exif` or `GPS`) and by the
    /// tag's name in the standard. The result is empty without EXIF and for files other than JPEG.
    /// Takes the same bytes as ``init(_:)``.
    public static func properties(of bytes: [UInt8]) -> [String: [String: String]] {
        guard var walk = try? HeaderWalk(bytes) else { return [:] }
        try? walk.run(bytes)
        return document(walk, bytes)?.properties() ?? [:]
    }

    private static func document(_ walk: HeaderWalk, _ bytes: [UInt8]) -> ExifDocument? {
        let segment = walk.segments.first { segment in
            segment.marker == Marker.application1
                && bytes[segment.payload].starts(with: ExifMetadata.identifier)
        }
        return try? segment.map { segment throws(CodecError) in
            try ExifDocument(parsing: Array(bytes[segment.payload]))
        }
    }
}
