// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Imaging
internal import Media

/// Checks data that a camera may send: any bytes are refused or become a JPEG file again, with the
/// same picture and the given EXIF.
func takeJPEGHeaders(_ bytes: [UInt8]) {
    let ends = unsafe bytes.withUnsafeBytes { unsafe JPEGEnds($0) }
    _ = try? ExifMetadata(reading: bytes)
    _ = JPEGBeginning.properties(of: bytes)
    _ = unsafe try? decoder?.header(of: bytes)
    guard let file = try? JPEGFile(bytes) else { return }
    // The case `open` is a picture whose end is hidden under more padding than cameras write.
    if case .foreign = ends { preconditionFailure("a JPEG that does not begin like one") }
    for metadata in [nil, given] {
        guard let chunks = try? file.chunks(metadata: metadata),
            let again = try? JPEGFile(Array(chunks.joined()))
        else { preconditionFailure("what was made of a JPEG is none") }
        precondition(again.dimensions == file.dimensions)
        precondition(again.entropyCodedBytes == file.entropyCodedBytes)
        guard metadata != nil else { continue }
        let read = try? ExifMetadata(reading: again.bytes)
        precondition(read?.model == given.model && read?.dimensions == file.dimensions)
    }
}

private nonisolated(unsafe) let decoder = try? JPEGDecoder()
private let given = ExifMetadata(
    make: "fuzz", model: "corpus", software: "vitrine", time: PictureTime(seconds: 0))
