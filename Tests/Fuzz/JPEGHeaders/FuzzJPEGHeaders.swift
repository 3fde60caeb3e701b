// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Imaging
internal import Media

/// What a camera may send: any bytes are refused or become a file that is a JPEG again, with the same
/// picture in it and the EXIF that was given.
@unsafe @_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let raw = unsafe UnsafeRawBufferPointer(start: start, count: count)
    let bytes = unsafe [UInt8](raw)
    let ends = unsafe JPEGEnds(raw)
    _ = try? ExifMetadata(reading: bytes)
    _ = JPEGBeginning.properties(of: bytes)
    _ = unsafe try? decoder?.header(of: bytes)
    guard let file = try? JPEGFile(bytes) else { return 0 }
    // `open` is a picture whose end lies under more padding than cameras write.
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
    return 0
}

private nonisolated(unsafe) let decoder = try? JPEGDecoder()
private let given = ExifMetadata(
    make: "fuzz", model: "corpus", software: "vitrine", time: PictureTime(seconds: 0))
