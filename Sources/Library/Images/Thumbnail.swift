// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Imaging
internal import Media

/// The small picture of an original, made when it is stored and rotated no more than that is.
enum Thumbnail {
    static let size = Dimensions(width: 160, height: 120)

    /// Makes the thumbnail if it is missing or incomplete.
    static func makeIfMissing(of jpeg: [UInt8], _ id: UUID, in layout: LibraryLayout) {
        let path = layout.thumbnail(id)
        guard !DerivedFile.isWhole(path),
            let small = try? JPEGEncoder().thumbnail(
                of: jpeg, decoder: JPEGDecoder(), fitting: size)
        else { return }
        DerivedFile.write(small, to: path, in: layout)
    }
}
