// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
public import Media

/// What an export makes of each asset.
public struct ExportOptions: Sendable, Equatable {
    /// Which of a photo's pictures.
    public var version: ExportVersion
    /// Pixels that the upright pictures of photos fit into; they are never enlarged, and what fits stays as it is. `nil`:
    /// as large as they are.
    public var fitting: Dimensions?
    /// How the copies are named.
    public var template: ExportTemplate
    /// Whether `manifest.jsonl` says of every copy which asset it is, see ``AssetExporter``.
    public var writesManifest: Bool
    /// Whether an XMP side-car lies beside every copy, such as `NAME.jpg.xmp`: with caption, keywords, rating, time and
    /// place. Copies that no words can be written into have one where there are words.
    public var writesSidecars: Bool
    /// Whether a copy takes the place of an earlier one of the same picture that says other words. `false` leaves the
    /// earlier one and reports it as outdated.
    public var updatesWords: Bool

    /// Every photo as it is to be seen and as large as it is, under its own name.
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

    /// Where an asset's copy goes, below the export's folder; no other picture of any asset has that path.
    ///
    /// - Parameter alternate: The extension of its RAW, for where that goes.
    /// - Throws: `damaged` when the library's own file name is none.
    func path(of asset: Asset, beside alternate: String? = nil) throws(LibraryError) -> String {
        let own = asset.fileName
        let name = PathName(own)
        guard FileNameComponent.isPlain(own), !name.fileExtension.isEmpty else {
            throw LibraryError(.damaged, "asset \(asset.id.text): \"\(own)\" is no file name")
        }
        let path = template.path(of: asset, name: String(name.withoutExtension))
        if let alternate { return "\(path).\(alternate)" }
        let ending = makesJPEG(of: asset) && !asset.isJPEG ? ".jpg" : ".\(name.fileExtension)"
        return path + pictureMark(of: asset) + ending
    }

    /// Whether a side-car belongs to an asset's copy.
    func wantsSidecar(of asset: Asset) -> Bool {
        writesSidecars
            || version == .current && asset.hasWords && !asset.takesWords && !makesJPEG(of: asset)
    }

    /// What the copy shows of a photo that its original does not.
    func adjustment(of asset: Asset) -> AssetAdjustment? {
        version == .current ? asset.adjustment : nil
    }

    /// Whether the copy is another file than the original, made of its picture: a JPEG.
    func makesJPEG(of asset: Asset) -> Bool {
        asset.mediaType == .photo && (adjustment(of: asset) != nil || size(of: asset) != .full)
    }

    /// How large the copy of a photo is to be; of one that is not larger anyway it is as it is.
    func size(of asset: Asset) -> ImageSize {
        guard let fitting, asset.mediaType == .photo else { return .full }
        let shown = asset.uprightSize(adjustment(of: asset))
        let isSmall = shown.map { $0.width <= fitting.width && $0.height <= fitting.height }
        return isSmall ?? false ? .full : .fitting(fitting)
    }

    /// Tells the picture from the original's.
    private func pictureMark(of asset: Asset) -> String {
        var mark = ""
        if let adjustment = adjustment(of: asset)?.stored {
            mark += "_e" + hexadecimal(SHA256.hash([Array(adjustment.utf8)]).prefix(2))
        }
        if let fitting, asset.mediaType == .photo { mark += "_\(fitting)" }
        return mark
    }
}
