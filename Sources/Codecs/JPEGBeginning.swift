// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// What the beginning of a JPEG file tells of it, as far as it is sound: for files that somebody else
/// may have written, and that need not be read whole.
public struct JPEGBeginning: Sendable {
    /// The picture's; `nil` when its frame header is broken or further on.
    public let dimensions: Dimensions?
    /// 1 to 8; `nil` without EXIF that says so.
    public let orientation: Int?
    /// `nil` without EXIF that says where the picture was taken.
    public let location: Location?
    /// `nil` without EXIF, or without a date in it.
    public let metadata: ExifMetadata?
    /// EXIF's CustomRendered: 0 and 1 in the standard, and what phones add.
    public let customRendered: Int?
    /// EXIF's UserComment, where it is ASCII.
    public let userComment: String?
    /// The kind of a JPEG that no decoder here reads, such as "lossless JPEG". `nil` for the kinds that are read:
    /// baseline, extended and progressive of 8 bits, with Huffman or arithmetic coding.
    public let unsupportedKind: String?

    /// Takes as many bytes as are at hand; headers are rarely longer than 128 KiB. `nil` for bytes that
    /// do not start a JPEG picture.
    public init?(_ bytes: [UInt8]) {
        guard var walk = try? HeaderWalk(bytes) else { return nil }
        // Broken, or longer than what is here: what came before that counts.
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

    /// Tells the kind by the frame marker (ITU-T T.81, table B.1; T.87, C.1.1).
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

    /// All that the EXIF says, in words for a person: by directory, `TIFF`, `Exif` or `GPS`, and by the tag's name in
    /// the standard; empty without EXIF, and for other than JPEG. Takes the same bytes as ``init(_:)``.
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
