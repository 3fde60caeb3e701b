// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import LinuxIO
internal import Media

/// An original whose EXIF has the time that turned out to be right. The picture's own bytes are the
/// original's.
struct CorrectedCopy {
    let chunks: [[UInt8]]

    var bytes: Int { chunks.reduce(0) { $0 + $1.count } }

    var sha256: String { hexadecimal(SHA256.hash(chunks)) }

    /// Reads the original, which must be what was stored; `nil` when it has no date to correct.
    ///
    /// - Throws: `damaged` when it is not; what reading it throws.
    init?(of original: AssetResource) throws(LibraryError) {
        let asset = original.asset
        var bytes: [UInt8] = []
        do {
            let file = try DurableFileReader(original.path)
            while true {
                let block = try file.read(upTo: 1 << 20, at: bytes.count)
                if block.isEmpty { break }
                bytes += block
            }
        } catch {
            throw LibraryError("asset \(asset.id.text)", error)
        }
        guard hexadecimal(SHA256.hash([bytes])) == asset.sha256 else {
            throw LibraryError(
                .damaged, "asset \(asset.id.text): \(original.path) is not what was stored")
        }
        do {
            var metadata = try ExifMetadata(reading: bytes)
            let (seconds, nanoseconds) = asset.createdAt.nanoseconds.flooredDivision(
                by: 1_000_000_000)
            metadata.time = PictureTime(
                seconds: seconds, nanoseconds: Int32(nanoseconds),
                utcOffsetSeconds: asset.createdAt.utcOffsetSeconds)
            chunks = try JPEGFile(bytes).chunks(metadata: metadata)
        } catch {
            return nil
        }
    }
}
