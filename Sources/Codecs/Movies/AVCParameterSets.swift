// SPDX-License-Identifier: GPL-3.0-or-later

/// What a decoder of H.264 has to know before the first picture (ISO/IEC 14496-15, 5.3.3).
public struct AVCParameterSets: Sendable, Hashable {
    private let sequence: [ArraySlice<UInt8>]
    private let picture: [ArraySlice<UInt8>]

    static let sequenceType: UInt8 = 7
    static let pictureType: UInt8 = 8
    private static let delimiterType: UInt8 = 9

    /// Those in a byte stream (ITU-T H.264, annex B), which may hold pictures, too; `nil` where one of the two kinds
    /// is missing.
    public init?(byteStream: [UInt8]) {
        let units = AVCByteStream(byteStream).units
        sequence = units.filter { $0.type == Self.sequenceType }.map(\.bytes)
        picture = units.filter { $0.type == Self.pictureType }.map(\.bytes)
        guard let first = sequence.first, first.count >= 4, !picture.isEmpty else { return nil }
    }

    /// The content of the box `avcC`, with lengths of four bytes.
    var configuration: [UInt8] {
        var writer = BoxWriter()
        let first = Array(sequence[0])
        writer.add([1, first[1], first[2], first[3], 0xff, 0xe0 | UInt8(sequence.count)])
        for unit in sequence { Self.add(unit, to: &writer) }
        writer.add(UInt8(picture.count))
        for unit in picture { Self.add(unit, to: &writer) }
        // The high profiles say what others take for granted: 4:2:0 in 8 bits is all that comes here.
        if first[1] >= 100 { writer.add([0xfd, 0xf8, 0xf8, 0]) }
        return writer.bytes
    }

    private static func add(_ unit: ArraySlice<UInt8>, to writer: inout BoxWriter) {
        writer.add(UInt16(unit.count))
        writer.add(Array(unit))
    }

    /// A picture out of a byte stream as it lies in a movie: each unit after its length, without parameter sets
    /// and delimiters.
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

    /// Whether these bytes are a chain of units with their lengths, as ``sample(byteStream:)`` makes them: what a
    /// power cut has left is not.
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

/// What is in an access unit of a byte stream.
public struct AVCAccessUnit: Sendable {
    /// Whether it has a picture, or only what is said of those that come.
    public let hasPicture: Bool
    /// Whether the picture stands for itself; playing may begin with it where ``hasParameterSets``.
    public let isKeyFrame: Bool
    /// Whether both kinds of parameter sets are in it.
    public let hasParameterSets: Bool
    /// Its parameter sets as a byte stream; empty where there are none.
    public let parameterSets: [UInt8]

    /// Looks through it.
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

/// NAL units between start codes.
struct AVCByteStream {
    static let keyFrameType: UInt8 = 5
    let units: [(type: UInt8, bytes: ArraySlice<UInt8>)]

    init(_ bytes: [UInt8]) {
        var starts: [Int] = []
        var index = 2
        unsafe bytes.withUnsafeBufferPointer { bytes in
            // A start code is 0 0 1: where the third byte is larger none ends within the next two.
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
