// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// A file of an asset as it was stored: the original, or the RAW beside it.
struct StoredFile: Sendable {
    /// The file's role, for a person: `original` or `RAW`.
    let name: String
    /// The path, below `originals/` from an ``AssetRow``, whole from an ``AssetResource``.
    let path: String
    let bytes: Int64
    /// The hash, lower-case hexadecimal.
    let sha256: String
}

extension AssetResource {
    var original: StoredFile { StoredFile(originalOf: asset, path) }
    var alternate: StoredFile? { StoredFile(alternateOf: asset, path) }
}

extension StoredFile {
    init(originalOf asset: Asset, _ path: String) {
        self.init(name: "original", path: path, bytes: asset.bytes, sha256: asset.sha256)
    }

    /// - Parameter path: The path of the original.
    init?(alternateOf asset: Asset, _ path: String) {
        guard let raw = asset.alternatePhoto else { return nil }
        self.init(
            name: "RAW", path: LibraryLayout.path(path, beside: raw.fileExtension),
            bytes: raw.bytes, sha256: raw.sha256)
    }
}

extension AssetRow {
    var original: StoredFile { StoredFile(originalOf: asset, path) }
    var alternate: StoredFile? { StoredFile(alternateOf: asset, path) }

    /// Whether a RAW at this place, which has no row, belongs to this photo.
    func wants(rawAt place: String) -> Bool {
        let ending = String(PathName(place).fileExtension)
        let isBeside = PathName(LibraryLayout.path(path, beside: ending)) == PathName(place)
        return isBeside && place != path && alternate == nil && asset.mediaType == .photo
    }

    func file(of finding: LibraryFinding) -> StoredFile? {
        files.first { "originals/\($0.path)" == finding.path }
    }

    var files: [StoredFile] { [original] + [alternate].compactMap(\.self) }
}
