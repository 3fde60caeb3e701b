// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs

/// Checks the descriptive metadata of a stranger's picture or side-car: any bytes can be read, and
/// metadata that can be written into them reads back equal.
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
