// SPDX-License-Identifier: GPL-3.0-or-later

internal import Hashing
internal import LinuxIO
public import Media

/// The files that an export writes for each asset.
public struct ExportOptions: Sendable, Equatable {
    /// The version of each photo to export.
    public var version: ExportVersion
    /// The size in pixels that larger upright photos are reduced to fit; `nil` keeps the full size.
    public var fitting: Dimensions?
    /// The names of the copies.
    public var template: ExportTemplate
    /// Whether to write `manifest.jsonl` about all copies; see ``AssetExporter``.
    public var writesManifest: Bool
    /// Whether to write an XMP side-car beside every copy, such as `NAME.jpg.xmp`, with caption,
    /// keywords, rating, time and place. A copy that cannot contain its metadata gets one anyway.
    public var writesSidecars: Bool
    /// Whether a copy replaces an earlier one of the same picture with other metadata. If not, the
    /// earlier one stays and is reported as outdated.
    public var updatesWords: Bool

    /// Creates options; the defaults export photos with their edits, full size and own name.
    public init(
        version: ExportVersion = .current, fitting: Dimensions? = nil,
        template: ExportTemplate = .name, writesManifest: Bool = false,
        writesSidecars: Bool = false, updatesWords: Bool = false
    ) {
        self.version = version
        self.fitting = fitting
        self.template = template
        self.writesManifest = writesManifest
        self.writesSidecars = writesSidecars
        self.updatesWords = updatesWords
    }

    /// Returns the path of an asset's copy, below the export's folder. No other picture has it.
    /// - Parameter alternate: The extension of the asset's RAW, to get that file's path.
    /// - Throws: `damaged` if the asset's file name in the library is invalid.
    func path(of asset: Asset, beside alternate: String? = nil) throws(LibraryError) -> String {
        let own = asset.fileName
        let name = PathName(own)
        guard FileNameComponent.isPlain(own), !name.fileExtension.isEmpty else {
            throw LibraryError(.damaged, "asset \(asset.id.text): \"\(own)\" is not a file name")
        }
        let path = template.path(of: asset, name: String(name.withoutExtension))
        if let alternate { return "\(path).\(alternate)" }
        let ending = makesJPEG(of: asset) && !asset.isJPEG ? ".jpg" : ".\(name.fileExtension)"
        return path + pictureMark(of: asset) + ending
    }

    func wantsSidecar(of asset: Asset) -> Bool {
        writesSidecars
            || version == .current && asset.hasWords && !asset.takesWords && !makesJPEG(of: asset)
    }

    /// Returns the adjustment that a copy shows; `nil` for the original picture.
    func adjustment(of asset: Asset) -> AssetAdjustment? {
        version == .current ? asset.adjustment : nil
    }

    /// Whether the copy is a new JPEG, made from the original's picture.
    func makesJPEG(of asset: Asset) -> Bool {
        asset.mediaType == .photo && (adjustment(of: asset) != nil || size(of: asset) != .full)
    }

    /// Returns the size of a copy; `.full` if the photo already fits.
    func size(of asset: Asset) -> ImageSize {
        guard let fitting, asset.mediaType == .photo else { return .full }
        let shown = asset.uprightSize(adjustment(of: asset))
        let isSmall = shown.map { $0.width <= fitting.width && $0.height <= fitting.height }
        return isSmall ?? false ? .full : .fitting(fitting)
    }

    /// Returns a suffix that tells an edited or smaller picture's name from the original's.
    private func pictureMark(of asset: Asset) -> String {
        var mark = ""
        if let adjustment = adjustment(of: asset)?.stored {
            mark += "_e" + hexadecimal(SHA256.hash([Array(adjustment.utf8)]).prefix(2))
        }
        if let fitting, asset.mediaType == .photo { mark += "_\(fitting)" }
        return mark
    }
}
