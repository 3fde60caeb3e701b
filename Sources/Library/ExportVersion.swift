// SPDX-License-Identifier: GPL-3.0-or-later

/// Which of a photo's pictures is exported.
public enum ExportVersion: String, Sendable, CaseIterable {
    /// As it is to be seen, see ``Asset/adjustment``.
    case current
    /// As it was stored, but for a time that was corrected.
    case original

    /// A name that no other picture of any asset has.
    func name(of asset: Asset) -> String {
        guard self == .current, let adjustment = asset.adjustment?.stored,
            let dot = asset.fileName.lastIndex(of: ".")
        else { return asset.fileName }
        let mark = hexadecimal(SHA256.hash([Array(adjustment.utf8)]).prefix(2))
        return "\(asset.fileName[..<dot])_e\(mark)\(asset.fileName[dot...])"
    }
}
