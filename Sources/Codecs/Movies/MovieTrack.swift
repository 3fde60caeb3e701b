// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// The description of a movie's track.
public struct MovieTrack: Sendable, Hashable {
    /// The kind of a track's samples.
    public enum Kind: String, Sendable {
        case video = "vide"
        case audio = "soun"
    }
    /// The kind of the samples.
    public let kind: Kind
    /// The time units per second.
    public let timescale: Int32
    /// The picture's size in pixels as stored; zero for sound.
    public let dimensions: Dimensions
    /// The turn and mirroring that make the pictures upright.
    public let orientation: ExifOrientation
    /// The duration of every sample in units of the timescale; `nil` if durations differ.
    let sampleDuration: Int64?
    /// The sample entry (ISO/IEC 14496-12, 8.5.2) that a player needs before the first sample.
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

    /// Returns a video track of H.264. Players apply `orientation`, a turn and mirroring.
    public static func h264(
        _ parameters: AVCParameterSets, _ dimensions: Dimensions, color: ColorDescription,
        orientation: ExifOrientation = .upright
    ) -> MovieTrack {
        video("avc1", dimensions, color: color, orientation: orientation) { box in
            box.box("avcC") { $0.add(parameters.configuration) }
        }
    }

    /// Returns a track of a non-standard format. Players skip it, but its samples can be read.
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
            box.add(UInt16(1))  // data reference index
            box.addZeros(16)
            box.add(UInt16(dimensions.width))
            box.add(UInt16(dimensions.height))
            box.add(UInt32(0x0048_0000))  // 72 dpi
            box.add(UInt32(0x0048_0000))
            box.addZeros(4)
            box.add(UInt16(1))  // pictures per sample
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
    /// Returns a track of AAC with the encoder's AudioSpecificConfig, at most 80 bytes.
    public static func aac(_ configuration: [UInt8], _ format: AudioFormat) -> MovieTrack {
        var entry = BoxWriter()
        entry.box("mp4a") { box in
            box.addZeros(6)
            box.add(UInt16(1))  // data reference index
            box.addZeros(8)
            box.add(UInt16(format.channels))
            box.add(UInt16(16))  // bits per sample
            box.addZeros(4)
            box.add(UInt32(format.sampleRate) << 16)
            // The elementary stream is nested descriptors (ISO/IEC 14496-1, 7.2.6).
            box.box("esds", version: 0) { box in
                box.add([0x03, UInt8(23 + configuration.count), 0, 0, 0])
                box.add([0x04, UInt8(15 + configuration.count), 0x40, 0x15])
                box.addZeros(11)  // buffer size and bit rates, not stated
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
    /// The primaries, transfer and matrix by their numbers in ITU-T H.273.
    var codes: [UInt8] {
        switch matrix {
        case .bt601: [6, 6, 6]
        case .bt709: [1, 1, 1]
        case .bt2020: [9, 14, 9]
        }
    }
}
