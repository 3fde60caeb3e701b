// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// What a track of a movie holds.
public struct MovieTrack: Sendable, Hashable {
    /// What kind of samples it has.
    public enum Kind: String, Sendable {
        case video = "vide"
        case audio = "soun"
    }
    /// What kind of samples it has.
    public let kind: Kind
    /// Units of time in a second.
    public let timescale: Int32
    /// Pixels of the picture as it is stored; zero for sound.
    public let dimensions: Dimensions
    /// How pictures are turned and mirrored to stand upright.
    public let orientation: ExifOrientation
    /// How long every sample lasts, where they are alike, in units of the timescale.
    let sampleDuration: Int64?
    /// The sample entry (ISO/IEC 14496-12, 8.5.2): what a player needs to know before the first sample.
    let entry: [UInt8]

    init(
        kind: Kind, timescale: Int32, dimensions: Dimensions,
        orientation: ExifOrientation, sampleDuration: Int64? = nil, entry: [UInt8]
    ) {
        self.sampleDuration = sampleDuration
        self.kind = kind
        self.timescale = timescale
        self.dimensions = dimensions
        self.orientation = orientation
        self.entry = entry
    }

    /// A video track of H.264.
    ///
    /// - Parameters:
    ///   - parameters: sequence and picture parameter sets.
    ///   - color: what the colours mean.
    ///   - orientation: how players turn and mirror the picture.
    public static func h264(
        _ parameters: AVCParameterSets, _ dimensions: Dimensions, color: ColorDescription,
        orientation: ExifOrientation = .upright
    ) -> MovieTrack {
        video("avc1", dimensions, color: color, orientation: orientation) { box in
            box.box("avcC") { $0.add(parameters.configuration) }
        }
    }

    /// A video track of what no standard knows: players leave it out, its samples can be read.
    public static func video(
        _ format: PixelFormat, _ dimensions: Dimensions, color: ColorDescription,
        orientation: ExifOrientation = .upright
    ) -> MovieTrack {
        video(format.description, dimensions, color: color, orientation: orientation) { _ in }
    }

    private static func video(
        _ type: String, _ dimensions: Dimensions, color: ColorDescription,
        orientation: ExifOrientation, _ configuration: (inout BoxWriter) -> Void
    ) -> MovieTrack {
        var entry = BoxWriter()
        entry.box(type) { box in
            box.addZeros(6)
            box.add(UInt16(1))  // data reference
            box.addZeros(16)
            box.add(UInt16(dimensions.width))
            box.add(UInt16(dimensions.height))
            box.add(UInt32(0x0048_0000))  // 72 dpi
            box.add(UInt32(0x0048_0000))
            box.addZeros(4)
            box.add(UInt16(1))  // a picture in a sample
            box.addZeros(32)
            box.add(UInt16(24))
            box.add(UInt16.max)
            configuration(&box)
            box.box("colr") { box in
                box.add(text: "nclx")
                for code in color.codes { box.add(UInt16(code)) }
                box.add(UInt8(color.range == .full ? 0x80 : 0))
            }
        }
        return MovieTrack(
            kind: .video, timescale: 90_000, dimensions: dimensions,
            orientation: orientation, entry: entry.bytes)
    }
}

extension MovieTrack {
    /// A sound track of AAC.
    ///
    /// - Parameter configuration: AudioSpecificConfig, as the encoder tells it; at most 80 bytes.
    public static func aac(_ configuration: [UInt8], _ format: AudioFormat) -> MovieTrack {
        var entry = BoxWriter()
        entry.box("mp4a") { box in
            box.addZeros(6)
            box.add(UInt16(1))  // data reference
            box.addZeros(8)
            box.add(UInt16(format.channels))
            box.add(UInt16(16))  // bits in a sample
            box.addZeros(4)
            box.add(UInt32(format.sampleRate) << 16)
            // An elementary stream (ISO/IEC 14496-1, 7.2.6), descriptor in descriptor.
            box.box("esds", version: 0) { box in
                box.add([0x03, UInt8(23 + configuration.count), 0, 0, 0])
                box.add([0x04, UInt8(15 + configuration.count), 0x40, 0x15])
                box.addZeros(11)  // buffer and bit rates, not told
                box.add([0x05, UInt8(configuration.count)])
                box.add(configuration)
                box.add([0x06, 1, 2])
            }
        }
        return MovieTrack(
            kind: .audio, timescale: Int32(format.sampleRate),
            dimensions: Dimensions(width: 0, height: 0), orientation: .upright,
            sampleDuration: Int64(AudioEncoder.packetLength), entry: entry.bytes)
    }
}

extension ColorDescription {
    /// Primaries, transfer, matrix as ITU-T H.273 numbers them.
    var codes: [UInt8] {
        switch matrix {
        case .bt601: [6, 6, 6]
        case .bt709: [1, 1, 1]
        case .bt2020: [9, 14, 9]
        }
    }
}
