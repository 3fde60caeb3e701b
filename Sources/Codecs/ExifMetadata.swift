// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// A photo's metadata in EXIF 2.32 (CIPA DC-008-2019).
public struct ExifMetadata: Hashable, Sendable {
    /// An unsigned fraction.
    public struct Rational: Hashable, Sendable {
        /// The numerator, not reduced.
        public var numerator: UInt32
        /// The denominator; 0 means unknown to EXIF readers.
        public var denominator: UInt32

        /// Creates a fraction without checking it.
        public init(_ numerator: UInt32, _ denominator: UInt32) {
            self.numerator = numerator
            self.denominator = denominator
        }
    }

    /// EXIF's ColorSpace.
    public enum ColorSpace: Int, Sendable {
        case sRGB = 1
        /// The ICC profile states the colour space.
        case uncalibrated = 0xffff
    }

    /// The camera's maker; left out if empty. EXIF text is ASCII: other characters become "?".
    public var make: String
    /// The camera's model; left out if empty.
    public var model: String
    /// The program that wrote the file; left out if empty.
    public var software: String
    /// The time of capture, written with sub-seconds and UTC offset.
    public var time: PictureTime
    /// EXIF orientation, 1 to 8: 1 is upright, 6 needs a clockwise quarter turn.
    public var orientation: Int
    /// The exposure time in seconds; left out if `nil`.
    public var exposureTime: Rational?
    /// ISO speed; left out if `nil`.
    public var iso: Int?
    /// An id of 32 hexadecimal digits; left out if `nil`.
    public var imageUniqueID: String?
    /// The colour space of the picture's values.
    public var colorSpace = ColorSpace.sRGB
    /// The place of capture, to a few millimetres; left out if `nil`.
    public var location: Location?
    /// The picture's size in pixels; ``JPEGFile/chunks(metadata:profile:)`` sets it.
    public var dimensions: Dimensions
    /// A small JPEG of the picture; left out if it would make the segment too long.
    public var thumbnail: [UInt8]?

    /// Creates metadata; absent values are left out of the file.
    public init(
        make: String = "", model: String = "", software: String = "", time: PictureTime,
        orientation: Int = 1, exposureTime: Rational? = nil, iso: Int? = nil,
        imageUniqueID: String? = nil, location: Location? = nil,
        dimensions: Dimensions = Dimensions(width: 0, height: 0), thumbnail: [UInt8]? = nil
    ) {
        self.make = make
        self.model = model
        self.software = software
        self.time = time
        self.orientation = orientation
        self.exposureTime = exposureTime
        self.iso = iso
        self.imageUniqueID = imageUniqueID
        self.location = location
        self.dimensions = dimensions
        self.thumbnail = thumbnail
    }

    /// The largest segment in bytes: marker, length and parameters.
    public static let largestSegment = 65_537

    /// The first bytes of an EXIF segment's parameters.
    static let identifier: [UInt8] = Array("Exif\0\0".utf8)

    /// Returns an APP1 segment with its marker and length. Throws `unsupported` if EXIF cannot hold
    /// a value or the segment is too long; `exhausted`.
    public func app1Segment() throws(CodecError) -> [UInt8] {
        var body = try ExifDocument(self, thumbnail: thumbnail).bytes()
        if body.count + 4 > Self.largestSegment, thumbnail != nil {
            body = try ExifDocument(self, thumbnail: nil).bytes()
        }
        let length = body.count + 2
        guard length <= 0xffff else {
            throw CodecError(.unsupported, "EXIF of \(body.count) bytes")
        }
        return [0xff, Marker.application1, UInt8(length >> 8), UInt8(length & 0xff)] + body
    }

    /// Reads a JPEG file's EXIF. Absent values stay empty; an absent orientation is 1. Throws
    /// `notJPEG` or `truncated`; `noMetadata` if there is no EXIF or no date in it.
    public init(reading file: [UInt8]) throws(CodecError) {
        let segments = try JPEGSegments(file)
        guard let segment = segments.first(Marker.application1, Self.identifier, in: file) else {
            throw CodecError(.noMetadata, "JPEG without EXIF")
        }
        self = try ExifDocument(parsing: Array(file[segment.payload])).metadata()
    }
}
