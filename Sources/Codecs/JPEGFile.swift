// SPDX-License-Identifier: GPL-3.0-or-later

internal import Imaging
public import Media

/// A complete JPEG picture from a camera's MJPEG frame or an encoder, ready for a file. The
/// entropy-coded bytes stay unchanged. EXIF follows SOI and replaces a JFIF, JFXX or AVI1 header
/// and older EXIF: an Exif file starts with SOI and APP1, and its density is in IFD0 (CIPA DC-008,
/// 4.5.4). Missing Huffman tables are inserted before the first scan. Bytes after EOI are dropped.
public struct JPEGFile: Sendable {
    /// The bytes as received.
    public let bytes: [UInt8]
    /// The positions of the picture's parts in ``bytes``.
    public let segments: JPEGSegments

    /// Parses a picture that starts at the first byte; throws as ``JPEGSegments/init(_:)`` does.
    public init(_ bytes: [UInt8]) throws(CodecError) {
        self.bytes = bytes
        segments = try JPEGSegments(bytes)
    }

    /// Copies a compressed frame's bytes and parses them. Throws `notJPEG` for other formats, and
    /// the errors of ``init(_:)-([UInt8])``.
    @unsafe
    public init(copying frame: PixelAccess) throws(CodecError) {
        let description = unsafe frame.description
        guard description.pixelFormat.isCompressed, let layout = description.planes.first,
            layout.buffer == 0, layout.offset == 0,
            unsafe frame.bytesUsed <= description.bufferSizes[0]
        else {
            throw CodecError(.notJPEG, "\(description.pixelFormat) frames hold no JPEG picture")
        }
        let bytes = unsafe UnsafeBufferPointer(start: frame.plane(0), count: frame.bytesUsed)
        try unsafe self.init([UInt8](bytes))
    }

    /// The size in pixels as stored, before EXIF's orientation is applied.
    public var dimensions: Dimensions { segments.dimensions }

    /// Whether a decoder must hold all coefficients. It must if the picture is progressive or its
    /// first scan lacks a component.
    public var isHeldWhole: Bool {
        guard let (marker, components) = frame, let scan = segments.header.last,
            !scan.payload.isEmpty
        else { return true }
        if [0xc2, 0xc6, 0xca, 0xce].contains(marker) { return true }
        return Int(bytes[scan.payload.lowerBound]) < components
    }

    private var isArithmetic: Bool { (frame?.marker ?? 0) > 0xc8 }

    private var frame: (marker: UInt8, components: Int)? {
        guard let header = segments.header.first(where: { Marker.isFrameHeader($0.marker) }),
            header.payload.count > 5
        else { return nil }
        return (header.marker, Int(bytes[header.payload.lowerBound + 5]))
    }

    /// The bytes that a decoder needs to hold all coefficients; 0 if it need not. The few rows that
    /// every decoder holds are not included.
    public var bytesOfHeldCoefficients: Int {
        guard isHeldWhole else { return 0 }
        let components = frame.map { min($0.components, Self.mostComponents) }
        return Self.bytesOfCoefficients(of: dimensions, components: components)
    }

    /// Returns the bytes of all coefficients, two for each; `nil` components count as the most.
    public static func bytesOfCoefficients(of size: Dimensions, components: Int? = nil) -> Int {
        2 * (components ?? mostComponents) * size.width * size.height
    }

    /// The most components that decoders accept.
    private static let mostComponents = 4

    /// The bytes of the picture's scans.
    public var entropyCodedBytes: ArraySlice<UInt8> { bytes[segments.entropyCodedRange] }

    /// Returns the file, with an end marker if it has none. Only decoding shows if more is missing.
    public static func ended(_ file: [UInt8]) -> [UInt8] {
        let end = [0xff, Marker.endOfImage]
        if file.suffix(2).elementsEqual(end) || (try? JPEGSegments(file)) != nil { return file }
        return file + end
    }

    /// Returns the file in chunks, in order. Given metadata, it starts with EXIF that states the
    /// picture's own dimensions and colour space. Otherwise the header stays as it is. `profile` is
    /// an ICC profile to insert, for a picture that has none. Throws as
    /// ``ExifMetadata/app1Segment()`` does.
    public func chunks(
        metadata: ExifMetadata? = nil, profile: [UInt8]? = nil
    ) throws(CodecError) -> [[UInt8]] {
        var head: [UInt8] = [0xff, Marker.startOfImage]
        var chunks: [[UInt8]] = []
        if var metadata {
            metadata.dimensions = dimensions
            let known = (profile ?? JPEGMarkers.profile(bytes)).flatMap { ColorProfile($0) }
            if let known { metadata.colorSpace = known.isSRGB ? .sRGB : .uncalibrated }
            chunks = [head, try metadata.app1Segment()]
            head = []
        }
        if let profile { head += JPEGMarkers.segments(ofProfile: profile).joined() }
        for segment in segments.header {
            if metadata != nil, isReplaced(segment) { continue }
            if segment.marker == Marker.startOfScan, !segments.hasHuffmanTables, !isArithmetic {
                head += StandardHuffmanTables.segment
            }
            head += bytes[segment.range]
        }
        chunks.append(head)
        chunks.append(Array(entropyCodedBytes) + [0xff, Marker.endOfImage])
        return chunks
    }

    private func isReplaced(_ segment: JPEGSegments.Segment) -> Bool {
        switch segment.marker {
        case Marker.application0: true
        case Marker.application1: bytes[segment.payload].starts(with: ExifMetadata.identifier)
        default: false
        }
    }
}
