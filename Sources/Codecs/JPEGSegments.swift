// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// The marker segments of one JPEG picture (ITU-T T.81, annex B). Parsing is safe on any input.
///
///     SOI  (APPn | COM | DQT | DHT | DRI | SOFn)…  SOS  data  (DHT | SOS data …)…  EOI  [padding]
public struct JPEGSegments: Sendable {
    /// A marker with its parameters.
    public struct Segment: Hashable, Sendable {
        /// The marker's second byte, for example 0xe1 for APP1.
        public let marker: UInt8
        /// The bytes from the marker's 0xff to the last parameter.
        public let range: Range<Int>
        /// The parameters, without marker and length.
        public var payload: Range<Int> { range.lowerBound + 4..<range.upperBound }
    }

    /// The segments after SOI, up to and including the first SOS.
    public let header: [Segment]
    /// The entropy-coded bytes, from the end of the first scan's header to EOI, exclusive. In a
    /// progressive picture they span all scans and the segments between them.
    public let entropyCodedRange: Range<Int>
    /// The bytes from SOI to EOI, both included. Bytes after EOI are padding.
    public let pictureRange: Range<Int>
    /// The size in pixels as stored, from the SOF segment.
    public let dimensions: Dimensions
    /// Whether a DHT segment comes before the first scan.
    public let hasHuffmanTables: Bool

    /// Parses a picture that starts at the first byte. Throws `notJPEG` unless there are SOI,
    /// well-formed segments, one frame header and a scan; `truncated` if the data ends before EOI.
    public init(_ bytes: [UInt8]) throws(CodecError) {
        var walk = try HeaderWalk(bytes)
        try walk.run(bytes)
        guard let dimensions = walk.dimensions else {
            throw CodecError(.notJPEG, "JPEG with a scan before its frame header")
        }
        let header = walk.segments
        let first = walk.at
        let end = try Self.end(bytes, from: first)
        self.header = header
        self.dimensions = dimensions
        entropyCodedRange = first..<end
        pictureRange = 0..<end + 2
        hasHuffmanTables = header.contains { $0.marker == Marker.huffmanTables }
    }

    /// Returns the first segment with this marker whose parameters start with `identifier`.
    public func first(_ marker: UInt8, _ identifier: [UInt8], in bytes: [UInt8]) -> Segment? {
        header.first { segment in
            segment.marker == marker && bytes[segment.payload].starts(with: identifier)
        }
    }

    /// Reads the segment at `at` and moves `at` past it.
    fileprivate static func segment(
        _ bytes: [UInt8], _ at: inout Int
    ) throws(CodecError) -> Segment {
        guard at < bytes.count else { throw truncated(bytes) }
        guard bytes[at] == 0xff else {
            throw CodecError(.notJPEG, "JPEG without a marker at byte \(at)")
        }
        // Any number of 0xff may stand before a marker (B.1.1.2).
        while at + 1 < bytes.count, bytes[at + 1] == 0xff { at += 1 }
        guard at + 1 < bytes.count else { throw truncated(bytes) }
        let marker = bytes[at + 1]
        guard Marker.hasParameters(marker) else {
            throw CodecError(.notJPEG, "JPEG with marker \(marker) at byte \(at)")
        }
        guard at + 3 < bytes.count else { throw truncated(bytes) }
        let length = Int(bytes[at + 2]) << 8 | Int(bytes[at + 3])
        guard length >= 2 else {
            throw CodecError(.notJPEG, "JPEG with a segment of length \(length) at byte \(at)")
        }
        guard at + 2 + length <= bytes.count else { throw truncated(bytes) }
        let segment = Segment(marker: marker, range: at..<at + 2 + length)
        at = segment.range.upperBound
        return segment
    }

    fileprivate static func dimensions(
        _ bytes: [UInt8], _ payload: Range<Int>
    ) throws(CodecError) -> Dimensions {
        guard payload.count >= 6 else {
            throw CodecError(.notJPEG, "JPEG with a frame header of \(payload.count) bytes")
        }
        let start = payload.lowerBound
        let height = Int(bytes[start + 1]) << 8 | Int(bytes[start + 2])
        let width = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
        guard width > 0, height > 0 else {
            throw CodecError(.notJPEG, "JPEG of \(width)x\(height)")
        }
        return Dimensions(width: width, height: height)
    }

    /// Returns the position of EOI. `start` is the first byte of a scan's data.
    private static func end(_ bytes: [UInt8], from start: Int) throws(CodecError) -> Int {
        var at = start
        while at + 1 < bytes.count {
            guard bytes[at] == 0xff else {
                at += 1
                continue
            }
            switch bytes[at + 1] {
            case 0x00, 0xd0...0xd7: at += 2
            case 0xff: at += 1
            case Marker.endOfImage: return at
            case Marker.startOfScan, Marker.huffmanTables, Marker.quantizationTables,
                Marker.arithmeticConditioning, Marker.numberOfLines, Marker.restartInterval,
                Marker.comment, 0xe0...0xef:
                _ = try segment(bytes, &at)
            default:
                // No scan may hold this marker: the next picture has overwritten this one.
                throw CodecError(
                    .truncated, "JPEG broken by marker \(bytes[at + 1]) at byte \(at)")
            }
        }
        throw truncated(bytes)
    }

    private static func truncated(_ bytes: [UInt8]) -> CodecError {
        CodecError(.truncated, "JPEG without an end in \(bytes.count) bytes")
    }
}

/// Reads the segments up to the first scan. After an error, the segments before it remain.
struct HeaderWalk {
    private(set) var segments: [JPEGSegments.Segment] = []
    private(set) var dimensions: Dimensions?
    /// The position after the last segment read.
    private(set) var at = 2

    init(_ bytes: [UInt8]) throws(CodecError) {
        guard bytes.count >= 2, bytes[0] == 0xff, bytes[1] == Marker.startOfImage else {
            throw CodecError(.notJPEG, "\(bytes.count) bytes that do not start a JPEG picture")
        }
    }

    mutating func run(_ bytes: [UInt8]) throws(CodecError) {
        repeat {
            let segment = try JPEGSegments.segment(bytes, &at)
            if Marker.isFrameHeader(segment.marker) {
                guard dimensions == nil else {
                    throw CodecError(.notJPEG, "JPEG with two frame headers")
                }
                dimensions = try JPEGSegments.dimensions(bytes, segment.payload)
            }
            segments.append(segment)
        } while segments.last?.marker != Marker.startOfScan
    }
}

/// The second bytes of markers (T.81, table B.1).
enum Marker {
    static let startOfImage: UInt8 = 0xd8
    static let endOfImage: UInt8 = 0xd9
    static let startOfScan: UInt8 = 0xda
    static let quantizationTables: UInt8 = 0xdb
    static let numberOfLines: UInt8 = 0xdc
    static let restartInterval: UInt8 = 0xdd
    static let huffmanTables: UInt8 = 0xc4
    static let arithmeticConditioning: UInt8 = 0xcc
    static let application0: UInt8 = 0xe0
    static let application1: UInt8 = 0xe1
    static let comment: UInt8 = 0xfe

    /// Whether the marker is one of SOF0…SOF15. DHT, JPG and DAC share that range but are not.
    static func isFrameHeader(_ marker: UInt8) -> Bool {
        (0xc0...0xcf).contains(marker) && marker != 0xc4 && marker != 0xc8 && marker != 0xcc
    }

    /// Whether a length follows the marker. False for markers that no header may hold.
    static func hasParameters(_ marker: UInt8) -> Bool {
        marker >= 0xc0 && !(0xd0...startOfImage).contains(marker) && marker != endOfImage
    }
}
