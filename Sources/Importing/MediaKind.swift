// SPDX-License-Identifier: GPL-3.0-or-later

public import Library
internal import LinuxIO

/// The kind of a file by its first bytes. The name does not matter.
public enum MediaKind: String, Sendable, CaseIterable {
    case jpeg = "jpg"
    case png
    /// HEIF with HEVC pictures.
    case heif = "heic"
    case avif
    case mp4
    case quickTime = "mov"
    case matroska = "mkv"

    /// The number of bytes that ``init(_:)`` needs.
    public static let bytesWanted = 12

    /// Detects the kind by a file's first bytes. Returns `nil` for any other file.
    public init?(_ beginning: [UInt8]) {
        if beginning.starts(with: [0xff, 0xd8, 0xff]) {
            self = .jpeg
        } else if beginning.starts(with: PNGFile.signature) {
            self = .png
        } else if beginning.starts(with: [0x1a, 0x45, 0xdf, 0xa3]) {
            self = .matroska
        } else if let kind = Self(boxes: beginning) {
            self = kind
        } else {
            return nil
        }
    }

    /// ISO base media files (ISO/IEC 14496-12) begin with a box: length, type, brand.
    private init?(boxes bytes: [UInt8]) {
        guard bytes.count >= 12 else { return nil }
        func word(_ start: Int) -> String {
            String(decoding: bytes[start..<start + 4], as: UTF8.self)
        }
        switch (word(4), word(8)) {
        case ("ftyp", "heic"), ("ftyp", "heix"), ("ftyp", "heim"), ("ftyp", "heis"),
            ("ftyp", "mif1"), ("ftyp", "msf1"):
            self = .heif
        case ("ftyp", "avif"), ("ftyp", "avis"): self = .avif
        case ("ftyp", "qt  "): self = .quickTime
        case ("ftyp", _): self = .mp4
        // QuickTime files had no brands at first.
        case ("moov", _), ("mdat", _), ("wide", _): self = .quickTime
        default: return nil
        }
    }

    /// The extension of such files in the library.
    public var fileExtension: String { rawValue }

    /// The media type: photo or video.
    public var mediaType: Asset.MediaType {
        switch self {
        case .jpeg, .png, .heif, .avif: .photo
        case .mp4, .quickTime, .matroska: .video
        }
    }

    /// Whether the name announces a photo or video. Other files are skipped silently.
    public static func isMeant(byName name: String) -> Bool {
        let fileExtension = PathName(name).fileExtension.lowercased()
        return names.contains(fileExtension) || RawFormat(name: name) != nil
    }

    private static let names: Set<String> = [
        "jpg", "jpeg", "jpe", "png", "heic", "heif", "hif", "avif", "mp4", "m4v", "mov", "qt",
        "mkv", "webm",
    ]
}
