// SPDX-License-Identifier: GPL-3.0-or-later

/// The format of sound: signed 16-bit samples, interleaved by channel.
public struct AudioFormat: Sendable, Hashable, CustomStringConvertible {
    /// Samples per second of one channel.
    public var sampleRate: Int
    /// The number of channels: 1 or 2.
    public var channels: Int

    /// Creates a format; nothing is checked.
    public init(sampleRate: Int, channels: Int) {
        self.sampleRate = sampleRate
        self.channels = channels
    }

    /// Returns the duration of `frames` samples of one channel, in nanoseconds.
    public func duration(of frames: Int) -> Int64 {
        MediaTime(value: Int64(frames), timescale: Int32(sampleRate))
            .converted(toTimescale: 1_000_000_000).value
    }

    /// The format as text, for example "48000 Hz stereo".
    public var description: String {
        "\(sampleRate) Hz \(channels == 1 ? "mono" : "stereo")"
    }
}

extension [AudioChunk] {
    /// Appends a chunk that waits for its reader. If more than `most` chunks wait, drops the
    /// oldest, marks the next one as ``AudioChunk/isFirst`` and returns `true`.
    package mutating func queue(_ chunk: AudioChunk, most: Int) -> Bool {
        append(chunk)
        if count <= most { return false }
        removeFirst()
        self[0].isFirst = true
        return true
    }
}

/// A run of samples and its time.
public struct AudioChunk: Sendable {
    /// The format. After a change of microphone, chunks of the old one may still arrive.
    public let format: AudioFormat
    /// The samples, interleaved by channel.
    public var samples: [Int16]
    /// The time of the first sample, in nanoseconds of `CLOCK_MONOTONIC`.
    public var time: Int64
    /// Whether the chunk does not continue the previous one: samples were lost or dropped, the
    /// device was reopened, or its receiver has just begun to listen.
    public var isFirst: Bool

    /// Creates a chunk; nothing is checked.
    public init(_ format: AudioFormat, samples: [Int16], time: Int64, isFirst: Bool = false) {
        self.format = format
        self.samples = samples
        self.time = time
        self.isFirst = isFirst
    }

    /// Samples per channel.
    public var length: Int { samples.count / format.channels }
    /// The duration in nanoseconds.
    public var duration: Int64 { format.duration(of: length) }

    /// The largest absolute sample, from 0 to 1.
    public var peak: Double {
        Double(samples.reduce(0) { max($0, abs(Int($1))) }) / -Double(Int16.min)
    }
}
