// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// The metadata of a movie as a whole.
public struct MovieMetadata: Sendable, Hashable {
    /// The creation time in seconds since 1970, UTC.
    public var createdAt: Int64
    /// The camera's maker; empty if unknown.
    public var make = ""
    /// The camera's model; empty if unknown.
    public var model = ""
    /// The program that wrote the file; empty if unknown.
    public var software = ""
    /// The place of recording; `nil` if unknown.
    public var location: Location?

    /// Creates metadata with a creation time.
    public init(createdAt: Int64) { self.createdAt = createdAt }

    /// The creation time as files store it, in seconds since 1904.
    var fileTime: UInt64 { UInt64(clamping: createdAt + 2_082_844_800) }

    fileprivate var texts: [(type: String, text: String)] {
        [
            ("mak", make), ("mod", model), ("swr", software), ("xyz", location?.iso6709 ?? ""),
        ].filter { !$0.1.isEmpty }
    }
}

/// The boxes before and after the samples.
enum MovieHeader {
    /// The time units per second for the movie as a whole.
    static let timescale: Int32 = 90_000

    static let fileType: [UInt8] = {
        var writer = BoxWriter()
        writer.box("ftyp") { box in
            box.add(text: "isom")
            box.add(UInt32(0x200))
            box.add(text: "isomiso6iso2avc1mp41")
        }
        return writer.bytes
    }()

    /// Returns the box `moov`; if `isFragmented`, the samples follow in fragments.
    static func movie(
        _ indexes: [MovieIndex], _ metadata: MovieMetadata, isFragmented: Bool
    ) -> [UInt8] {
        var writer = BoxWriter()
        let present = isFragmented ? indexes : indexes.filter { !$0.isEmpty }
        let duration = isFragmented ? 0 : present.map(movieDuration).max() ?? 0
        writer.box("moov") { box in
            box.box("mvhd", version: 1) { box in
                box.add(metadata.fileTime)
                box.add(metadata.fileTime)
                box.add(UInt32(timescale))
                box.add(UInt64(duration))
                box.add(UInt32(0x0001_0000))  // rate
                box.add(UInt16(0x0100))  // volume
                box.addZeros(10)
                add(matrix(.upright, Dimensions(width: 0, height: 0)), to: &box)
                box.addZeros(24)
                box.add(UInt32(indexes.count + 1))
            }
            for (number, index) in indexes.enumerated() where isFragmented || !index.isEmpty {
                writeTrack(number + 1, index, metadata, isFragmented, to: &box)
            }
            if isFragmented {
                box.box("mvex") { box in
                    for number in indexes.indices {
                        box.box("trex", version: 0) { box in
                            for value in [number + 1, 1, 0, 0, 0] { box.add(UInt32(value)) }
                        }
                    }
                }
            }
            writeTexts(metadata, to: &box)
        }
        return writer.bytes
    }

    /// Returns the time from the movie's beginning to the track's end.
    private static func movieDuration(_ index: MovieIndex) -> Int64 {
        scaled(index.end, from: index.track.timescale, to: timescale)
    }

    private static func writeTrack(
        _ number: Int, _ index: MovieIndex, _ metadata: MovieMetadata, _ isFragmented: Bool,
        to box: inout BoxWriter
    ) {
        let track = index.track
        box.box("trak") { box in
            box.box("tkhd", version: 1, flags: 3) { box in
                box.add(metadata.fileTime)
                box.add(metadata.fileTime)
                box.add(UInt32(number))
                box.addZeros(4)
                box.add(UInt64(isFragmented ? 0 : movieDuration(index)))
                box.addZeros(12)
                box.add(UInt16(track.kind == .audio ? 0x0100 : 0))
                box.addZeros(2)
                add(matrix(track.orientation, track.dimensions), to: &box)
                box.add(UInt32(track.dimensions.width) << 16)
                box.add(UInt32(track.dimensions.height) << 16)
            }
            if !isFragmented { writeEdits(index, to: &box) }
            box.box("mdia") { box in
                box.box("mdhd", version: 1) { box in
                    box.add(metadata.fileTime)
                    box.add(metadata.fileTime)
                    box.add(UInt32(track.timescale))
                    box.add(UInt64(isFragmented ? 0 : index.end - index.start))
                    box.add(UInt16(0x55c4))  // undetermined language
                    box.addZeros(2)
                }
                box.box("hdlr", version: 0) { box in
                    box.addZeros(4)
                    box.add(text: track.kind.rawValue)
                    box.addZeros(12)
                    box.add(text: track.kind == .video ? "Video\0" : "Sound\0")
                }
                box.box("minf") { writeMedia(index, to: &$0) }
            }
        }
    }

    private static func writeMedia(_ index: MovieIndex, to box: inout BoxWriter) {
        switch index.track.kind {
        case .video: box.box("vmhd", version: 0, flags: 1) { $0.addZeros(8) }
        case .audio: box.box("smhd", version: 0) { $0.addZeros(4) }
        }
        box.box("dinf") { box in
            box.box("dref", version: 0) { box in
                box.add(UInt32(1))
                box.box("url ", version: 0, flags: 1) { _ in }
            }
        }
        box.box("stbl") { box in
            box.box("stsd", version: 0) { box in
                box.add(UInt32(1))
                box.add(index.track.entry)
            }
            index.writeTables(to: &box)
        }
    }

    /// Writes an empty edit before a track that begins later than the movie.
    private static func writeEdits(_ index: MovieIndex, to box: inout BoxWriter) {
        let start = scaled(index.start, from: index.track.timescale, to: timescale)
        guard start > 0 else { return }
        box.box("edts") { box in
            box.box("elst", version: 1) { box in
                box.add(UInt32(2))
                box.add(UInt64(start))
                box.add(Int64(-1))
                box.add(UInt32(0x0001_0000))
                box.add(UInt64(movieDuration(index) - start))
                box.add(UInt64(0))
                box.add(UInt32(0x0001_0000))
            }
        }
    }

    private static func writeTexts(_ metadata: MovieMetadata, to box: inout BoxWriter) {
        if metadata.texts.isEmpty { return }
        box.box("udta") { box in
            for (type, text) in metadata.texts {
                // 0xa9 is "©" in Mac OS Roman. QuickTime's texts begin with length and language.
                let bytes = Array(text.utf8.prefix(Int(UInt16.max)))
                box.add(UInt32(12 + bytes.count))
                box.add([0xa9])
                box.add(text: type)
                box.add(UInt16(bytes.count))
                box.add(UInt16(0x55c4))
                box.add(bytes)
            }
        }
    }

    static func scaled(_ value: Int64, from: Int32, to: Int32) -> Int64 {
        MediaTime(value: value, timescale: from).converted(toTimescale: to).value
    }

    /// Returns a matrix that turns and mirrors a picture and moves it back to the screen's upper
    /// left (ISO/IEC 14496-12, 8.3.2).
    private static func matrix(_ orientation: ExifOrientation, _ size: Dimensions) -> [Int32] {
        let (width, height) = (Int32(size.width) << 16, Int32(size.height) << 16)
        let (one, last): (Int32, Int32) = (0x0001_0000, 0x4000_0000)
        var matrix =
            switch orientation.rotation {
            case .none: [one, 0, 0, 0, one, 0, 0, 0, last]
            case .quarter: [0, one, 0, -one, 0, 0, height, 0, last]
            case .half: [-one, 0, 0, 0, -one, 0, width, height, last]
            case .threeQuarters: [0, -one, 0, one, 0, 0, 0, width, last]
            }
        if orientation.isMirrored {
            // Mirroring counts x from the right: it negates x's coefficients and moves its origin.
            let right = Int32(orientation.apply(to: size).width) << 16
            (matrix[0], matrix[3], matrix[6]) = (-matrix[0], -matrix[3], right - matrix[6])
        }
        return matrix
    }

    private static func add(_ matrix: [Int32], to box: inout BoxWriter) {
        for value in matrix { box.add(value) }
    }
}
