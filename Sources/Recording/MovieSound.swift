// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import LinuxIO
internal import Media

/// Compresses the microphone's sound for movies, and keeps some for the pre-roll.
struct MovieSound {
    /// Nanoseconds without sound after which the microphone counts as gone: chunks normally come
    /// every few dozen milliseconds.
    private static let patience: Int64 = 500_000_000
    /// Nanoseconds kept beyond the pre-roll: a movie's first key frame may be a second earlier, and
    /// sound comes late.
    private static let reserve: Int64 = 1_500_000_000

    private var pipeline: SoundPipeline?
    private var ring: SampleRing
    /// When the last movie began: nanoseconds of `CLOCK_MONOTONIC`.
    private var begin: Int64 = 0

    init(_ settings: MovieSettings) {
        // Sound is far smaller than pictures.
        ring = SampleRing(
            duration: settings.preRoll > 0 ? settings.preRoll + Self.reserve : 0,
            reserve: settings.orderDelay, largest: settings.largestPreRollBytes / 8)
    }

    var track: MovieTrack? { pipeline?.track }
    /// Nanoseconds per packet; `nil` without sound.
    var packetDuration: Int64? { pipeline?.packetDuration }
    var preRoll: [EncodedSample] { ring.all }
    var preRollBytes: Int { ring.bytes }

    func goesOn(with format: AudioFormat?) -> Bool {
        pipeline == nil || pipeline?.format == format
    }

    /// Whether no more sound is to be expected: the microphone is missing or delivers nothing.
    /// `heard` is when the last chunk came, used or not: nanoseconds of `CLOCK_MONOTONIC`.
    func isDumb(heard: Int64) -> Bool {
        pipeline == nil || Clock.monotonic - max(begin, heard) > Self.patience
    }

    /// Notes that a movie begins, whose header must list a track for sound of this format.
    mutating func begin(_ format: AudioFormat?) {
        begin = Clock.monotonic
        if let format { make(format) }
    }

    private mutating func make(_ format: AudioFormat) {
        // Pictures without sound are better than none.
        if pipeline == nil { pipeline = try? SoundPipeline(format) }
    }

    /// Compresses a chunk and returns the packets that are ready. `start` is the time of the oldest
    /// picture kept, which a slow encoder may deliver late; `nil` if none is kept.
    mutating func encode(_ chunk: AudioChunk, picturesFrom start: Int64?) -> [EncodedSample] {
        make(chunk.format)
        guard let packets = try? pipeline?.encode(chunk) else {
            pipeline = nil
            return []
        }
        for packet in packets { ring.add(packet, keepingFrom: start) }
        return packets
    }

    /// Prepares for another microphone's sound.
    mutating func end() {
        pipeline = nil
        ring.clear()
    }

    /// Drops the pre-roll, whose pictures are gone.
    mutating func clearPreRoll() { ring.clear() }
}
