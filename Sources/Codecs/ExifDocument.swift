// SPDX-License-Identifier: GPL-3.0-or-later

internal import CExif
internal import Media

/// The owner of a libexif tree. Entries are written by tag number, because libexif's tables predate
/// EXIF 2.31, which added the time offsets.
@safe
final class ExifDocument {
    private let data: UnsafeMutablePointer<ExifData>
    private let memory: OpaquePointer

    private init() throws(CodecError) {
        guard let memory = unsafe exif_mem_new_default() else { throw Self.exhausted }
        guard let data = unsafe exif_data_new_mem(memory) else {
            unsafe exif_mem_unref(memory)
            throw Self.exhausted
        }
        unsafe self.memory = memory
        unsafe self.data = data
        // Keep tags that libexif does not know. It drops them by default.
        unsafe exif_data_unset_option(data, EXIF_DATA_OPTION_IGNORE_UNKNOWN_TAGS)
        unsafe exif_data_unset_option(data, EXIF_DATA_OPTION_FOLLOW_SPECIFICATION)
        unsafe exif_data_set_byte_order(data, EXIF_BYTE_ORDER_INTEL)
    }

    deinit {
        unsafe exif_data_unref(data)
        unsafe exif_mem_unref(memory)
    }

    private static var exhausted: CodecError { CodecError(.exhausted, "no memory for EXIF") }

    // MARK: Writing

    convenience init(_ metadata: ExifMetadata, thumbnail: [UInt8]?) throws(CodecError) {
        try self.init()
        guard (1...8).contains(metadata.orientation) else {
            throw CodecError(.unsupported, "EXIF orientation \(metadata.orientation)")
        }
        guard let dateTime = metadata.time.dateTimeText,
            (0..<1_000_000_000).contains(metadata.time.nanoseconds)
        else {
            throw CodecError(.unsupported, "EXIF time \(metadata.time)")
        }
        if !metadata.make.isEmpty { try add(text: metadata.make, .make) }
        if !metadata.model.isEmpty { try add(text: metadata.model, .model) }
        if !metadata.software.isEmpty { try add(text: metadata.software, .software) }
        try add(short: metadata.orientation, .orientation)
        try addResolution(EXIF_IFD_0)
        try add(short: 1, .chromaPositioning)
        try add(text: dateTime, .dateTime)

        try add(bytes: Array("0232".utf8), .exifVersion)
        for tag in [ExifTagNumber.dateTimeOriginal, .dateTimeDigitized] {
            try add(text: dateTime, tag)
        }
        for tag in [ExifTagNumber.offset, .offsetOriginal, .offsetDigitized] {
            try add(text: metadata.time.offsetText, tag)
        }
        for tag in [ExifTagNumber.subSecond, .subSecondOriginal, .subSecondDigitized] {
            try add(text: metadata.time.subSecondText, tag)
        }
        // The components: Y, Cb, Cr, none.
        try add(bytes: [1, 2, 3, 0], .components)
        try add(bytes: Array("0100".utf8), .flashpixVersion)
        try add(short: metadata.colorSpace.rawValue, .colorSpace)
        try add(long: metadata.dimensions.width, .pixelWidth)
        try add(long: metadata.dimensions.height, .pixelHeight)
        if let exposure = metadata.exposureTime {
            guard exposure.denominator > 0 else {
                throw CodecError(.unsupported, "EXIF exposure time over 0")
            }
            try add(rational: exposure, .exposureTime, EXIF_IFD_EXIF)
        }
        if let iso = metadata.iso { try add(iso: iso) }
        if let id = metadata.imageUniqueID {
            guard id.utf8.count == 32, id.allSatisfy(\.isHexDigit) else {
                throw CodecError(.unsupported, "EXIF unique id \"\(id)\"")
            }
            try add(text: id, .imageUniqueID)
        }
        if let location = metadata.location { try add(location) }
        if let thumbnail, !thumbnail.isEmpty { try add(thumbnail: thumbnail) }
    }

    /// Returns the segment's parameters, including the leading "Exif".
    func bytes() throws(CodecError) -> [UInt8] {
        var start: UnsafeMutablePointer<UInt8>?
        var count: CUnsignedInt = 0
        unsafe exif_data_save_data(data, &start, &count)
        guard let start = unsafe start else { throw Self.exhausted }
        defer { unsafe exif_mem_free(memory, start) }
        return unsafe [UInt8](UnsafeBufferPointer(start: start, count: Int(count)))
    }

    func add(text: String, _ tag: ExifTagNumber) throws(CodecError) {
        let bytes = text.unicodeScalars.map { scalar in
            (0x20...0x7e).contains(scalar.value) ? UInt8(scalar.value) : UInt8(ascii: "?")
        }
        try add(tag, EXIF_FORMAT_ASCII, bytes.count + 1, bytes + [0])
    }

    private func add(bytes: [UInt8], _ tag: ExifTagNumber) throws(CodecError) {
        try add(tag, EXIF_FORMAT_UNDEFINED, bytes.count, bytes)
    }

    private func add(
        short: Int, _ tag: ExifTagNumber, _ directory: ExifIfd? = nil
    ) throws(CodecError) {
        try add(tag, EXIF_FORMAT_SHORT, 1, UInt16(short).intelBytes, directory)
    }

    private func add(long: Int, _ tag: ExifTagNumber) throws(CodecError) {
        guard let value = UInt32(exactly: long) else {
            throw CodecError(.unsupported, "EXIF dimension \(long)")
        }
        try add(tag, EXIF_FORMAT_LONG, 1, value.intelBytes)
    }

    func add(
        rational: ExifMetadata.Rational, _ tag: ExifTagNumber, _ directory: ExifIfd
    ) throws(CodecError) {
        try add(
            tag, EXIF_FORMAT_RATIONAL, 1,
            rational.numerator.intelBytes + rational.denominator.intelBytes, directory)
    }

    /// Adds the 16-bit sensitivity, clamped to 0xffff, and the type and 32-bit value of EXIF 2.3.
    private func add(iso: Int) throws(CodecError) {
        guard (1...Int(UInt32.max)).contains(iso) else {
            throw CodecError(.unsupported, "EXIF sensitivity \(iso)")
        }
        let recommendedExposureIndex = 2
        try add(short: min(iso, 0xffff), .sensitivity)
        try add(short: recommendedExposureIndex, .sensitivityType)
        try add(long: iso, .recommendedExposureIndex)
    }

    private func addResolution(_ directory: ExifIfd) throws(CodecError) {
        let inches = 2
        try add(rational: ExifMetadata.Rational(72, 1), .horizontalResolution, directory)
        try add(rational: ExifMetadata.Rational(72, 1), .verticalResolution, directory)
        try add(short: inches, .resolutionUnit, directory)
    }

    private func add(thumbnail: [UInt8]) throws(CodecError) {
        let jpeg = 6
        try add(short: jpeg, .compression)
        try addResolution(EXIF_IFD_1)
        // The tree frees the copy. libexif writes the entries for its offset and length.
        let count = CUnsignedInt(clamping: thumbnail.count)
        guard let copy = unsafe exif_mem_alloc(memory, count) else { throw Self.exhausted }
        unsafe copy.copyMemory(from: thumbnail, byteCount: Int(count))
        unsafe data.pointee.data = unsafe copy.assumingMemoryBound(to: UInt8.self)
        unsafe data.pointee.size = count
    }

    func add(
        _ tag: ExifTagNumber, _ format: ExifFormat, _ components: Int, _ bytes: [UInt8],
        _ directory: ExifIfd? = nil
    ) throws(CodecError) {
        guard let entry = unsafe exif_entry_new_mem(memory) else { throw Self.exhausted }
        // The directory holds its own reference.
        defer { unsafe exif_entry_unref(entry) }
        guard let copy = unsafe exif_mem_alloc(memory, CUnsignedInt(bytes.count)) else {
            throw Self.exhausted
        }
        unsafe copy.copyMemory(from: bytes, byteCount: bytes.count)
        unsafe entry.pointee.tag = ExifTag(rawValue: UInt32(tag.rawValue))
        unsafe entry.pointee.format = format
        unsafe entry.pointee.components = UInt(components)
        unsafe entry.pointee.data = unsafe copy.assumingMemoryBound(to: UInt8.self)
        unsafe entry.pointee.size = CUnsignedInt(bytes.count)
        unsafe exif_content_add_entry(content(directory ?? tag.directory), entry)
    }

    private func content(_ directory: ExifIfd) -> UnsafeMutablePointer<ExifContent>? {
        unsafe withUnsafePointer(to: data.pointee.ifd) { directories in
            unsafe directories.withMemoryRebound(
                to: UnsafeMutablePointer<ExifContent>?.self, capacity: Int(EXIF_IFD_COUNT.rawValue)
            ) {
                unsafe $0[Int(directory.rawValue)]
            }
        }
    }

    // MARK: Reading

    convenience init(parsing bytes: [UInt8]) throws(CodecError) {
        try self.init()
        unsafe exif_data_load_data(data, bytes, CUnsignedInt(clamping: bytes.count))
    }

    /// EXIF orientation, 1 to 8; `nil` for any other value.
    var orientation: Int? {
        integer(.orientation).flatMap { (1...8).contains($0) ? $0 : nil }
    }

    var customRendered: Int? { integer(.customRendered) }

    /// EXIF's UserComment; `nil` unless it is ASCII.
    var userComment: String? {
        let code = Array("ASCII\0\0\0".utf8)
        guard let bytes = value(.userComment, EXIF_FORMAT_UNDEFINED), bytes.starts(with: code)
        else { return nil }
        return String(decoding: bytes.dropFirst(code.count).prefix { $0 != 0 }, as: UTF8.self)
    }

    func metadata() throws(CodecError) -> ExifMetadata {
        guard let time else { throw CodecError(.noMetadata, "EXIF without a date") }
        var metadata = ExifMetadata(
            make: text(.make) ?? "", model: text(.model) ?? "", software: text(.software) ?? "",
            time: time, imageUniqueID: text(.imageUniqueID))
        if let orientation { metadata.orientation = orientation }
        metadata.location = location
        metadata.colorSpace =
            integer(.colorSpace).flatMap { ExifMetadata.ColorSpace(rawValue: $0) } ?? .sRGB
        metadata.iso = integer(.recommendedExposureIndex) ?? integer(.sensitivity)
        metadata.dimensions = Dimensions(
            width: integer(.pixelWidth) ?? 0, height: integer(.pixelHeight) ?? 0)
        if let bytes = value(.exposureTime, EXIF_FORMAT_RATIONAL), bytes.count >= 8 {
            metadata.exposureTime = ExifMetadata.Rational(
                integer(bytes[0..<4]), integer(bytes[4..<8]))
        }
        if let start = unsafe data.pointee.data, unsafe data.pointee.size > 0 {
            metadata.thumbnail = unsafe [UInt8](
                UnsafeBufferPointer(start: start, count: Int(data.pointee.size)))
        }
        return metadata
    }

    /// The first valid date of three: picture taken, picture digitized, file changed.
    private var time: PictureTime? {
        let tags: [(ExifTagNumber, ExifTagNumber, ExifTagNumber)] = [
            (.dateTimeOriginal, .subSecondOriginal, .offsetOriginal),
            (.dateTimeDigitized, .subSecondDigitized, .offsetDigitized),
            (.dateTime, .subSecond, .offset),
        ]
        return tags.lazy.compactMap { date, subSecond, offset -> PictureTime? in
            guard let dateTime = self.text(date) else { return nil }
            // Some phones write the offset only with DateTime. It applies to an equal local time.
            let shared = dateTime == self.text(.dateTime) ? self.text(.offset) : nil
            return PictureTime(
                dateTime: dateTime, subSecond: self.text(subSecond),
                offset: self.text(offset) ?? shared)
        }.first
    }

    /// Returns every tag's value as libexif formats it for people, by directory and tag name.
    func properties() -> [String: [String: String]] {
        let directories = [("TIFF", EXIF_IFD_0), ("Exif", EXIF_IFD_EXIF), ("GPS", EXIF_IFD_GPS)]
        var properties: [String: [String: String]] = [:]
        for (name, directory) in directories {
            guard let content = unsafe content(directory) else { continue }
            for index in 0..<Int(unsafe content.pointee.count) {
                guard let entry = unsafe content.pointee.entries[index] else { continue }
                let tag = unsafe entry.pointee.tag
                let known = unsafe exif_tag_get_name_in_ifd(tag, directory)
                let word = unsafe known.map { unsafe String(cString: $0) } ?? "\(tag.rawValue)"
                properties[name, default: [:]][word] = unsafe description(of: entry)
            }
        }
        return properties
    }

    private func description(of entry: UnsafeMutablePointer<ExifEntry>) -> String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { buffer in
            let text = unsafe exif_entry_get_value(entry, buffer.baseAddress, 1024)
            return unsafe text.map { unsafe String(cString: $0) } ?? ""
        }
    }

    func text(_ tag: ExifTagNumber) -> String? {
        guard let bytes = value(tag, EXIF_FORMAT_ASCII) else { return nil }
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    private func integer(_ tag: ExifTagNumber) -> Int? {
        if let bytes = value(tag, EXIF_FORMAT_SHORT), bytes.count >= 2 {
            return Int(integer(bytes[0..<2]))
        }
        if let bytes = value(tag, EXIF_FORMAT_LONG), bytes.count >= 4 {
            return Int(integer(bytes[0..<4]))
        }
        return nil
    }

    /// Decodes an integer in the document's byte order.
    func integer(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        let isIntel = unsafe exif_data_get_byte_order(data) == EXIF_BYTE_ORDER_INTEL
        let ordered = isIntel ? Array(bytes.reversed()) : Array(bytes)
        return ordered.reduce(0) { $0 << 8 | UInt32($1) }
    }

    func value(_ tag: ExifTagNumber, _ format: ExifFormat) -> [UInt8]? {
        let entry = unsafe exif_content_get_entry(
            content(tag.directory), ExifTag(rawValue: UInt32(tag.rawValue)))
        guard let entry = unsafe entry, unsafe entry.pointee.format == format,
            let start = unsafe entry.pointee.data
        else { return nil }
        return unsafe [UInt8](
            UnsafeBufferPointer(start: start, count: Int(entry.pointee.size)))
    }
}

/// The tags that Vitrine writes or reads (CIPA DC-008, tables 4 to 8 and 15).
enum ExifTagNumber: UInt16 {
    case locationVersion = 0x0000
    case latitudeSide = 0x0001
    case latitude = 0x0002
    case longitudeSide = 0x0003
    case longitude = 0x0004
    case altitudeSide = 0x0005
    case altitude = 0x0006
    case datum = 0x0012
    case compression = 0x0103
    case make = 0x010f
    case model = 0x0110
    case orientation = 0x0112
    case horizontalResolution = 0x011a
    case verticalResolution = 0x011b
    case resolutionUnit = 0x0128
    case software = 0x0131
    case dateTime = 0x0132
    case chromaPositioning = 0x0213
    case exposureTime = 0x829a
    case sensitivity = 0x8827
    case sensitivityType = 0x8830
    case recommendedExposureIndex = 0x8832
    case exifVersion = 0x9000
    case dateTimeOriginal = 0x9003
    case dateTimeDigitized = 0x9004
    case offset = 0x9010
    case offsetOriginal = 0x9011
    case offsetDigitized = 0x9012
    case components = 0x9101
    case userComment = 0x9286
    case subSecond = 0x9290
    case subSecondOriginal = 0x9291
    case subSecondDigitized = 0x9292
    case flashpixVersion = 0xa000
    case colorSpace = 0xa001
    case pixelWidth = 0xa002
    case pixelHeight = 0xa003
    case customRendered = 0xa401
    case imageUniqueID = 0xa420

    /// The directory of the tag. Some tags appear in IFD 1 too, for the thumbnail.
    var directory: ExifIfd {
        switch self {
        case .compression: EXIF_IFD_1
        case .locationVersion, .latitudeSide, .latitude, .longitudeSide, .longitude,
            .altitudeSide, .altitude, .datum:
            EXIF_IFD_GPS
        case .make, .model, .orientation, .horizontalResolution, .verticalResolution,
            .resolutionUnit, .software, .dateTime, .chromaPositioning:
            EXIF_IFD_0
        default: EXIF_IFD_EXIF
        }
    }
}

extension FixedWidthInteger {
    var intelBytes: [UInt8] {
        (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) }
    }
}
