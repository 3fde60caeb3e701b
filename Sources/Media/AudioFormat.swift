// SPDX-License-Identifier: GPL-3.0-or-later

/// What sound consists of: signed 16-bit samples, the channels' in turn.
public struct AudioFormat: Sendable, Hashable, CustomStringConvertible {
    /// Samples a second of one channel.
    public var sampleRate: Int
    /// 1 or 2.
    public var channels: Int

    /// Of the given parts; nothing is checked.
    public init(sampleRate: Int, channels: Int) {
        self.sampleRate = sampleRate
        self.channels = channels
    }

    /// How long so many samples of one channel last, in nanoseconds.
    public func duration(of frames: Int) -> Int64 {
        MediaTime(value: Int64(frames), timescale: Int32(sampleRate))
            .converted(toTimescale: 1_000_000_000).value
    }

    /// For example "48000 Hz stereo".
    public var description: String {
        "\(sampleRate) Hz \(channels == 1 ? "mono" : "stereo")"
    }
}

extension [AudioChunk] {
    /// Appends one that waits for a reader. The oldest makes way where there are more than `most`; the next one follows
    /// nothing then.
    ///
    /// - Returns: whether one was dropped.
    package mutating func queue(_ chunk: AudioChunk, most: Int) -> Bool {
        append(chunk)
        if count <= most { return false }
        removeFirst()
        self[0].isFirst = true
        return true
    }
}

/// Some samples and their time.
public struct AudioChunk: Sendable {
    /// What it is: where one microphone follows another, some of the former's may still come.
    public let format: AudioFormat
    /// The channels' in turn.
    public var samples: [Int16]
    /// Of the first one: nanoseconds of `CLOCK_MONOTONIC`.
    public var time: Int64
    /// Whether it does not follow the one before it: samples were lost or dropped, the device was opened anew, or nobody
    /// here had listened.
    public var isFirst: Bool

    /// Of the given parts; nothing is checked.
    public init(_ format: AudioFormat, samples: [Int16], time: Int64, isFirst: Bool = false) {
        self.format = format
        self.samples = samples
        self.time = time
        self.isFirst = isFirst
    }

    /// Samples of each channel.
    public var length: Int { samples.count / format.channels }
    /// Nanoseconds, as its format has it.
    public var duration: Int64 { format.duration(of: length) }

    /// The largest sample, from 0 to 1.
    public var peak: Double {
        Double(samples.reduce(0) { max($0, abs(Int($1))) }) / -Double(Int16.min)
    }
}
