// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// What a photo's file says of it, in EXIF 2.32 (CIPA DC-008-2019).
public struct ExifMetadata: Hashable, Sendable {
    /// A positive fraction.
    public struct Rational: Hashable, Sendable {
        /// As EXIF has it, not reduced.
        public var numerator: UInt32
        /// 0 makes a fraction that EXIF readers call unknown.
        public var denominator: UInt32

        /// Of the given parts; nothing is checked.
        public init(_ numerator: UInt32, _ denominator: UInt32) {
            self.numerator = numerator
            self.denominator = denominator
        }
    }

    /// EXIF's ColorSpace.
    public enum ColorSpace: Int, Sendable {
        case sRGB = 1
        /// An ICC profile says which.
        case uncalibrated = 0xffff
    }

    /// ASCII (EXIF knows no other); other characters become "?". Empty: left out.
    public var make: String
    /// Left out if empty.
    public var model: String
    /// The program that wrote the file; left out if empty.
    public var software: String
    /// Written as DateTimeOriginal, with sub-seconds and offset.
    public var time: PictureTime
    /// 1 to 8, EXIF's numbers: 1 is upright, 6 is to be turned clockwise.
    public var orientation: Int
    /// Seconds.
    public var exposureTime: Rational?
    /// ISO speed; left out if `nil`.
    public var iso: Int?
    /// 32 hexadecimal digits; left out if `nil`.
    public var imageUniqueID: String?
    /// The colour space of the picture's values.
    public var colorSpace = ColorSpace.sRGB
    /// Where the picture was taken, to some millimetres; left out if `nil`.
    public var location: Location?
    /// The picture's; ``JPEGFile/chunks(metadata:)`` fills it in.
    public var dimensions: Dimensions
    /// A small JPEG of the picture; left out if it would make the segment too long.
    public var thumbnail: [UInt8]?

    /// What is not given is left out of the file.
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

    /// The most that marker, length and parameters of a segment come to.
    public static let largestSegment = 65_537

    /// What starts an EXIF segment's parameters.
    static let identifier: [UInt8] = Array("Exif\0\0".utf8)

    /// An APP1 segment, marker and length included.
    ///
    /// - Throws: `unsupported` for an orientation, time, ISO, fraction or unique id that EXIF cannot
    ///   hold; `exhausted`.
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

    /// Reads a JPEG file's EXIF. What is absent keeps its empty value; orientation is 1 then.
    ///
    /// - Throws: `notJPEG` or `truncated`; `noMetadata` without EXIF or a date in it.
    public init(reading file: [UInt8]) throws(CodecError) {
        let segments = try JPEGSegments(file)
        guard let segment = segments.first(Marker.application1, Self.identifier, in: file) else {
            throw CodecError(.noMetadata, "JPEG without EXIF")
        }
        self = try ExifDocument(parsing: Array(file[segment.payload])).metadata()
    }
}
