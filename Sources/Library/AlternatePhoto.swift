// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// A RAW file that a camera wrote beside a photo. The library stores it unchanged and never shows
/// it. PhotoKit's resource type `alternatePhoto` corresponds to it.
public struct AlternatePhoto: Hashable, Sendable, Codable {
    /// The extension of a ``RawFormat``, or of a format that only a newer program knows.
    public let fileExtension: String
    /// The size of the file.
    public let bytes: Int64
    /// The SHA-256 of the file, lower-case hexadecimal.
    public let sha256: String

    /// Parses the value of ``column``; `nil` if there is no RAW.
    init?(column: String?) {
        guard let parts = column?.split(separator: " "), parts.count == 3,
            let bytes = Int64(parts[1])
        else { return nil }
        fileExtension = String(parts[0])
        self.bytes = bytes
        sha256 = String(parts[2])
    }

    /// The SQL expression over `alternate_photo` whose value ``init(column:)`` parses.
    static let column = """
        (SELECT file_extension || ' ' || bytes || ' ' || lower(hex(sha256)) \
        FROM alternate_photo WHERE alternate_photo.asset = sequence)
        """
}

/// A RAW format, named by its file extension.
public enum RawFormat: String, Sendable, CaseIterable {
    case arw, cr2, cr3, dng, nef, nrw, orf, pef, raf, rw2, srw

    /// The number of bytes that ``isBeginning(_:)`` needs.
    public static let bytesWanted = 16

    /// Finds the format by a file's name, in upper or lower case; `nil` for any other extension.
    public init?(name: String) {
        self.init(rawValue: PathName(name).fileExtension.lowercased())
    }

    /// Whether `bytes` can begin a file of this format. Most formats are TIFF 6.0 inside.
    public func isBeginning(_ bytes: [UInt8]) -> Bool {
        func holds(_ text: String, at place: Int) -> Bool {
            bytes.dropFirst(place).starts(with: text.utf8)
        }
        let isTIFF = holds("II*\0", at: 0) || holds("MM\0*", at: 0)
        return switch self {
        case .cr2: isTIFF && holds("CR", at: 8)
        case .cr3: holds("ftypcrx ", at: 4)
        case .orf: holds("IIRO", at: 0) || holds("IIRS", at: 0) || holds("MMOR", at: 0)
        case .raf: holds("FUJIFILMCCD-RAW ", at: 0)
        case .rw2: holds("IIU\0", at: 0)
        case .arw, .dng, .nef, .nrw, .pef, .srw: isTIFF
        }
    }
}
