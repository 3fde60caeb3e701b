// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// The RAW that a camera wrote beside a photo: kept as it came, never shown. PhotoKit's resource of the type
/// `alternatePhoto`.
public struct AlternatePhoto: Hashable, Sendable, Codable {
    /// One of ``RawFormat``'s, unless a newer program knows more of them.
    public let fileExtension: String
    /// Of the file.
    public let bytes: Int64
    /// SHA-256 of the file, lower-case hexadecimal.
    public let sha256: String

    /// What the column of ``AssetRow`` holds; `nil` for none.
    init?(column: String?) {
        guard let parts = column?.split(separator: " "), parts.count == 3,
            let bytes = Int64(parts[1])
        else { return nil }
        fileExtension = String(parts[0])
        self.bytes = bytes
        sha256 = String(parts[2])
    }

    /// Of the table `alternate_photo`, for ``init(column:)``.
    static let column = """
        (SELECT file_extension || ' ' || bytes || ' ' || lower(hex(sha256)) \
        FROM alternate_photo WHERE alternate_photo.asset = sequence)
        """
}

/// What cameras call their RAW files.
public enum RawFormat: String, Sendable, CaseIterable {
    case arw, cr2, cr3, dng, nef, nrw, orf, pef, raf, rw2, srw

    /// How many bytes ``isBeginning(_:)`` wants.
    public static let bytesWanted = 16

    /// By a file's name, in upper or lower case; `nil` for all others.
    public init?(name: String) {
        self.init(rawValue: PathName(name).fileExtension.lowercased())
    }

    /// Whether a file of this format begins so. Most are TIFF 6.0 inside.
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
