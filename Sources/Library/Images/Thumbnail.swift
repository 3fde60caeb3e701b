// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Imaging
internal import Media

/// The small picture of an original that is made when it is stored, turned no more than the original is.
enum Thumbnail {
    static let size = Dimensions(width: 160, height: 120)

    /// Makes one that is not there, or not whole.
    static func makeIfMissing(of jpeg: [UInt8], _ id: UUID, in layout: LibraryLayout) {
        let path = layout.thumbnail(id)
        guard !DerivedFile.isWhole(path),
            let small = try? JPEGEncoder().thumbnail(
                of: jpeg, decoder: JPEGDecoder(), fitting: size)
        else { return }
        DerivedFile.write(small, to: path, in: layout)
    }
}
