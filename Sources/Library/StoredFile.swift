// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// A file of an asset as it was stored: the original, or the RAW beside it.
struct StoredFile: Sendable {
    /// What it is, for a person: `original` or `RAW`.
    let name: String
    /// Where it belongs: below `originals/` in an ``AssetRow``, in an ``AssetResource`` the whole path.
    let path: String
    let bytes: Int64
    /// Lower-case hexadecimal.
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

    /// - Parameter path: The original's.
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

    /// Whether a RAW that lies there, without a row, is this photo's.
    func wants(rawAt place: String) -> Bool {
        let ending = String(PathName(place).fileExtension)
        let isBeside = PathName(LibraryLayout.path(path, beside: ending)) == PathName(place)
        return isBeside && place != path && alternate == nil && asset.mediaType == .photo
    }

    /// That a finding is about.
    func file(of finding: LibraryFinding) -> StoredFile? {
        files.first { "originals/\($0.path)" == finding.path }
    }

    var files: [StoredFile] { [original] + [alternate].compactMap(\.self) }
}
