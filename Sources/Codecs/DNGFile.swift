// SPDX-License-Identifier: GPL-3.0-or-later

internal import CTIFF
public import Media
internal import Synchronization

/// A raw frame as a DNG 1.4 file, written by libtiff.
public struct DNGFile: Sendable {
    /// The file's bytes.
    public let bytes: [UInt8]

    private static let loading = Mutex(())

    /// Encodes a raw frame. Sample values stay as the sensor delivered them. The sensor's colours
    /// are unknown, so the file declares sRGB primaries. It gets make, model, software, time and
    /// orientation of `metadata`; the JPEG beside it holds the rest. Throws `missing` if libtiff is
    /// not installed; `failed` if the frame cannot be read, or without memory.
    public init(_ raw: RawFrame, metadata: ExifMetadata) throws(CodecError) {
        try Self.load()
        let samples = try Self.samples(of: raw)
        bytes = try Self.file(raw, samples, metadata)
    }

    /// Loads libtiff; throws `missing` if it is not installed.
    public static func load() throws(CodecError) {
        let refusal = loading.withLock { _ in
            unsafe ctiff_load().map { unsafe String(cString: $0) }
        }
        if let refusal { throw CodecError(.missing, "no RAW can be written: \(refusal)") }
    }

    private static func file(
        _ raw: RawFrame, _ samples: [UInt8], _ metadata: ExifMetadata
    ) throws(CodecError) -> [UInt8] {
        let texts = [
            metadata.make, metadata.model, metadata.software, metadata.time.dateTimeText ?? "",
        ].flatMap { $0.utf8.prefix { $0 != 0 }.map { CChar(bitPattern: $0) } + [0] }
        let filters = raw.format.filters.map(\.rawValue)
        var file: UnsafeMutablePointer<UInt8>?
        var count = 0
        let code = unsafe samples.withUnsafeBytes { values in
            unsafe texts.withUnsafeBufferPointer { texts in
                unsafe Self.matrix.withUnsafeBufferPointer { matrix in
                    unsafe Self.neutral.withUnsafeBufferPointer { neutral in
                        var picture = unsafe ctiff_raw(
                            width: UInt32(raw.dimensions.width),
                            height: UInt32(raw.dimensions.height),
                            bits: raw.format.packing == .bytes ? 8 : 16,
                            samples: values.baseAddress,
                            white: UInt32(1) << UInt32(raw.format.bits) - 1,
                            filters: (filters[0], filters[1], filters[2], filters[3]),
                            orientation: UInt16(metadata.orientation),
                            from_xyz: matrix.baseAddress, neutral: neutral.baseAddress,
                            illuminant: Self.illuminant, texts: texts.baseAddress)
                        return unsafe ctiff_write_dng(&picture, &file, &count)
                    }
                }
            }
        }
        guard code == 0, let start = unsafe file else {
            throw CodecError(.failed, "DNG of \(raw.dimensions): libtiff refuses, or has no memory")
        }
        defer { unsafe ctiff_free(start) }
        return unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    }

    /// No sensor is calibrated: filters count as sRGB's primaries, white as D65 (IEC 61966-2-1).
    private static let matrix: [Float] = [
        3.2404542, -1.5371385, -0.4985314, -0.9692660, 1.8760108, 0.0415560, 0.0556434, -0.2040259,
        1.0572252,
    ]
    private static let neutral: [Float] = [1, 1, 1]
    /// D65 as an EXIF light source.
    private static let illuminant: UInt16 = 21

    /// Returns the samples without row padding, one or two bytes each.
    private static func samples(of raw: RawFrame) throws(CodecError) -> [UInt8] {
        let (width, height) = (raw.dimensions.width, raw.dimensions.height)
        let used = raw.format.bytesPerRow(width: width)
        guard raw.bytesPerRow >= used, raw.bytesPerRow * (height - 1) + used <= raw.buffer.size
        else {
            throw CodecError(
                .failed, "RAW of \(raw.dimensions): \(raw.bytesPerRow) bytes a row do not fit")
        }
        do {
            return try unsafe raw.buffer.withBytes(.read) { start in
                var samples: [UInt8] = []
                samples.reserveCapacity(width * height * (raw.format.packing == .bytes ? 1 : 2))
                for row in 0..<height {
                    let bytes = unsafe UnsafeRawBufferPointer(
                        start: start + row * raw.bytesPerRow, count: used)
                    if raw.format.packing == .packed {
                        unsafe unpack(bytes, raw.format, width, into: &samples)
                    } else {
                        unsafe samples.append(contentsOf: bytes)
                    }
                }
                return samples
            }
        } catch {
            throw CodecError(.failed, "RAW of \(raw.dimensions)", underlying: error)
        }
    }

    /// Unpacks a row of ``RawPixelFormat/Packing/packed`` samples to two bytes each, low one first.
    private static func unpack(
        _ row: UnsafeRawBufferPointer, _ format: RawPixelFormat, _ width: Int,
        into samples: inout [UInt8]
    ) {
        let lowBits = format.bits - 8
        let together = 8 / lowBits
        for column in 0..<width {
            let group = column / together * (together + 1)
            let place = column % together
            let high = unsafe UInt16(row[group + place])
            let low = unsafe UInt16(row[group + together]) >> UInt16(place * lowBits)
            let value = high << UInt16(lowBits) | low & (1 << UInt16(lowBits) - 1)
            samples.append(UInt8(truncatingIfNeeded: value))
            samples.append(UInt8(value >> 8))
        }
    }
}

extension RawPixelFormat {
    /// The bytes of a row without padding. Packed samples come in whole groups.
    fileprivate func bytesPerRow(width: Int) -> Int {
        switch packing {
        case .bytes: width
        case .words: 2 * width
        case .packed: (width + 8 / (bits - 8) - 1) / (8 / (bits - 8)) * (8 / (bits - 8) + 1)
        }
    }
}
