// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs

/// What a stranger's picture or side-car may say of itself: any bytes are read or say nothing, and words that are written
/// into them, where that is possible, are read from there again.
func takeWords(_ bytes: [UInt8]) {
    let read = DescriptiveMetadata(reading: bytes)
    precondition(read.rating.map { (1...5).contains($0) } ?? true)
    let words = DescriptiveMetadata(
        caption: "größe \u{1f600}", keywords: ["one", "two"], rating: 3)
    guard let written = try? words.written(into: bytes) else { return }
    let again = DescriptiveMetadata(reading: written)
    precondition(again.caption == words.caption, "\(again.caption ?? "none")")
    precondition(again.keywords == words.keywords && again.rating == words.rating)
}
