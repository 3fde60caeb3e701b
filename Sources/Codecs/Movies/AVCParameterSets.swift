// SPDX-License-Identifier: GPL-3.0-or-later

/// The parameter sets that a decoder of H.264 needs at the start (ISO/IEC 14496-15, 5.3.3).
public struct AVCParameterSets: Sendable, Hashable {
    private let sequence: [ArraySlice<UInt8>]
    private let picture: [ArraySlice<UInt8>]

    static let sequenceType: UInt8 = 7
    static let pictureType: UInt8 = 8
    private static let delimiterType: UInt8 = 9

    /// Collects the parameter sets of a byte stream (ITU-T H.264, annex B), which may also hold
    /// pictures. Returns `nil` unless both kinds are present.
    public init?(byteStream: [UInt8]) {
        let units = AVCByteStream(byteStream).units
        sequence = units.filter { $0.type == Self.sequenceType }.map(\.bytes)
        picture = units.filter { $0.type == Self.pictureType }.map(\.bytes)
        guard let first = sequence.first, first.count >= 4, !picture.isEmpty else { return nil }
    }

    /// The content of the `avcC` box, for units with lengths of four bytes.
    var configuration: [UInt8] {
        var writer = BoxWriter()
        let first = Array(sequence[0])
        writer.add([1, first[1], first[2], first[3], 0xff, 0xe0 | UInt8(sequence.count)])
        for unit in sequence { Self.add(unit, to: &writer) }
        writer.add(UInt8(picture.count))
        for unit in picture { Self.add(unit, to: &writer) }
        // The high profiles state their format: here it is always 4:2:0 with 8 bits.
        if first[1] >= 100 { writer.add([0xfd, 0xf8, 0xf8, 0]) }
        return writer.bytes
    }

    private static func add(_ unit: ArraySlice<UInt8>, to writer: inout BoxWriter) {
        writer.add(UInt16(unit.count))
        writer.add(Array(unit))
    }

    /// Converts a picture from a byte stream to a movie sample: each unit follows its length.
    /// Parameter sets and delimiters are left out.
    public static func sample(byteStream: [UInt8]) -> (bytes: [UInt8], isKeyFrame: Bool) {
        let units = AVCByteStream(byteStream).units.filter {
            ![sequenceType, pictureType, delimiterType].contains($0.type)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteStream.count + 4 * units.count)
        for unit in units {
            let count = UInt32(unit.bytes.count).bigEndian
            unsafe withUnsafeBytes(of: count) { unsafe bytes.append(contentsOf: $0) }
            bytes += unit.bytes
        }
        return (bytes, units.contains { $0.type == AVCByteStream.keyFrameType })
    }

    /// Whether the bytes are units with their lengths, as ``sample(byteStream:)`` makes them. Bytes
    /// that a power cut damaged are not.
    static func isSample(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while rest.count > 4 {
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            guard length > 0, length <= rest.count, let first = rest.first, first & 0x80 == 0
            else { return false }
            rest = rest.dropFirst(length)
        }
        return rest.isEmpty && !bytes.isEmpty
    }
}

/// The contents of an access unit.
public struct AVCAccessUnit: Sendable {
    /// Whether the unit has a picture.
    public let hasPicture: Bool
    /// Whether the picture is a key frame. Playback may begin with it if ``hasParameterSets``.
    public let isKeyFrame: Bool
    /// Whether the unit has both kinds of parameter sets.
    public let hasParameterSets: Bool
    /// The parameter sets as a byte stream; empty if there are none.
    public let parameterSets: [UInt8]

    /// Parses an access unit.
    public init(byteStream: [UInt8]) {
        let units = AVCByteStream(byteStream).units
        let sets = units.filter {
            [AVCParameterSets.sequenceType, AVCParameterSets.pictureType].contains($0.type)
        }
        hasPicture = units.contains { (1...AVCByteStream.keyFrameType).contains($0.type) }
        isKeyFrame = units.contains { $0.type == AVCByteStream.keyFrameType }
        hasParameterSets = Set(sets.map(\.type)).count == 2
        parameterSets = sets.flatMap { [0, 0, 0, 1] + $0.bytes }
    }
}

/// The NAL units of a byte stream.
struct AVCByteStream {
    static let keyFrameType: UInt8 = 5
    let units: [(type: UInt8, bytes: ArraySlice<UInt8>)]

    init(_ bytes: [UInt8]) {
        var starts: [Int] = []
        var index = 2
        unsafe bytes.withUnsafeBufferPointer { bytes in
            // A start code is 0 0 1: none can end at a byte above 1 or at the two bytes after it.
            while index < bytes.count {
                let byte = unsafe bytes[index]
                if byte > 1 {
                    index += 3
                } else if byte == 1, unsafe bytes[index - 1] == 0, unsafe bytes[index - 2] == 0 {
                    starts.append(index + 1)
                    index += 3
                } else {
                    index += 1
                }
            }
        }
        units = starts.indices.compactMap { number in
            var end = number + 1 < starts.count ? starts[number + 1] - 3 : bytes.count
            while end > starts[number], bytes[end - 1] == 0 { end -= 1 }
            let unit = bytes[starts[number]..<end]
            return unit.first.map { ($0 & 0x1f, unit) }
        }
    }
}
