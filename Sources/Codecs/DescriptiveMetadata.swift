// SPDX-License-Identifier: GPL-3.0-or-later

internal import CExiv2
internal import Glibc
public import Media
internal import Synchronization

/// The caption, keywords, rating, time and place that a picture's file or its side-car states. XMP
/// (ISO 16684-1) takes precedence over IPTC-IIM. Reading is safe on any input.
public struct DescriptiveMetadata: Hashable, Sendable {
    /// `dc:description` in the default language; `nil` if there is none.
    public var caption: String?
    /// `dc:subject`.
    public var keywords: [String]
    /// `xmp:Rating`, 1 to 5 stars; `nil` if there is none.
    public var rating: Int?
    /// The time of capture; `nil` if the file does not state it.
    public var time: PictureTime?
    /// The place of capture; `nil` if the file does not state it.
    public var location: Location?

    /// The lock on Exiv2 and its XMP toolkit, which are not thread-safe.
    private static let turn = Mutex(())

    /// Creates metadata from its parts.
    public init(
        caption: String? = nil, keywords: [String] = [], rating: Int? = nil,
        time: PictureTime? = nil, location: Location? = nil
    ) {
        self.caption = caption
        self.keywords = keywords
        self.rating = rating
        self.time = time
        self.location = location
    }

    /// Reads a JPEG, PNG, HEIF, AVIF or TIFF file or a side-car. Other files give empty metadata.
    public init(reading file: [UInt8]) {
        self.init()
        Self.turn.withLock { _ in
            guard let words = unsafe cexiv2_read(file, file.count) else { return }
            defer { unsafe cexiv2_free_words(words) }
            unsafe take(words.pointee)
        }
    }

    private mutating func take(_ words: cexiv2_words) {
        caption = unsafe words.caption.map { unsafe String(cString: $0) }
        let list = unsafe UnsafeBufferPointer(start: words.keywords, count: words.keyword_count)
        keywords = unsafe list.compactMap { unsafe $0.map { unsafe String(cString: $0) } }
        if unsafe words.has_rating && (1...5).contains(words.rating) {
            rating = unsafe Int(words.rating)
        }
        time = unsafe words.date.flatMap { unsafe PictureTime(String(cString: $0)) }
        guard unsafe words.has_place else { return }
        location = unsafe Location(
            latitude: words.latitude, longitude: words.longitude,
            altitude: words.has_altitude ? words.altitude : nil)
    }

    /// Whether every part is missing.
    public var isEmpty: Bool { self == DescriptiveMetadata() }

    /// Returns a JPEG or PNG file with this metadata in place of its own. A `nil` time or location
    /// leaves the file's own. IPTC-IIM is changed too if the file has it. Everything else stays.
    /// Throws `unsupported` if the words do not fit or the file's format cannot hold them.
    public func written(into file: [UInt8]) throws(CodecError) -> [UInt8] {
        guard !file.isEmpty else { throw CodecError(.unsupported, "no file to write text into") }
        return try write(file)
    }

    /// Returns an XMP side-car with this metadata; throws `unsupported` if Exiv2 cannot write it.
    public func sidecar() throws(CodecError) -> [UInt8] { try write([]) }

    private func write(_ file: [UInt8]) throws(CodecError) -> [UInt8] {
        var clean = self
        clean.caption = caption.map(Self.writable).flatMap { $0.isEmpty ? nil : $0 }
        clean.keywords = keywords.map(Self.writable).filter { !$0.isEmpty }
        let result = Self.turn.withLock { _ in unsafe Self.write(file, clean) }
        let written = try result.get()
        // A damaged file may accept the words and not return them.
        let again = DescriptiveMetadata(reading: written)
        guard again.caption == clean.caption, again.rating == clean.rating,
            again.keywords == clean.keywords
        else {
            throw CodecError(.unsupported, "the written caption cannot be read back")
        }
        return written
    }

    /// Removes the characters that XML 1.0 forbids, and those that Exiv2 writes as blanks.
    private static func writable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.filter { scalar in
                    ["\n", "\r", "\t"].contains(scalar)
                        || scalar.value >= 0x20
                            && ![0x7f, 0xfffe, 0xffff].contains(scalar.value)
                }))
    }

    private static func write(
        _ file: [UInt8], _ metadata: DescriptiveMetadata
    ) -> Result<[UInt8], CodecError> {
        let texts =
            [metadata.caption ?? "", metadata.time?.dateTimeISO ?? ""] + metadata.keywords
        let copies = unsafe texts.map { unsafe strdup($0) }
        defer { unsafe copies.forEach { unsafe free($0) } }
        let keywords = unsafe copies.dropFirst(2).map { unsafe UnsafePointer($0) }
        return unsafe keywords.withUnsafeBufferPointer { list in
            var words = unsafe cexiv2_words()
            unsafe words.caption = metadata.caption == nil ? nil : UnsafePointer(copies[0])
            unsafe words.date = metadata.time == nil ? nil : UnsafePointer(copies[1])
            unsafe words.keywords = list.baseAddress
            unsafe words.keyword_count = list.count
            unsafe words.has_rating = metadata.rating != nil
            unsafe words.rating = CInt(metadata.rating ?? 0)
            if let location = metadata.location {
                unsafe words.has_place = true
                unsafe words.latitude = location.latitude
                unsafe words.longitude = location.longitude
                unsafe words.has_altitude = location.altitude != nil
                unsafe words.altitude = location.altitude ?? 0
            }
            var count = 0
            var reason = [CChar](repeating: 0, count: 200)
            let made = unsafe cexiv2_write(
                file, file.count, &words, &count, &reason, reason.count)
            guard let start = unsafe made else {
                let text = reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
                return .failure(
                    CodecError(
                        .unsupported,
                        "the caption cannot be written: \(String(decoding: text, as: UTF8.self))"))
            }
            defer { unsafe free(start) }
            return .success(unsafe [UInt8](UnsafeBufferPointer(start: start, count: count)))
        }
    }
}
