// SPDX-License-Identifier: GPL-3.0-or-later

internal import Imaging
public import Media

/// A complete JPEG picture, made from a camera's MJPEG frame or an encoder's output: what a file holds.
///
/// The entropy-coded bytes stay as they are. EXIF goes right behind SOI and takes the place of the
/// JFIF, JFXX or AVI1 header and of older EXIF (CIPA DC-008, 4.5.4: an Exif file starts SOI, APP1;
/// its density is in IFD0). Missing Huffman tables are put before the first scan. What follows EOI is
/// left out.
public struct JPEGFile: Sendable {
    /// The picture as it came.
    public let bytes: [UInt8]
    /// Where its parts are in ``bytes``.
    public let segments: JPEGSegments

    /// Takes a frame whose first byte starts a JPEG picture.
    ///
    /// - Throws: `notJPEG` or `truncated`; see ``JPEGSegments/init(_:)``.
    public init(_ bytes: [UInt8]) throws(CodecError) {
        self.bytes = bytes
        segments = try JPEGSegments(bytes)
    }

    /// Takes a copy of a compressed frame's bytes.
    ///
    /// - Throws: `notJPEG` for other formats; else as ``init(_:)-([UInt8])``.
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

    /// Pixels as stored: EXIF's orientation is not applied.
    public var dimensions: Dimensions { segments.dimensions }

    /// Whether a decoder has to hold all coefficients: of what is progressive, and of what has a scan for each
    /// component.
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

    /// Bytes that a decoder takes for coefficients, but for a few rows of them, which it always takes.
    public var bytesOfHeldCoefficients: Int {
        guard isHeldWhole else { return 0 }
        let components = frame.map { min($0.components, Self.mostComponents) }
        return Self.bytesOfCoefficients(of: dimensions, components: components)
    }

    /// All coefficients, of which each takes two bytes.
    ///
    /// - Parameter components: `nil` where that is not known.
    public static func bytesOfCoefficients(of size: Dimensions, components: Int? = nil) -> Int {
        2 * (components ?? mostComponents) * size.width * size.height
    }

    /// What decoders take.
    private static let mostComponents = 4

    /// The bytes that carry the picture itself.
    public var entropyCodedBytes: ArraySlice<UInt8> { bytes[segments.entropyCodedRange] }

    /// Returns the file with an end marker. A file that was cut off has none; the decoder tells whether more is missing.
    public static func ended(_ file: [UInt8]) -> [UInt8] {
        let end = [0xff, Marker.endOfImage]
        if file.suffix(2).elementsEqual(end) || (try? JPEGSegments(file)) != nil { return file }
        return file + end
    }

    /// The file, in order. With metadata it starts with an EXIF segment, whose pixel dimensions and
    /// colour space are the picture's own; without, the header stays as it is.
    ///
    /// - Parameter profile: an ICC profile for a picture that has none.
    /// - Throws: as ``ExifMetadata/app1Segment()``.
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
